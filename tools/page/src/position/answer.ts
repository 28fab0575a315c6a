// The knowledge about the position that is shown, and best play.
import type { MoveWorth, Worth } from "tbindex-wasm";
import { Client } from "../client";
import { byId, fill, h, table } from "../dom";
import { histogram } from "../histogram";
import type { Answer } from "../sources";
import { state } from "../state";
import { plies } from "../words";
import { workPlace } from "../work";
import { goTo, play, shown } from "./shown";

/** Counts whole tables, beside answers for positions. */
const counter = new Client();

const colour = (worth?: Worth) => (!worth || worth.outcome.includes(" ") ? "draw" : worth.outcome);

function moveTable({ moves }: Answer): HTMLElement {
  const rows = moves.map((move, k) => {
    const { san, worth, only } = move;
    return [
      h("button", { type: "button", id: `move-${k}`, onclick: () => play(move) }, san),
      h("span", { class: `result ${colour(worth)}` }, `${worth?.outcome ?? "unknown"}${only ? " · only move" : ""}`),
      plies(worth?.dtm, worth?.outcome),
      plies(worth?.dtz, worth?.outcome),
    ];
  });
  const caption = "All moves, the best first, in plies that count the move; a click plays one";
  return h("div", { class: "moves" }, table(caption, ["Move", "Result", "DTM", "DTZ"], rows));
}

const ENDINGS: Record<string, string> = {
  checkmate: "It ends by checkmate.",
  "fifty moves": "It ends by the fifty-move rule.",
  stalemate: "It ends by stalemate.",
  "insufficient material": "It ends because no side has the pieces to mate.",
  repetition: "From there it may go round in circles.",
};

function bestPlay(root: Answer): HTMLElement {
  const drawn = root.worth?.outcome === "draw";
  const [, side, , , , number] = state.fen.split(" ");
  const black = Number(side === "b");
  const move = ({ san }: MoveWorth, k: number) => {
    const count = (Number(number) || 1) + Math.floor((k + black) / 2);
    const before = (k + black) % 2 === 0 ? `${count}. ` : k === 0 ? `${count}… ` : "";
    const current = k + 1 === shown.ply && "step";
    const onclick = () => goTo(k + 1);
    return h(
      "li",
      {},
      before,
      h("button", { type: "button", id: `line-${k}`, class: "plain", "aria-current": current, onclick }, san),
    );
  };
  const none = drawn
    ? "Any move that draws is as good as another."
    : "Nobody tells the way: no exact distances are known, or a table is missing.";
  const end = ENDINGS[root.ending ?? ""] ?? "Play may go on in the same way.";
  return h(
    "section",
    { "aria-labelledby": "line-title" },
    h("h3", { id: "line-title" }, drawn ? "Play that holds the draw" : "Best play of both sides"),
    h("ol", { class: "line" }, ...root.line.map(move)),
    h("p", {}, root.line.length ? (root.ending || drawn) && end : none),
  );
}

let whole = { material: "", element: h("details") };

/** The table that has the position. It stays as it is from position to position. */
function wholeTable(material: string): HTMLElement {
  if (whole.material === material) return whole.element;
  const work = workPlace(() => counter.stop());
  const place = h("div", { id: "histogram" });
  const count = async () => {
    fill(place, "Solving the whole table…");
    try {
      fill(place, histogram(await counter.call("counts", [material, "dtm"], work.tell)));
    } catch (error) {
      const again = h("button", { type: "button", onclick: count }, "Try again");
      fill(place, h("p", {}, (error as Error).message), again);
    }
    work.done();
  };
  const ontoggle = () => element.open && !place.hasChildNodes() && count();
  const element = h("details", { ontoggle }, h("summary", {}, `The whole table of ${material}`), work.place, place);
  counter.stop();
  whole = { material, element };
  return element;
}

/** Fills the place of the answer. */
export function showAnswer(): void {
  const { answer, root } = shown;
  if (!answer || !root) return;
  const marks = [
    answer.mutual_zugzwang && "Mutual zugzwang: each side would rather have the other one move.",
    answer.moves[0]?.only && `Only ${answer.moves[0].san} keeps the result.`,
  ].filter((mark): mark is string => !!mark);
  fill(
    byId("answer"),
    marks.length > 0 && h("ul", { class: "marks" }, ...marks.map((mark) => h("li", {}, mark))),
    answer.moves.length > 0 && moveTable(answer),
    root.moves.length > 0 && bestPlay(root),
    state.source === "browser" && wholeTable(answer.material),
  );
}
