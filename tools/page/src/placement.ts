// FENs as texts.

/** The six fields of a FEN. Underscores and several spaces stand for one, and what is left out is that of a new game. */
export function fenOf(text: string): string {
  const given = text.trim().split(/[\s_]+/);
  return [...given, ...["", "w", "-", "-", "0", "1"].slice(given.length)].join(" ");
}

/** A FEN of a position that comes so many plies after another one, with the number of its move. */
export function numbered(fen: string, before: string, plies = 1): string {
  const [, side, , , , number] = before.split(" ");
  const moves = Math.floor((plies + Number(side === "b")) / 2);
  return [...fen.split(" ").slice(0, 5), (Number(number) || 1) + moves].join(" ");
}

/** Whether a text has eight ranks of eight squares. */
export function isPlacement(text: string): boolean {
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
  const text = (rank: string[]) => rank.map((letter) => letter || "1").join("");
  return ranks.map((rank) => text(rank).replace(/1+/g, (ones) => String(ones.length))).join("/");
}

/** The number of a square in what `squaresOf` returns. */
export function at(square: string): number {
  return (8 - Number(square[1])) * 8 + "abcdefgh".indexOf(square[0]!);
}

const otherCase = (letter: string) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());

/** The colours exchanged, on the board seen from the other side. */
export function swapColours(fen: string): string {
  const [placement = "", side, castling = "-", passed = "-", ...rest] = fen.split(" ");
  const swapped = [...placement.split("/").reverse().join("/")].map(otherCase).join("");
  const rights = [..."KQkq"].filter((right) => castling.includes(otherCase(right))).join("") || "-";
  const square = passed.replace(/[36]/, (rank) => String(9 - Number(rank)));
  return [swapped, side === "b" ? "w" : "b", rights, square, ...rest].join(" ");
}

/** The kings alone, where they are if they are apart. */
export function cleared(fen: string): string {
  const [placement = "", side] = fen.split(" ");
  let squares = (isPlacement(placement) ? squaresOf(placement) : []).map((letter) => (/k/i.test(letter) ? letter : ""));
  const [white, black] = ["K", "k"].map((king) => squares.indexOf(king)) as [number, number];
  const far = Math.max(Math.abs((white % 8) - (black % 8)), Math.abs((white >> 3) - (black >> 3))) > 1;
  if (squares.filter(Boolean).length !== 2 || white < 0 || black < 0 || !far) {
    squares = Array<string>(64).fill("");
    [squares[at("e1")], squares[at("e8")]] = ["K", "k"];
  }
  return `${placementOf(squares)} ${side} - - 0 1`;
}

const NAMES: Record<string, string> = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

/** A piece in words, by its letter. */
export function pieceName(letter: string): string {
  return `${letter === letter.toUpperCase() ? "white" : "black"} ${NAMES[letter.toLowerCase()]}`;
}
