// The view of a position: its setting, its value, its moves, best play, and the table it is in.
import type { MoveWorth, Solution } from "tbindex-wasm";
import { at, makeBoard, placementOf, squaresOf } from "./board";
import { solver } from "./client";
import { byId, fill, h, table } from "./dom";
import { histogram } from "./histogram";
import { addFiles, solve } from "./sources";
import { change, state } from "./state";
import { plies, refusal, verdict } from "./words";

const EXAMPLES: [string, string][] = [
  ["King and pawn", "8/8/8/3k4/8/8/3KP3/8 w - - 0 1"],
  ["Queen against rook", "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1"],
  ["Bishop and knight", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1"],
  ["The trébuchet: nobody wants to move", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"],
  ["Réti's study", "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"],
  ["Underpromotion (Saavedra)", "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1"],
  ["En passant", "8/8/8/8/1Pp5/8/k7/3K4 b - b3 0 1"],
  ["Two knights can't force mate", "8/8/8/3k4/8/8/8/KNN5 w - - 0 1"],
];
const NAMES: Record<string, string> = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const SIDES: [string, string][] = [
  ["w", "White"],
  ["b", "Black"],
];

let board: ReturnType<typeof makeBoard> | undefined;
let legal: { uci: string; fen: string }[] = [];
let brush = "";
let shown = "";
let solution: Solution | undefined;

const fields = () => state.fen.split(" ");

function setFen(fen: string): void {
  change({ fen, ply: "0" }, true);
}

/** The position with other pieces: castling and en passant are gone. */
function setPieces(squares: string[]): void {
  const [, side = "w", , , counter = "0"] = fields();
  setFen(`${placementOf(squares)} ${side} - - ${counter} 1`);
}

function dragged(from: string, to: string): void {
  // A pawn that gets there becomes a queen.
  const move = legal.find(({ uci }) => uci === from + to || uci === `${from}${to}q`);
  if (move && state.ply === "0") {
    setFen(move.fen);
    return;
  }
  const squares = squaresOf(shownFen().split(" ")[0]!);
  squares[at(to)] = squares[at(from)]!;
  squares[at(from)] = "";
  setPieces(squares);
}

function clicked(square: string): void {
  if (!brush) return;
  const squares = squaresOf(fields()[0]!);
  squares[at(square)] = brush === "x" ? "" : brush;
  setPieces(squares);
}

function shownFen(): string {
  const step = solution?.line[Number(state.ply) - 1];
  return solution?.fen === state.fen && step ? step.fen : state.fen;
}

function palette(): HTMLElement {
  const choice = (value: string, label: string, text: string) => {
    const id = `brush-${value || "move"}`;
    const input = h("input", {
      type: "radio",
      name: "brush",
      id,
      value,
      checked: value === brush,
      onchange: () => (brush = value),
    });
    return h("span", {}, input, h("label", { for: id, title: label, "aria-label": label }, text));
  };
  const glyphs = "♔♕♖♗♘♙♚♛♜♝♞♟";
  const pieces = [..."KQRBNPkqrbnp"].map((letter, k) =>
    choice(letter, `Put a ${k < 6 ? "white" : "black"} ${NAMES[letter.toUpperCase()]}`, glyphs[k]! + "\ufe0e"),
  );
  return h(
    "fieldset",
    { class: "palette" },
    h("legend", {}, "A click on the board"),
    choice("", "Moves pieces", "moves"),
    ...pieces,
    choice("x", "Removes pieces", "✕"),
  );
}

function setup(): void {
  const element = h("div", { class: "board" });
  const example = h(
    "select",
    { id: "example", onchange: (event: Event) => setFen((event.target as HTMLSelectElement).value) },
    h("option", { value: "" }, "choose…"),
    ...EXAMPLES.map(([name, fen]) => h("option", { value: fen }, name)),
  );
  const fen = h("input", {
    id: "fen",
    spellcheck: "false",
    autocomplete: "off",
    onchange: () => setFen(fen.value.trim()),
  });
  const counter = h("input", {
    id: "counter",
    type: "number",
    min: 0,
    max: 150,
    onchange: () => {
      const [placement, side, , passant] = fields();
      setFen(`${placement} ${side} - ${passant ?? "-"} ${counter.value || 0} 1`);
    },
  });
  const side = SIDES.map(([value, name]) => {
    const input = h("input", {
      type: "radio",
      name: "side",
      id: `side-${value}`,
      value,
      onchange: () => {
        const [placement, , , , count = "0"] = fields();
        setFen(`${placement} ${value} - - ${count} 1`);
      },
    });
    return h("span", {}, input, h("label", { for: `side-${value}` }, name));
  });
  const source = h(
    "select",
    {
      id: "source",
      onchange: () =>
        change({ source: source.value === "server" ? byId<HTMLInputElement>("server").value : source.value }),
    },
    h("option", { value: "browser" }, "this browser’s solver"),
    h("option", { value: "files" }, "Syzygy files"),
    h("option", { value: "server" }, "a server"),
  );
  const server = h("input", {
    id: "server",
    type: "url",
    value: "http://127.0.0.1:9000",
    onchange: () => change({ source: server.value }),
  });
  const take = async (files: Iterable<File>) => {
    const status = byId("files-status");
    try {
      status.textContent = `Tables: ${(await addFiles(files)).join(", ")}.`;
      change({ source: "files" });
    } catch (error) {
      status.textContent = (error as Error).message;
    }
    shown = "";
    showPosition();
  };
  const files = h("input", {
    id: "files",
    type: "file",
    multiple: true,
    accept: ".rtbw,.rtbz",
    onchange: () => take(files.files ?? []),
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) void take(event.dataTransfer.files);
  });
  fill(
    byId("setup"),
    element,
    h("p", { id: "verdict", class: "verdict", role: "status" }),
    palette(),
    h(
      "div",
      { class: "fields" },
      h("fieldset", {}, h("legend", {}, "To move"), ...side),
      h("div", {}, h("label", { for: "counter" }, "Plies without capture or pawn move "), counter),
      h("div", { class: "wide" }, h("label", { for: "fen" }, "FEN "), fen),
      h("div", {}, h("label", { for: "example" }, "Example "), example),
      h("div", {}, h("label", { for: "source" }, "Answers from "), source),
      h(
        "div",
        { class: "wide", id: "server-field" },
        h(
          "label",
          { for: "server" },
          "Server with lichess’s interface: yours by tbserve, or https://tablebase.lichess.ovh ",
        ),
        server,
      ),
      h(
        "div",
        { class: "wide", id: "files-field" },
        h("label", { for: "files" }, "Files .rtbw and .rtbz (or drop them on the page) "),
        files,
        h("span", { id: "files-status", role: "status" }),
      ),
    ),
  );
  fill(byId("answer"), h("div", { id: "details" }));
  board = makeBoard(element, dragged, clicked);
}

function moveTable(solution: Solution): HTMLElement {
  const rows = solution.moves.map((move) => [
    h("button", { type: "button", onclick: () => setFen(move.fen) }, move.san),
    h(
      "span",
      { class: `result ${move.worth.outcome.includes(" ") ? "draw" : move.worth.outcome}` },
      move.worth.outcome + (move.only ? " · only move" : ""),
    ),
    plies(move.worth.dtm, move.worth.outcome),
    plies(move.worth.dtz, move.worth.outcome),
  ]);
  return h(
    "div",
    { class: "scroll moves", tabindex: 0, role: "region", "aria-label": "Moves" },
    table(
      "All moves, the best first; a click plays one. A ply is a move of one side; zeroing is the next capture or pawn move",
      ["Move", "Result", "Plies to mate", "to zeroing"],
      rows,
    ),
  );
}

function lineOf(solution: Solution): HTMLElement {
  const { line } = solution;
  const go = (ply: number) => change({ ply: String(Math.max(0, Math.min(line.length, ply))) });
  const ply = Number(state.ply);
  const step = (text: string, label: string, to: number, off: boolean) =>
    h("button", { type: "button", "aria-label": label, title: label, disabled: off, onclick: () => go(to) }, text);
  const black = solution.fen.split(" ")[1] === "b" ? 1 : 0;
  const move = ({ san }: MoveWorth, k: number) => {
    const number = Math.floor((k + black) / 2) + 1;
    const before = (k + black) % 2 === 0 ? `${number}. ` : k === 0 ? `${number}… ` : "";
    return h(
      "li",
      {},
      before,
      h(
        "button",
        { type: "button", class: "plain", "aria-current": k + 1 === ply && "step", onclick: () => go(k + 1) },
        san,
      ),
    );
  };
  return h(
    "section",
    { id: "best-play", "aria-label": "Best play" },
    h("h3", {}, "Best play of both sides"),
    h(
      "div",
      { class: "steps" },
      step("«", "Back to the position", 0, ply === 0),
      step("‹", "One move back", ply - 1, ply === 0),
      step("›", "One move on", ply + 1, ply >= line.length),
      step("»", "To the end", line.length, ply >= line.length),
      h("span", { id: "ply" }, `ply ${ply} of ${line.length}`),
    ),
    h("ol", { class: "line" }, ...line.map(move)),
    solution.ending && h("p", {}, `It ends by ${solution.ending}.`),
  );
}

function tableOf(solution: Solution): HTMLElement {
  const place = h("div", { id: "histogram" });
  const details = h(
    "details",
    {
      ontoggle: async () => {
        if (!details.open || place.childElementCount) return;
        fill(place, "Solving the whole table…");
        try {
          fill(place, histogram(await solver.call("counts", solution.material, "dtm")));
        } catch (error) {
          fill(place, (error as Error).message);
        }
      },
    },
    h("summary", {}, `The whole table of ${solution.material}`),
    place,
  );
  return details;
}

function showAnswer(): void {
  if (!solution) return;
  byId("verdict").textContent = verdict(solution);
  const marks = [
    solution.mutual_zugzwang && "Mutual zugzwang: each side would rather have the other one move.",
    solution.moves[0]?.only && `Only ${solution.moves[0].san} keeps the result.`,
  ].filter((mark): mark is string => !!mark);
  fill(
    byId("details"),
    marks.length > 0 && h("ul", { class: "marks" }, ...marks.map((mark) => h("li", {}, mark))),
    solution.moves.length > 0 && moveTable(solution),
    solution.line.length > 0 && lineOf(solution),
    state.source === "browser" && tableOf(solution),
  );
}

export async function showPosition(): Promise<void> {
  if (!board) setup();
  const { fen, source } = state;
  const [placement = "", side = "w", , , counter = "0"] = fields();
  byId<HTMLInputElement>("fen").value = fen;
  byId<HTMLInputElement>("counter").value = counter;
  byId<HTMLInputElement>(`side-${side === "b" ? "b" : "w"}`).checked = true;
  const kind = source === "browser" || source === "files" ? source : "server";
  byId<HTMLSelectElement>("source").value = kind;
  if (kind === "server") byId<HTMLInputElement>("server").value = source;
  byId("server-field").hidden = kind !== "server";
  byId("files-field").hidden = kind !== "files";
  const key = `${source} ${fen}`;
  if (shown === key) {
    // Another step of the line.
    const focus = document.activeElement?.getAttribute("aria-label");
    if (solution?.line.length) byId("best-play").replaceWith(lineOf(solution));
    for (const button of document.querySelectorAll<HTMLButtonElement>(".steps button")) {
      if (focus && button.ariaLabel === focus) button.focus();
    }
    board!.show(shownFen().split(" ")[0]!, solution?.line[Number(state.ply) - 1]?.uci);
    return;
  }
  shown = key;
  solution = undefined;
  legal = [];
  board!.show(placement);
  byId("verdict").textContent = "Solving…";
  fill(byId("details"));
  const slow = setTimeout(
    () =>
      fill(
        byId("details"),
        h(
          "p",
          {},
          "With five pieces or more, unless pawns are blocked, this takes minutes. Another position stops it.",
        ),
      ),
    3000,
  );
  solver.stop();
  byId("answer").ariaBusy = "true";
  try {
    const found = await solve(source, fen);
    clearTimeout(slow);
    if (shown !== key) return;
    solution = found;
    legal = (await solver.call("moves", fen)).moves;
    showAnswer();
    const step = found.line[Number(state.ply) - 1];
    if (step) board!.show(step.fen.split(" ")[0]!, step.uci);
  } catch (error) {
    clearTimeout(slow);
    if (shown !== key) return;
    byId("verdict").textContent = refusal(source, (error as Error).message);
    fill(byId("details"));
  }
  byId("answer").ariaBusy = "false";
}
