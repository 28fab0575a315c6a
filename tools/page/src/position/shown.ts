// The position that is shown: one of the best line of the address's position.
import type { LegalMove } from "tbindex-wasm";
import { numbered } from "../placement";
import type { Answer } from "../sources";
import { change, state } from "../state";

interface Shown {
  fen: string;
  /** The moves of the best line that were made. */
  ply: number;
  /** About the first position of the line. */
  root?: Answer;
  /** About the position itself. */
  answer?: Answer;
  legal: LegalMove[];
}

export const shown: Shown = { fen: state.fen, ply: 0, legal: [] };

/** Shows another position. */
export function setFen(fen: string): void {
  change({ fen, ply: "0" }, true);
}

/** Shows the position after a move. */
export function play(move: { fen: string }): void {
  setFen(numbered(move.fen, shown.fen));
}

/** Shows another position of the line. */
export function goTo(ply: number): void {
  change({ ply: String(Math.max(0, Math.min(shown.root?.line.length ?? 0, ply))) });
}
