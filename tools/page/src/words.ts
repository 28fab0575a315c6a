// Values in words.
import type { Solution, Worth } from "tbindex-wasm";
import { plural } from "./dom";

const RESULT: Record<Worth["outcome"], string> = {
  win: "wins",
  "cursed win": "could win but for the fifty-move rule: a draw",
  draw: "draws",
  "blessed loss": "is saved by the fifty-move rule: a draw",
  loss: "loses",
};

/** What the side to move can reach, in one sentence, and in how many moves. */
export function verdict(solution: Solution): string {
  const [, turn] = solution.fen.split(" ");
  const [side, other] = turn === "w" ? ["White", "Black"] : ["Black", "White"];
  if (solution.checkmate) return `${side} is checkmated: ${other} has won.`;
  if (solution.stalemate) return `${side} is stalemated: a draw.`;
  const { outcome, dtm, dtz, certain } = solution.worth;
  const perhaps = certain ? "" : " Distances are rounded, so the fifty-move rule may change that.";
  if (outcome === "draw") return `${side} to move: a draw with best play.${perhaps}`;
  const without = outcome.includes(" ") ? " Without that rule:" : "";
  const mate = dtm
    ? `${without} Mate in ${plural(Math.ceil(dtm / 2), "move")} (${plural(dtm, "ply")}).`.replace(": Mate", ": mate")
    : "";
  const zeroing = dtz && dtz !== dtm ? ` A capture, a pawn move or mate can be forced in ${plural(dtz, "ply")}.` : "";
  return `${side} to move ${RESULT[outcome]}.${mate}${zeroing}${perhaps}`;
}

/** Why there is no answer, and what helps. */
export function refusal(source: string, message: string): string {
  const [, material] = /table of (\w+) is needed/.exec(message) ?? [];
  if (material)
    return `The files ${material}.rtbw and ${material}.rtbz are needed: choose them below, or drop them here.`;
  return source === "browser" && /memory|pieces:/.test(message)
    ? "These pieces are too many for the solver in this browser. Under “Answers from”, choose a server and give its address, or choose Syzygy files; they can also be dropped on this page."
    : message;
}

export function plies(distance: number | undefined, outcome: Worth["outcome"]): string {
  return distance === undefined || outcome === "draw" ? "–" : String(distance);
}
