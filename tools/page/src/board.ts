// The board to drag pieces on, with a cursor for the keyboard.
import { BORDER_TYPE, Chessboard, INPUT_EVENT_TYPE } from "cm-chessboard/src/Chessboard.js";
import { MARKER_TYPE, Markers } from "cm-chessboard/src/extensions/markers/Markers.js";
import { at, isPlacement, pieceName, squaresOf } from "./placement";

const EMPTY = "8/8/8/8/8/8/8/8";
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
const HELP = "Arrows choose a square, Enter picks a piece up and puts it down, Delete removes it.";
/** The pixels that a pointer moves at least in a drag. */
const DRAG = 4;

/** The actions on pieces. */
export interface Hands {
  /** Puts a piece from a square to another, or off the board; nothing if it is refused. */
  put(from: string, to?: string): (() => void) | undefined;
  /** Whether a click on a square, or Enter, does something of its own, and does it. */
  click(square: string): boolean;
  say(text: string): void;
}

export interface Board {
  /** Shows a placement with a side below, and marks the squares of a move. */
  show(placement: string, below: string, move?: string): void;
}

export function makeBoard(element: HTMLElement, hands: Hands): Board {
  const url = (name: string) => new URL(name, import.meta.url).href;
  const animationDuration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150;
  const board = new Chessboard(element, {
    assetsUrl: "./",
    style: { pieces: { file: url("pieces.svg") }, borderType: BORDER_TYPE.none, animationDuration },
    extensions: [{ class: Markers, props: { sprite: url("markers.svg"), autoMarkers: MARKER_TYPE.frame } }],
  });
  let squares = squaresOf(EMPTY);
  const svg = element.querySelector("svg")!;
  const act = (action: (() => void) | undefined) => {
    // The board ends its own part of a move first.
    if (action) setTimeout(action);
    return !!action;
  };
  // A drag that ends where it began is no click.
  let pressed: { square: string; x: number; y: number } | undefined;
  board.enableMoveInput((event) => {
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput) return act(hands.put(event.squareFrom, event.squareTo));
    if (event.reason === "movedOutOfBoard") act(hands.put(event.squareFrom));
    return true;
  });
  element.addEventListener("pointerdown", ({ target, clientX: x, clientY: y, button }) => {
    const square = (target as Element).getAttribute("data-square");
    pressed = square && button === 0 ? { square, x, y } : undefined;
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (pressed && Math.hypot(clientX - pressed.x, clientY - pressed.y) > DRAG) pressed = undefined;
  });
  for (const type of ["pointerleave", "pointercancel"]) element.addEventListener(type, () => (pressed = undefined));
  element.addEventListener("pointerup", () => {
    if (pressed && hands.click(pressed.square)) act(() => board.cancelMoveInput());
    pressed = undefined;
  });
  keys();
  return {
    show(placement, below, move = "") {
      const shown = isPlacement(placement) ? placement : EMPTY;
      squares = squaresOf(shown);
      void board.setPosition(shown, true);
      if (board.getOrientation() !== below[0]) void board.setOrientation(below[0]!);
      board.removeMarkers(MARKER_TYPE.square);
      for (const square of move ? [move.slice(0, 2), move.slice(2, 4)] : [])
        board.addMarker(MARKER_TYPE.square, square);
      const square = (k: number) => `${"abcdefgh"[k % 8]}${8 - (k >> 3)}`;
      const men = squares.flatMap((letter, k) => (letter ? [`${pieceName(letter)} ${square(k)}`] : []));
      svg.setAttribute("aria-label", `Board: ${men.join(", ") || "empty"}.`);
    },
  };

  /** A cursor on the board. */
  function keys(): void {
    let [file, rank] = [4, 3];
    let picked = "";
    const square = () => `${"abcdefgh"[file]}${rank + 1}`;
    const name = (square: string) => `${square}: ${squares[at(square)] ? pieceName(squares[at(square)]!) : "empty"}`;
    const mark = (shown: boolean) => {
      board.removeMarkers(MARKER_TYPE.framePrimary);
      board.removeMarkers(MARKER_TYPE.circlePrimary);
      if (shown) board.addMarker(MARKER_TYPE.framePrimary, square());
      if (shown && picked) board.addMarker(MARKER_TYPE.circlePrimary, picked);
    };
    const enter = () => {
      const here = square();
      if (picked) {
        const from = picked;
        picked = "";
        if (from !== here) act(hands.put(from, here));
      } else if (!hands.click(here) && squares[at(here)]) {
        picked = here;
        hands.say(`${name(here)}: choose where it goes.`);
      }
    };
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.id = "squares";
    svg.addEventListener("focus", () => {
      if (!svg.matches(":focus-visible")) return;
      mark(true);
      hands.say(`${name(square())}. ${HELP}`);
    });
    svg.addEventListener("blur", () => {
      picked = "";
      mark(false);
    });
    svg.addEventListener("keydown", (event) => {
      const turned = board.getOrientation() === "b" ? -1 : 1;
      const step = KEYS[event.key];
      if (step) {
        const [files, ranks] = step;
        const within = (at: number) => Math.min(7, Math.max(0, at));
        [file, rank] = [within(file + turned * files), within(rank + turned * ranks)];
        hands.say(name(square()));
      } else if (event.key === "Enter" || event.key === " ") enter();
      else if (event.key === "Delete" && squares[at(square())]) act(hands.put(square()));
      else if (event.key === "Escape" && picked) picked = "";
      else return;
      event.preventDefault();
      mark(true);
    });
  }
}
