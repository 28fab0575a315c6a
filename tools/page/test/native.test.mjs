// Compares what the page says with answers of the native program: TBINDEX_POSITIONS=1000 takes so many positions, 40 by
// default, none with 0.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { browser, page, position, ROOT, settled, useBrowser, visit } from "./browser.mjs";

const count = Number(process.env.TBINDEX_POSITIONS ?? 40);
const skip = !count && "TBINDEX_POSITIONS is 0";
if (count) useBrowser();

/** Random legal positions of three and four pieces, always the same. */
function positions(count) {
  let seed = 20240229;
  const random = (below) => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % (below << 8)) >> 8;
  const fens = [];
  while (fens.length < count) {
    const squares = Array(64).fill("1");
    const put = (letter) => {
      let at;
      do at = random(64);
      while (squares[at] !== "1" || (/p/i.test(letter) && (at < 8 || at > 55)));
      squares[at] = letter;
      return at;
    };
    const [white, black] = [put("K"), put("k")];
    for (let more = 1 + random(2); more > 0; more--) put("QRBNPqrbnp"[random(10)]);
    const apart = Math.max(Math.abs((white >> 3) - (black >> 3)), Math.abs((white & 7) - (black & 7))) > 1;
    const ranks = Array.from({ length: 8 }, (_, k) =>
      squares
        .slice(8 * k, 8 * k + 8)
        .join("")
        .replace(/1+/g, (ones) => ones.length),
    );
    if (apart) fens.push(`${ranks.join("/")} ${"wb"[random(2)]} - - ${random(3) ? 0 : random(100)} 1`);
  }
  return fens;
}

test("positions have the native answers", { skip }, async () => {
  const cargo = ["run", "--quiet", "--locked", "--profile", "quick", "--example", "native", "--", "solve"];
  const options = {
    cwd: join(ROOT, "../wasm"),
    input: positions(2 * count).join("\n"),
    maxBuffer: 1 << 28,
    encoding: "utf8",
  };
  // Illegal positions, in which the side to move could take the king, are left out.
  const all = execFileSync("cargo", cargo, options).trim().split("\n");
  const solved = all.map((line) => JSON.parse(line)).filter((answer) => answer.fen);
  assert.ok(solved.length >= count);
  await visit(page, browser.url, "#position");
  for (const expected of solved.slice(0, count)) {
    await page.evaluate((hash) => (location.hash = hash), position(expected.fen));
    await settled(page, expected.fen);
    const found = await page.evaluate(() => ({
      verdict: document.getElementById("verdict").textContent,
      marks: [...document.querySelectorAll(".marks li")].map((mark) => mark.textContent),
      moves: [...document.querySelectorAll(".moves tbody tr")].map((row) =>
        [...row.cells].map((cell) => cell.textContent),
      ),
      line: [...document.querySelectorAll(".line button")].map((move) => move.textContent),
    }));
    const plies = (worth, distance) => (worth.outcome === "draw" ? "–" : String(distance));
    const moves = expected.moves.map(({ san, worth, only }) => [
      san,
      worth.outcome + (only ? " · only move" : ""),
      plies(worth, worth.dtm),
      plies(worth, worth.dtz),
    ]);
    const line = expected.line.map(({ san }) => san);
    const { outcome, dtm } = expected.worth;
    assert.deepEqual(found.moves, moves, expected.fen);
    assert.deepEqual(found.line, line, expected.fen);
    const mutual = found.marks.some((mark) => mark.startsWith("Mutual"));
    assert.equal(mutual, !!expected.mutual_zugzwang, expected.fen);
    if (outcome === "win" || (outcome === "loss" && dtm))
      assert.ok(found.verdict.includes(`Mate in ${Math.ceil(dtm / 2)} `), `${expected.fen}: ${found.verdict}`);
    if (outcome === "draw") assert.match(found.verdict, /draw/, expected.fen);
  }
});
