// The board to drag pieces on, and small pictures of boards.
import { BORDER_TYPE, Chessboard, INPUT_EVENT_TYPE } from "cm-chessboard/src/Chessboard.js";
import { Accessibility } from "cm-chessboard/src/extensions/accessibility/Accessibility.js";
import { MARKER_TYPE, Markers } from "cm-chessboard/src/extensions/markers/Markers.js";

export interface Board {
  /** Shows the first field of a FEN, and marks the squares of a move. */
  show(placement: string, move?: string): void;
}

/** A board in an element; `dragged` is told from where and to where a piece went. */
export function makeBoard(
  element: HTMLElement,
  dragged: (from: string, to: string) => void,
  clicked: (square: string) => void,
): Board {
  const url = (name: string) => new URL(name, import.meta.url).href;
  const board = new Chessboard(element, {
    assetsUrl: "./",
    style: { pieces: { file: url("pieces.svg") }, borderType: BORDER_TYPE.none, animationDuration: 150 },
    extensions: [
      { class: Markers, props: { sprite: url("markers.svg"), autoMarkers: MARKER_TYPE.frame } },
      { class: Accessibility, props: { language: "en", keyboardMoveInput: true, boardAsTable: false } },
    ],
  });
  board.enableMoveInput((event: { type: string; squareFrom: string; squareTo: string }) => {
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
      dragged(event.squareFrom, event.squareTo);
    }
    return true;
  });
  board.enableSquareSelect("pointerdown", (event: { square: string }) => clicked(event.square));
  return {
    show(placement, move) {
      void board.setPosition(isPlacement(placement) ? placement : "8/8/8/8/8/8/8/8", true);
      board.removeMarkers();
      for (const square of move ? [move.slice(0, 2), move.slice(2, 4)] : [])
        board.addMarker(MARKER_TYPE.square, square);
    },
  };
}

/** Whether a text has eight ranks of eight squares. */
function isPlacement(text: string): boolean {
  const ranks = text.split("/");
  const isRank = (rank: string) => /^[KQRBNPkqrbnp1-8]+$/.test(rank) && squaresOf(rank).length === 8;
  return ranks.length === 8 && ranks.every(isRank);
}

/** The pieces of a placement, a8 first, with empty squares as "". */
export function squaresOf(placement: string): string[] {
  return [...placement.replaceAll("/", "")].flatMap((letter) =>
    /\d/.test(letter) ? Array<string>(Number(letter)).fill("") : [letter],
  );
}

/** The placement of pieces, a8 first. */
export function placementOf(squares: string[]): string {
  const ranks = Array.from({ length: 8 }, (_, rank) => squares.slice(8 * rank, 8 * rank + 8));
  return ranks
    .map((rank) =>
      rank
        .map((letter) => letter || "1")
        .join("")
        .replace(/1+/g, (ones) => String(ones.length)),
    )
    .join("/");
}

/** The number of a square in what `squaresOf` returns. */
export function at(square: string): number {
  return (8 - Number(square[1])) * 8 + "abcdefgh".indexOf(square[0]!);
}

const SVG = "http://www.w3.org/2000/svg";

/** A picture of a board. Pieces are letters of FEN; those that are none of chess are drawn as letters. */
export function smallBoard(squares: string[], width = 8): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const add = (name: string, attributes: Record<string, string | number>) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    svg.append(element);
    return element;
  };
  const height = squares.length / width;
  svg.setAttribute("viewBox", `0 0 ${40 * width} ${40 * height}`);
  svg.setAttribute("class", "small-board");
  svg.setAttribute("aria-hidden", "true");
  squares.forEach((letter, number) => {
    const [file, rank] = [number % width, Math.floor(number / width)];
    const [x, y] = [40 * file, 40 * rank];
    const dark = (file + height - 1 - rank) % 2 === 0;
    add("rect", { x, y, width: 40, height: 40, class: dark ? "dark" : "light" });
    if (/[KQRBNP]/i.test(letter)) {
      const name = (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
      add("use", { href: `pieces.svg#${name}`, x, y, width: 40, height: 40 });
    } else if (letter) {
      add("text", { x: x + 20, y: y + 30, "text-anchor": "middle", "font-size": 28, class: "letter" }).textContent =
        letter;
    }
  });
  return svg;
}
