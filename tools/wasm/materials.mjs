// The 35 materials of 3 and 4 pieces, each after those that it needs.
const PIECES = "QRBNP";

export const materials = [];
for (const [i, a] of [...PIECES].entries()) {
  materials.push(`K${a}vK`);
  for (const b of PIECES.slice(i)) materials.push(`K${a}${b}vK`, `K${a}vK${b}`);
}
const pawns = (name) => name.split("P").length;
materials.sort((a, b) => a.length - b.length || pawns(a) - pawns(b));
