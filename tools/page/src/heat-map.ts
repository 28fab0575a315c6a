// Numbers on a board, coloured.
import { h } from "./dom";

/** A colour from light to dark for a share of 0 to 1, and the text colour that is read on it. */
function shade(share: number): string {
  const light = 93 - 62 * share;
  return `background:hsl(${55 + 170 * share} ${60 + 15 * share}% ${light}%);color:${light > 55 ? "#000" : "#fff"}`;
}

const COLOURS = ["#f4d06f", "#2f5d8a", "#c1502e", "#e8e8e8", "#3f7d4e", "#6c4a8a", "#a9c7e8", "#222222"];

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
export function heatMap(caption: string, cells: Cell[], width: number, clicked?: (square: number) => void): HTMLElement {
  const height = cells.length / width;
  const row = (rank: number) => h("tr", {}, h("th", { scope: "row" }, String(rank + 1)), ...Array.from({ length: width }, (_, file) => {
    const square = rank * width + file;
    const { text, share, colour, name } = cells[square]!;
    const background = COLOURS[(colour ?? 0) % COLOURS.length]!;
    const dark = colour !== undefined && [1, 2, 4, 5, 7].includes(colour % COLOURS.length);
    const style = colour !== undefined ? `background:${background};color:${dark ? "#fff" : "#000"}` : share === undefined ? undefined : shade(share);
    return h("td", { style, class: share === undefined && colour === undefined ? "out" : undefined, "data-square": square, title: `${squareName(square, width)}${name ? `: ${name}` : ""}`, onclick: clicked && (() => clicked(square)) }, text);
  }));
  const files = h("tr", {}, h("td", {}), ...Array.from({ length: width }, (_, file) => h("th", { scope: "col" }, String.fromCharCode(97 + file))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", { class: `heat${clicked ? " clickable" : ""}${width > 10 ? " wide" : ""}` }, h("caption", {}, caption),
      h("tbody", {}, ...Array.from({ length: height }, (_, k) => row(height - 1 - k)), files)));
}
