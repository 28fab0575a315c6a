// The view of a position: its setting, its value, its moves, and best play.
import { makeBoard } from "../board";
import { Ended } from "../client";
import { byId, fill, h } from "../dom";
import { numbered } from "../placement";
import { addFiles, isServedByTables, legalMoves, solve, solver } from "../sources";
import { change, state } from "../state";
import { refusal, verdict } from "../words";
import { workPlace } from "../work";
import { showAnswer } from "./answer";
import { hands, setUpEditing } from "./editing";
import { goTo, setFen, shown } from "./shown";

/** The milliseconds after which an answer that is not there yet is announced. */
const SLOW = 300;

let board: ReturnType<typeof makeBoard> | undefined;
/** The source and the position that were asked last. */
let asked = "";
let request = 0;
const work = workPlace(() => solver.stop());

const input = (id: string) => byId<HTMLInputElement>(id);
const select = (id: string) => byId<HTMLSelectElement>(id);

/** The fields of the shown FEN with another one. */
function setField(number: number, value: string): void {
  const fields = shown.fen.split(" ");
  fields[number] = value;
  if (number === 1) fields[3] = "-";
  setFen(fields.join(" "));
}

async function take(files: Iterable<File>): Promise<void> {
  const status = byId("files-status");
  try {
    status.textContent = `Tables: ${(await addFiles(files)).join(", ")}.`;
  } catch (error) {
    status.textContent = (error as Error).message;
  }
  asked = "";
  change({ source: "files" });
}

async function chooseSource(source: string): Promise<void> {
  if (source !== "server") {
    change({ source });
    return;
  }
  const own = await isServedByTables();
  if (own) input("server").value = new URL(".", location.href).href;
  change({ source: input("server").value });
}

function setUp(): void {
  board = makeBoard(byId("board"), hands);
  setUpEditing();
  byId("solving").append(work.place);
  select("example").onchange = ({ target }) => {
    const { value } = target as HTMLSelectElement;
    if (value) setFen(value);
  };
  input("fen").onchange = () => setFen(input("fen").value);
  input("counter").onchange = () => setField(4, input("counter").value || "0");
  for (const side of ["w", "b"]) input(`side-${side}`).onchange = () => setField(1, side);
  select("source").onchange = () => void chooseSource(select("source").value);
  input("server").onchange = () => change({ source: input("server").value });
  input("files").onchange = () => void take(input("files").files ?? []);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) void take(event.dataTransfer.files);
  });
  const steps = { first: () => 0, back: () => shown.ply - 1, on: () => shown.ply + 1, last: () => Infinity };
  for (const [id, ply] of Object.entries(steps)) byId(id).onclick = () => goTo(ply());
}

/** Shows the board and the fields of a position of the line; answers come later. */
function showPlaced(fen: string, ply: number, move?: string): void {
  const [placement = "", side, , , counter] = fen.split(" ");
  Object.assign(shown, { fen, ply, answer: undefined, legal: [] });
  board!.show(placement, state.below, move);
  input("fen").value = fen;
  input("counter").value = counter!;
  input(`side-${side === "b" ? "b" : "w"}`).checked = true;
  const last = shown.root?.line.length ?? 0;
  byId("ply").textContent = last ? `${ply} of ${last}` : "";
  for (const [id, ends] of Object.entries({ first: 0, back: 0, on: last, last })) {
    byId(id).ariaDisabled = String(ply === ends);
  }
  legalMoves(fen).then(
    (legal) => {
      if (shown.fen === fen) shown.legal = legal;
    },
    () => undefined,
  );
}

function showSource(): void {
  const kind = /^http/.test(state.source) ? "server" : state.source;
  select("source").value = kind;
  if (kind === "server") input("server").value = state.source;
  byId("server-field").hidden = kind !== "server";
  byId("files-field").hidden = kind !== "files";
}

/** Says why there is no answer. Where the solver ended it can be asked again. */
function showRefusal(error: Error): void {
  byId("verdict").textContent = refusal(state.source, error.message);
  const again = () => {
    asked = "";
    change({});
  };
  fill(byId("answer"), error instanceof Ended && h("button", { type: "button", id: "again", onclick: again }, "Try again"));
}

export async function showPosition(): Promise<void> {
  if (!board) setUp();
  const { fen, source } = state;
  const mine = ++request;
  const isOver = () => mine !== request;
  showSource();
  const key = `${source} ${fen}`;
  if (asked !== key) {
    solver.stop();
    asked = key;
    shown.root = undefined;
  }
  const slow = setTimeout(() => {
    byId("verdict").textContent = "Solving…";
    fill(byId("answer"));
  }, SLOW);
  byId("answer").ariaBusy = "true";
  try {
    if (!shown.root) {
      showPlaced(fen, 0);
      const root = await solve(source, fen, (step) => asked === key && work.tell(step));
      if (isOver()) return;
      shown.root = root;
    }
    const { line } = shown.root;
    const ply = Math.min(Number(state.ply), line.length);
    const step = line[ply - 1];
    showPlaced(step ? numbered(step.fen, fen, ply) : fen, ply, step?.uci);
    const answer = step ? await solve(source, shown.fen, work.tell) : shown.root;
    if (isOver()) return;
    shown.answer = answer;
    byId("verdict").textContent = verdict(answer);
    showAnswer();
  } catch (error) {
    if (isOver()) return;
    showRefusal(error as Error);
  } finally {
    clearTimeout(slow);
    if (!isOver()) {
      work.done();
      byId("answer").ariaBusy = "false";
      // “Stop” is gone with the focus.
      if (document.activeElement === document.body) document.getElementById("again")?.focus({ preventScroll: true });
    }
  }
}
