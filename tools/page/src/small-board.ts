// Small pictures of boards and pieces.
const SVG = "http://www.w3.org/2000/svg";

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A picture of a piece of chess, by its letter. */
function piece(letter: string, x = 0, y = 0): SVGElement {
  const name = (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();
  return element("use", { href: `pieces.svg#${name}`, x, y, width: 40, height: 40 });
}

/** A picture of a piece of chess alone. */
export function pieceImage(letter: string): SVGElement {
  const svg = element("svg", { viewBox: "0 0 40 40", class: "piece-image", "aria-hidden": "true" });
  svg.append(piece(letter));
  return svg;
}

/** A picture of a board. Pieces are letters of FEN; those that are none of chess are drawn as letters. */
export function smallBoard(squares: string[], width = 8): SVGElement {
  const height = squares.length / width;
  const svg = element("svg", {
    viewBox: `0 0 ${40 * width} ${40 * height}`,
    class: "small-board",
    "aria-hidden": "true",
  });
  squares.forEach((letter, number) => {
    const [file, rank] = [number % width, Math.floor(number / width)];
    const [x, y] = [40 * file, 40 * rank];
    const dark = (file + height - 1 - rank) % 2 === 0;
    svg.append(element("rect", { x, y, width: 40, height: 40, class: dark ? "dark" : "light" }));
    if (/[KQRBNP]/i.test(letter)) {
      svg.append(piece(letter, x, y));
    } else if (letter) {
      const text = element("text", { x: x + 20, y: y + 30, "text-anchor": "middle", "font-size": 28, class: "letter" });
      text.textContent = letter;
      svg.append(text);
    }
  });
  return svg;
}
