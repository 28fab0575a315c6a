// Hands on the board: moves are played, and while “Edit the board” is open, pieces are put anywhere.
import type { Hands } from "../board";
import { byId, fill, h } from "../dom";
import { at, cleared, isPlacement, pieceName, placementOf, squaresOf, swapColours } from "../placement";
import { pieceImage } from "../small-board";
import { change, state } from "../state";
import { play, setFen, shown } from "./shown";

const REMOVE = "x";
let brush = "";

const isEditing = () => byId<HTMLDetailsElement>("editing").open;

function say(text: string): void {
  byId("word").textContent = text;
}

/** The pieces on the squares, a8 first; a board that can't be read is empty. */
function pieces(): string[] {
  const [placement = ""] = shown.fen.split(" ");
  return isPlacement(placement) ? squaresOf(placement) : Array<string>(64).fill("");
}

/** The position with other pieces: the right to capture en passant is gone. */
function setPieces(squares: string[]): void {
  const [, side, castling, , ...counts] = shown.fen.split(" ");
  setFen([placementOf(squares), side, castling, "-", ...counts].join(" "));
}

/** Asks what a pawn becomes. Without an answer it stays where it is. */
function promote(moves: { uci: string; fen: string }[]): void {
  const dialog = byId<HTMLDialogElement>("promotion");
  dialog.returnValue = "";
  dialog.onclose = () => {
    const move = moves.find(({ uci }) => uci.endsWith(dialog.returnValue || "none"));
    if (!move) return change({});
    play(move);
    say(`The pawn becomes a ${pieceName(dialog.returnValue).replace(/^\w+ /, "")}.`);
  };
  dialog.showModal();
}

function put(from: string, to?: string): (() => void) | undefined {
  const squares = pieces();
  const name = pieceName(squares[at(from)]!);
  if (isEditing()) {
    return () => {
      if (to) squares[at(to)] = squares[at(from)]!;
      squares[at(from)] = "";
      say(to ? `The ${name} is put on ${to}.` : `The ${name} is removed.`);
      setPieces(squares);
    };
  }
  const moves = to ? (shown.answer?.moves ?? shown.legal).filter(({ uci }) => uci.startsWith(from + to)) : [];
  const [move] = moves;
  if (moves.length > 1) return () => promote(moves);
  if (move) {
    return () => {
      say("");
      play(move);
    };
  }
  say(
    to
      ? `${name} ${from}–${to} is no legal move. “Edit the board” lets you put pieces anywhere.`
      : "“Edit the board” lets you remove pieces.",
  );
  return undefined;
}

function click(square: string): boolean {
  if (!isEditing() || !brush) return false;
  const squares = pieces();
  squares[at(square)] = brush === REMOVE ? "" : brush;
  setPieces(squares);
  return true;
}

export const hands: Hands = { put, click, say };

function choice(value: string, label: string, shown: Node | string): HTMLElement {
  const id = `brush-${value || "none"}`;
  const onchange = () => (brush = value);
  const checked = value === brush;
  const input = h("input", { type: "radio", name: "brush", id, value, checked, onchange, "aria-label": label });
  const words = typeof shown === "string" && "words";
  return h("span", { class: words }, input, h("label", { for: id, title: label }, shown));
}

export function setUpEditing(): void {
  fill(
    byId("palette"),
    h("legend", {}, "A click on a square"),
    choice("", "Moves pieces", "moves"),
    choice(REMOVE, "Removes pieces", "removes"),
    ...[..."KQRBNPkqrbnp"].map((letter) => choice(letter, `Puts a ${pieceName(letter)}`, pieceImage(letter))),
  );
  const help = "Drags put pieces anywhere, and remove them off the board. Close “Edit the board” to play moves.";
  byId("editing").addEventListener("toggle", () => say(isEditing() ? help : ""));
  byId("clear").onclick = () => setFen(cleared(shown.fen));
  byId("swap").onclick = () => setFen(swapColours(shown.fen));
  byId("turn").onclick = () => change({ below: state.below === "white" ? "black" : "white" });
}
