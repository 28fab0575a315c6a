// Values in words.
import type { Work, Worth } from "tbindex-wasm";
import { plural } from "./dom";
import type { Answer } from "./sources";

const RESULT: Record<Worth["outcome"], string> = {
  win: "wins",
  "cursed win": "could win but for the fifty-move rule: a draw",
  draw: "draws",
  "blessed loss": "is saved by the fifty-move rule: a draw",
  loss: "loses",
};

/** The best that the side to move can reach, in one sentence, and in how many moves. */
export function verdict(answer: Answer): string {
  const [, turn] = answer.fen.split(" ");
  const [side, other] = turn === "b" ? ["Black", "White"] : ["White", "Black"];
  if (answer.checkmate) return `${side} is checkmated: ${other} has won.`;
  if (answer.stalemate) return `${side} is stalemated: a draw.`;
  if (!answer.worth) return `${side} to move: the server does not know what it can reach.`;
  const { outcome, dtm, dtz, certain } = answer.worth;
  const perhaps = certain ? "" : " No exact distance is known, so the fifty-move rule may change that.";
  if (outcome === "draw") return `${side} to move: a draw with best play.${perhaps}`;
  const without = outcome.includes(" ") ? " Without that rule:" : "";
  const moves = dtm && `ate in ${plural(Math.ceil(dtm / 2), "move")} (DTM ${plural(dtm, "ply")}).`;
  const mate = moves ? `${without} ${without ? "m" : "M"}${moves}` : "";
  const zeroing = dtz && dtz !== dtm ? ` Next capture, pawn move or mate in ${plural(dtz, "ply")} (DTZ).` : "";
  return `${side} to move ${RESULT[outcome]}.${mate}${zeroing}${perhaps}`;
}

const ELSEWHERE =
  "Under “Answers from”, choose a server and give its address, or choose Syzygy files; they can also be dropped on this page.";

/** So many MiB, in TiB or GiB if there are many. */
function memory(mebibytes: number): string {
  for (const [unit, size] of [["TiB", 2 ** 20], ["GiB", 2 ** 10]] as const) {
    if (mebibytes >= 10 * size) return `${Math.ceil(mebibytes / size).toLocaleString("en")} ${unit}`;
  }
  return `${mebibytes.toLocaleString("en")} MiB`;
}

/** Why there is no answer, and what helps. */
export function refusal(source: string, message: string): string {
  const [, material] = /table of (\w+) is needed/.exec(message) ?? [];
  if (material)
    return `The files ${material}.rtbw and ${material}.rtbz are needed: choose them below, or drop them here.`;
  const sentence = `${message[0]?.toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
  if (source !== "browser") return sentence;
  const [, needed, limit] = /needs up to (.+) of memory to solve: expected at most (.+)/.exec(message) ?? [];
  const many = "Too many pieces for the solver in this browser";
  const readable = needed?.replace(/^(\d+) MiB$/, (_, mebibytes) => memory(Number(mebibytes)));
  if (needed) return `${many}: it would need up to ${readable} of memory, and takes at most ${limit}. ${ELSEWHERE}`;
  return sentence;
}

export function plies(distance: number | undefined, outcome: Worth["outcome"] | undefined): string {
  return distance === undefined || outcome === "draw" ? "–" : String(distance);
}

/** How far the work on tables is. */
export function progress({ material, metric, plies, table, tables, memory }: Work): string {
  const distance = metric === "dtm" ? "mate" : "zeroing";
  const mebibytes = Math.ceil(memory / 2 ** 20).toLocaleString("en");
  const now = `Table ${table} of at most ${tables}: ${material} by the distance to ${distance}, ply ${plies}.`;
  return `${now} All take at most ${mebibytes} MiB of memory.`;
}
