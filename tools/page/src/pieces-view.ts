// The view of short-range pieces: the grid to click, the verdict, reach, mates, records.
import type { Mates, PieceFacts, Reach } from "tbindex-wasm";
import { call } from "./client";
import { byId, facts, fill, h, plural, table } from "./dom";
import { heatMap, squareName } from "./heat-map";
import { RECORDS } from "./records";
import { smallBoard } from "./small-board";
import { change, state } from "./state";

/** The masks whose names do not say it, and the free atoms. */
const SETS: Record<string, string> = {
  "checker colour": "squares of its own colour",
  "every other row": "no or two ranks",
  "every other file": "no or two files",
  "three-way A": "one square in three",
  "three-way B": "one square in three",
  "pinwheel 1": "a knight’s moves that turn left: one square in five",
  "pinwheel 2": "a knight’s moves that turn right: one square in five",
  wazir: "one square along a file or rank",
  crab: "half of a knight’s moves",
  Y: "one square diagonally forward, or one straight back",
};

let mateStep = 0;
let matesOf = "";
let ready = false;

/** The bit of the step so many files and ranks away: squares are numbered row by row from the upper left, without the middle. */
function bitOf(files: number, ranks: number): number {
  const cell = (2 - ranks) * 5 + files + 2;
  return cell < 12 ? cell : cell - 1;
}

function toggle(piece: PieceFacts, bit: number): void {
  change({ piece: `0x${(piece.bits ^ (1 << bit)).toString(16)}` });
}

function grid(piece: PieceFacts): HTMLElement {
  const rows = [2, 1, 0, -1, -2].map((ranks) =>
    h(
      "div",
      { role: "presentation", class: "grid-row" },
      ...[-2, -1, 0, 1, 2].map((files) => {
        if (!files && !ranks) return h("span", { class: "middle", "aria-hidden": "true" }, "X");
        const bit = bitOf(files, ranks);
        const on = (piece.bits >> bit) & 1;
        const words = [
          ranks && `${Math.abs(ranks)} ${ranks > 0 ? "forward" : "back"}`,
          files && `${Math.abs(files)} ${files > 0 ? "right" : "left"}`,
        ]
          .filter(Boolean)
          .join(", ");
        return h(
          "button",
          {
            type: "button",
            id: `step-${bit}`,
            "aria-pressed": on ? "true" : "false",
            "aria-label": words,
            onclick: () => toggle(piece, bit),
          },
          on ? "●" : "",
        );
      }),
    ),
  );
  return h(
    "div",
    { class: "grid5", role: "group", "aria-label": "Moves of the piece, which stands in the middle" },
    ...rows,
  );
}

function verdictOf(piece: PieceFacts, reach: Reach): HTMLElement {
  const { width, height } = state;
  const board =
    reach.diameter === undefined
      ? `On the ${width}×${height} board some squares are never reached from others.`
      : `On the ${width}×${height} board any square is reached from any other in at most ${plural(reach.diameter, "move")}.`;
  const explained = (names: string[]) =>
    names.map((name) => (SETS[name] ? `${name} (${SETS[name]})` : name)).join(", ") || "none";
  const rows: [string, string][] = [
    ["Betza", piece.betza ?? "none"],
    ["Number", piece.number],
    ["Squares", piece.squares.replaceAll(",", ", ") || "none"],
    ["Moves", String(piece.moves.length)],
    ["Within the masks", explained(piece.masks)],
    ["Has the free atoms", explained(piece.free_atoms)],
    [
      "Colours it keeps to",
      piece.colours === undefined
        ? "–"
        : piece.colours === 1
          ? "none, it sees all squares"
          : `one of ${piece.colours}${piece.colouring ? ` (${piece.colouring})` : ""}`,
    ],
    ["Directions it never goes", piece.never_makes.join(", ") || "none"],
  ];
  return h(
    "div",
    {},
    h("p", { class: "verdict", id: "piece-verdict", role: "status" }, piece.reason),
    h("p", {}, board),
    facts(rows),
    h(
      "p",
      { class: "note" },
      "A mask is a published set of moves that binds every piece without other moves. A free atom is a published set of moves that lets every piece that has them get everywhere.",
    ),
  );
}

function reachOf(piece: PieceFacts, reach: Reach, width: number, from: number): HTMLElement {
  const most = Math.max(1, reach.farthest);
  const go = (square: number) => change({ from: squareName(square, width) });
  const distances = reach.distances.map((moves) =>
    moves < 0
      ? { text: "×", name: "not reached" }
      : { text: String(moves), share: moves / most, name: plural(moves, "move") },
  );
  const start = squareName(from, width);
  return h(
    "section",
    {},
    h("h3", {}, "Reach and distances"),
    h(
      "p",
      {},
      `From ${start} it reaches ${reach.reached} of ${reach.distances.length} squares, the farthest in ${plural(reach.farthest, "move")}. Click a square to begin there.`,
    ),
    h(
      "div",
      { class: "columns" },
      heatMap(`Moves from ${start} (× never)`, distances, width, go),
      reach.colours && (piece.colours ?? 1) > 1
        ? heatMap(
            "Colours that no move changes",
            reach.colours.map((colour) => ({ text: String(colour), colour, name: `colour ${colour}` })),
            width,
          )
        : reach.component_count > 1 &&
            heatMap(
              `${reach.component_count} sets of squares that lead to each other`,
              reach.components.map((set) => ({ text: String(set), colour: set, name: `set ${set}` })),
              width,
            ),
    ),
  );
}

function mateLine(mates: Mates, width: number, show: () => void): HTMLElement {
  const { line } = mates;
  const step = line[mateStep]!;
  const squares = Array<string>(Number(state.width) * Number(state.height)).fill("");
  const put = (square: number, letter: string) => {
    const [file, rank] = [square % width, Math.floor(square / width)];
    squares[(Number(state.height) - 1 - rank) * width + file] = letter;
  };
  put(step.piece, "X");
  put(step.white_king, "K");
  put(step.black_king, "k");
  const go = (text: string, label: string, to: number, off: boolean) =>
    h(
      "button",
      {
        type: "button",
        id: `mate-${label.replaceAll(" ", "-")}`,
        "aria-label": label,
        "aria-disabled": String(off),
        onclick: () => {
          if (off) return;
          mateStep = to;
          show();
        },
      },
      text,
    );
  const where = `King ${squareName(step.white_king, width)}, piece ${squareName(step.piece, width)}, black king ${squareName(step.black_king, width)}`;
  return h(
    "div",
    {},
    h(
      "div",
      { class: "steps" },
      go("«", "first position", 0, !mateStep),
      go("‹", "one ply back", mateStep - 1, !mateStep),
      go("›", "one ply on", mateStep + 1, mateStep === line.length - 1),
      go("»", "the mate", line.length - 1, mateStep === line.length - 1),
      h("span", {}, `ply ${mateStep} of ${line.length - 1}${step.san ? `: ${step.san}` : ""}`),
    ),
    h("div", { role: "img", "aria-label": where, class: "mate-board" }, smallBoard(squares, width)),
    h(
      "p",
      { class: "note" },
      `${where}. ${step.black_to_move ? "Black" : "White"} to move${step.plies === undefined ? "" : `, mate in ${step.plies} plies`}.`,
    ),
  );
}

async function matesSection(mates: Mates, width: number, height: number, show: () => void): Promise<HTMLElement> {
  const percent = (part: number, whole: number) =>
    `${part.toLocaleString("en")} of ${whole.toLocaleString("en")} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;
  const rest = mates.legal_white - mates.wins_white;
  const answer = !mates.mates
    ? "King and piece have no checkmate."
    : !mates.wins_white
      ? "There are checkmates, but White can’t force one."
      : !rest
        ? "White to move wins from everywhere."
        : `White to move wins ${(100 * mates.share).toFixed(1)} % of the positions; in the others the piece is lost, or no mate can be forced.`;
  const section = h(
    "section",
    {},
    h("h3", {}, "Mates with the king against the bare king"),
    h("p", { class: "verdict", id: "mate-verdict" }, answer),
  );
  if (!mates.line.length) return section;
  const step = mates.line[mateStep]!;
  const plies = await call("mateMap", [state.piece, width, height, step.white_king, step.piece]);
  // From the shortest mate here to the longest; draws are lighter.
  const shown = plies.filter((ply) => ply >= 0);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  const cells = [...plies].map((ply, square) => {
    if (square === step.white_king) return { text: "K", name: "the white king" };
    if (square === step.piece) return { text: "X", name: "the piece" };
    return ply === -2
      ? { text: "", name: "no place for the black king" }
      : ply === -1
        ? { text: "½", share: 0, name: "a draw" }
        : {
            text: String(ply),
            share: 0.15 + (0.85 * (ply - least)) / (most - least || 1),
            name: `mate in ${ply} plies`,
          };
  });
  section.append(
    facts([
      ["Checkmates", mates.mates.toLocaleString("en")],
      ["White to move wins", percent(mates.wins_white, mates.legal_white)],
      ["Black to move loses", percent(mates.losses_black, mates.legal_black)],
      ["Longest mate", `${plural(mates.longest, "ply")}, ${plural(Math.ceil(mates.longest / 2), "move")} of White`],
    ]),
    h(
      "div",
      { class: "columns" },
      mateLine(mates, width, show),
      heatMap(
        "Plies to mate by the square of the black king, who is to move (½ a draw, empty where it can’t stand)",
        cells,
        width,
      ),
    ),
  );
  return section;
}

function records(): HTMLElement {
  const show = (piece: string) => () => change({ piece, width: "8", height: "8", from: "" }, true);
  const rows = RECORDS.map(({ title, piece, fact }, k) => [
    title,
    h("button", { type: "button", id: `record-${k}`, onclick: show(piece) }, piece),
    fact,
  ]);
  const caption = "On the chessboard, with the king against the bare king; found by tbindex fairy census --mates";
  return h(
    "details",
    {},
    h("summary", {}, `${RECORDS.length} records of the census of all 16 777 216 pieces`),
    h("div", { class: "scroll" }, table(caption, ["Record", "Piece", "Result"], rows)),
  );
}

const input = (id: string) => byId<HTMLInputElement>(id);

function setUp(): void {
  ready = true;
  const named = byId<HTMLSelectElement>("named");
  void call("namedPieces", []).then(({ pieces }) => {
    named.append(...pieces.map(([name, betza]) => h("option", { value: name }, `${name} (${betza})`)));
  });
  named.onchange = () => named.value && change({ piece: named.value }, true);
  input("piece").onchange = () => change({ piece: input("piece").value }, true);
  for (const id of ["width", "height"]) input(id).onchange = () => change({ [id]: input(id).value, from: "" });
  input("from").onchange = () => change({ from: input("from").value });
  fill(byId("records"), records());
}

/** The number of the square where the piece begins: in the middle, if none is chosen. */
function start(width: number, height: number): number {
  const { from } = state;
  if (!from) return Math.floor((height - 1) / 2) * width + Math.floor(width / 2);
  const [file, rank] = [from.charCodeAt(0) - 97, Number(from.slice(1)) - 1];
  if (file >= width || rank >= height) throw new Error(`${from} is no square of the ${width}×${height} board.`);
  return rank * width + file;
}

export async function showPieces(): Promise<void> {
  if (!ready) setUp();
  const { piece } = state;
  const [width, height] = [Number(state.width), Number(state.height)];
  for (const id of ["piece", "width", "height", "from"] as const) input(id).value = state[id];
  const key = `${piece} ${width}x${height}`;
  if (matesOf !== key) mateStep = 0;
  matesOf = key;
  const asked = state;
  try {
    const found = await call("piece", [piece]);
    const from = start(width, height);
    const reach = await call("reach", [piece, width, height, from]);
    if (asked !== state) return;
    input("from").value = squareName(from, width);
    fill(byId("grid"), grid(found));
    fill(byId("facts"), verdictOf(found, reach));
    fill(byId("reach"), reachOf(found, reach, width, from));
    if (width * height > 64) {
      fill(byId("mates"), h("p", {}, "Mates are solved on boards of up to 64 squares."));
      return;
    }
    const mates = await call("mates", [piece, width, height]);
    const show = async () => {
      const section = await matesSection(mates, width, height, show);
      if (asked === state) fill(byId("mates"), section);
    };
    await show();
  } catch (error) {
    // Behind the first line a mark points at a letter, which needs a terminal.
    const [message] = (error as Error).message.split("\n");
    fill(byId("facts"), h("p", { class: "verdict", role: "status" }, message));
    fill(byId("reach"));
    fill(byId("mates"));
  }
}
