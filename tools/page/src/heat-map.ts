// Numbers on a board, coloured.
import { h } from "./dom";

// From light to dark, so that the order is seen without colours, too.
const STOPS = [
  [252, 246, 214],
  [150, 205, 140],
  [40, 130, 150],
  [25, 35, 95],
] as const;
const COLOURS = [
  [244, 208, 111],
  [47, 93, 138],
  [193, 80, 46],
  [232, 232, 232],
  [63, 125, 78],
  [108, 74, 138],
  [169, 199, 232],
  [34, 34, 34],
] as const;

/** A background, and the text colour that is best read on it. */
function painted(rgb: readonly number[]): string {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return `background:rgb(${rgb.join(" ")});color:${luminance > 0.18 ? "#000" : "#fff"}`;
}

/** The style of a share of 0 to 1. */
function shade(share: number): string {
  const at = Math.min(share, 1) * (STOPS.length - 1);
  const [from, to] = [STOPS[Math.floor(at)]!, STOPS[Math.ceil(at)]!];
  return painted(from.map((value, k) => Math.round(value + (to[k]! - value) * (at % 1))));
}

export interface Cell {
  text: string;
  /** 0 to 1, or none for a square outside of what is shown. */
  share?: number;
  /** The number of a colour. */
  colour?: number;
  name?: string;
}

/** The name of a square: a1, … p16. */
export function squareName(square: number, width: number): string {
  return String.fromCharCode(97 + (square % width)) + (Math.floor(square / width) + 1);
}

/** A table like a board; `clicked` is told the square. */
export function heatMap(
  caption: string,
  cells: Cell[],
  width: number,
  clicked?: (square: number) => void,
): HTMLElement {
  const height = cells.length / width;
  const row = (rank: number) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(rank + 1)),
      ...Array.from({ length: width }, (_, file) => {
        const square = rank * width + file;
        const { text, share, colour, name } = cells[square]!;
        const style =
          colour !== undefined
            ? painted(COLOURS[colour % COLOURS.length]!)
            : share === undefined
              ? undefined
              : shade(share);
        return h(
          "td",
          {
            style,
            class: share === undefined && colour === undefined ? "out" : undefined,
            "data-square": square,
            title: `${squareName(square, width)}${name ? `: ${name}` : ""}`,
            onclick: clicked && (() => clicked(square)),
          },
          text,
        );
      }),
    );
  const files = h(
    "tr",
    {},
    h("td", {}),
    ...Array.from({ length: width }, (_, file) => h("th", { scope: "col" }, String.fromCharCode(97 + file))),
  );
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: `heat${clicked ? " clickable" : ""}${width > 10 ? " wide" : ""}` },
      h("caption", {}, caption),
      h("tbody", {}, ...Array.from({ length: height }, (_, k) => row(height - 1 - k)), files),
    ),
  );
}
