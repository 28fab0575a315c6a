// Where answers come from: the solver in this browser, Syzygy files that were dropped, or a server.
import type { MoveWorth, Solution, Worth } from "tbindex-wasm";
import { call, solver } from "./client";

interface Reply {
  category: string;
  dtz: number | null;
  dtm: number | null;
  checkmate: boolean;
  stalemate: boolean;
}
type ReplyMove = Reply & { uci: string; san: string; zeroing: boolean };

const OUTCOMES: Record<string, Worth["outcome"]> = {
  win: "win",
  "maybe-win": "win",
  "syzygy-win": "win",
  "cursed-win": "cursed win",
  draw: "draw",
  "blessed-loss": "blessed loss",
  "maybe-loss": "loss",
  "syzygy-loss": "loss",
  loss: "loss",
};
const OPPOSITE: Record<Worth["outcome"], Worth["outcome"]> = {
  win: "loss",
  "cursed win": "blessed loss",
  draw: "draw",
  "blessed loss": "cursed win",
  loss: "win",
};

function worthOf(reply: Reply): Worth {
  const outcome = OUTCOMES[reply.category];
  if (!outcome) throw new Error(`The server does not know this position (${reply.category}).`);
  const plies = (distance: number | null) => (distance === null ? undefined : Math.abs(distance));
  return { outcome, certain: !/maybe|syzygy/.test(reply.category), dtz: plies(reply.dtz), dtm: plies(reply.dtm) };
}

async function get<T>(server: string, path: string, fen: string): Promise<T> {
  const url = `${server.replace(/\/$/, "")}${path}?fen=${encodeURIComponent(fen)}`;
  const reply = await fetch(url).catch(() => {
    throw new Error(`The server ${server} can't be reached.`);
  });
  if (!reply.ok) throw new Error(`The server answers ${reply.status}: ${(await reply.text()).slice(0, 200)}`);
  return reply.json() as Promise<T>;
}

/** What a server with lichess's interface says. */
async function ask(server: string, fen: string): Promise<Solution> {
  const [reply, mainline, legal] = await Promise.all([
    get<Reply & { moves: ReplyMove[] }>(server, "/standard", fen),
    get<{ mainline: { uci: string }[] }>(server, "/standard/mainline", fen).catch(() => ({ mainline: [] })),
    call("moves", fen).then(({ moves }) => moves),
  ]);
  const fenAfter = (uci: string, moves: { uci: string; fen: string }[]) => moves.find((move) => move.uci === uci)?.fen;
  const moves = reply.moves.map((move): MoveWorth => {
    const after = worthOf(move);
    const worth = { ...after, outcome: OPPOSITE[after.outcome] };
    // The server says what is left after the move.
    if (worth.dtm !== undefined) worth.dtm++;
    if (worth.dtz !== undefined) worth.dtz = move.zeroing ? 1 : worth.dtz + 1;
    return {
      uci: move.uci,
      san: move.san,
      worth,
      only: false,
      checkmate: move.checkmate,
      fen: fenAfter(move.uci, legal) ?? fen,
    };
  });
  if (moves.length > 1 && moves[0]!.worth.outcome !== moves[1]!.worth.outcome) moves[0]!.only = true;
  const line: MoveWorth[] = [];
  let steps = legal;
  for (const { uci } of mainline.mainline) {
    const step = steps.find((move) => move.uci === uci);
    if (!step) break;
    line.push({ ...step, worth: worthOf(reply), only: false, checkmate: false });
    steps = (await call("moves", step.fen)).moves;
  }
  const material = fen.split(" ")[0]!.replace(/[^a-z]/gi, "");
  return {
    fen,
    material,
    worth: worthOf(reply),
    check: false,
    checkmate: reply.checkmate,
    stalemate: reply.stalemate,
    mutual_zugzwang: undefined,
    moves,
    line,
    ending: undefined,
  };
}

/** All that a source, `browser`, `files` or a server's address, says about a position. */
export function solve(source: string, fen: string): Promise<Solution> {
  if (source === "browser") return solver.call("solve", fen);
  if (source === "files") return call("solveBySyzygy", fen);
  return ask(source, fen);
}

/** Reads Syzygy files and returns their materials. */
export async function addFiles(files: Iterable<File>): Promise<string[]> {
  const materials = new Set<string>();
  for (const file of files) {
    if (!/\.rtb[wz]$/.test(file.name)) throw new Error(`${file.name}: expected .rtbw and .rtbz files`);
    materials.add(await call("addSyzygy", file.name, new Uint8Array(await file.arrayBuffer())));
  }
  return [...materials];
}
