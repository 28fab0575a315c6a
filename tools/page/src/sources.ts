// Where answers come from: the solver in this browser, Syzygy files that were dropped, or a server.
import type { LegalMove, MoveWorth, Solution, Work, Worth } from "tbindex-wasm";
import { call, Client, Ended } from "./client";

/** A solution; a server may not know what the position is worth. */
export type Answer = Omit<Solution, "worth"> & { worth?: Worth };

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

/** Solves tables, which may take long, and may be stopped. */
export const solver = new Client();
/** Has the Syzygy files, of which it is told again if it has to begin anew. */
const prober = new Client();
const taken = new Map<string, File>();

function worthOf(reply: Reply): Worth | undefined {
  const outcome = OUTCOMES[reply.category];
  const plies = (distance: number | null) => (distance === null ? undefined : Math.abs(distance));
  const certain = !/maybe|syzygy/.test(reply.category);
  return outcome && { outcome, certain, dtz: plies(reply.dtz), dtm: plies(reply.dtm) };
}

async function get<T>(server: string, path: string, fen: string): Promise<T> {
  const url = `${server.replace(/\/$/, "")}${path}?fen=${encodeURIComponent(fen)}`;
  const reply = await fetch(url).catch(() => {
    throw new Error(`The server ${server} can't be reached.`);
  });
  if (!reply.ok) {
    const text = await reply.text();
    const said = /^\s*(<|$)/.test(text) ? "expected a server with lichess’s interface" : text.slice(0, 200);
    throw new Error(`The server ${server} answers ${reply.status}: ${said}`);
  }
  return reply.json() as Promise<T>;
}

/** The value of a move for the side that makes it. The server says what is left after it. */
function worthOfMove(move: ReplyMove): Worth | undefined {
  const after = worthOf(move);
  return (
    after && {
      ...after,
      outcome: OPPOSITE[after.outcome],
      dtm: after.dtm === undefined ? undefined : after.dtm + 1,
      dtz: after.dtz === undefined ? undefined : move.zeroing ? 1 : after.dtz + 1,
    }
  );
}

/** The answer of a server with lichess's interface. */
async function ask(server: string, fen: string): Promise<Answer> {
  const [reply, mainline, legal] = await Promise.all([
    get<Reply & { moves: ReplyMove[] }>(server, "/standard", fen),
    get<{ mainline: { uci: string }[] }>(server, "/standard/mainline", fen).catch(() => ({ mainline: [] })),
    legalMoves(fen),
  ]);
  const moves = reply.moves.map((move): MoveWorth => {
    const { uci, san, checkmate } = move;
    const after = legal.find((move) => move.uci === uci);
    return { uci, san, worth: worthOfMove(move), only: false, checkmate, fen: after?.fen ?? fen };
  });
  const [first, second] = moves;
  const all = moves.every((move) => move.worth);
  if (first && second && all) first.only = first.worth!.outcome !== second.worth!.outcome;
  const line: MoveWorth[] = [];
  let steps = legal;
  for (const { uci } of mainline.mainline) {
    const step = steps.find((move) => move.uci === uci);
    if (!step) break;
    line.push({ ...step, worth: worthOf(reply), only: false, checkmate: false });
    steps = await legalMoves(step.fen);
  }
  return {
    fen,
    material: fen.split(" ")[0]!.replace(/[^a-z]/gi, ""),
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

/** Whether there is a server with lichess's interface where the page comes from. */
export async function isServedByTables(): Promise<boolean> {
  const kings = "8/8/8/8/8/4k3/8/4K3 w - - 0 1";
  return get(new URL(".", location.href).href, "/standard", kings).then(
    () => true,
    () => false,
  );
}

/** The legal moves of a position of up to 8 pieces. */
export async function legalMoves(fen: string): Promise<LegalMove[]> {
  return (await call("moves", [fen])).moves;
}

/** All that a source, `browser`, `files` or a server's address, says about a position. */
export async function solve(source: string, fen: string, report: (work: Work) => void): Promise<Answer> {
  if (source === "browser") return solver.call("solve", [fen], report);
  if (source !== "files") return ask(source, fen);
  try {
    return await prober.call("solveBySyzygy", [fen]);
  } catch (error) {
    if (error instanceof Ended) await addFiles([...taken.values()]);
    throw error;
  }
}

/** Reads Syzygy files and returns the materials of all that were read. */
export async function addFiles(files: Iterable<File>): Promise<string[]> {
  for (const file of files) {
    if (!/\.rtb[wz]$/.test(file.name)) throw new Error(`${file.name}: expected .rtbw and .rtbz files`);
    await prober.call("addSyzygy", [file.name, new Uint8Array(await file.arrayBuffer())]);
    taken.set(file.name, file);
  }
  return [...new Set([...taken.keys()].map((name) => name.replace(/\.\w+$/, "")))];
}
