// Long work, too much work and failures of the browser's solver.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { browser, page, position, ROOT, says, settled, useBrowser, visit } from "./browser.mjs";

const ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
const FIVE = "8/8/8/4k3/8/8/8/KQQQ4 b - - 0 1";
useBrowser();

const begin = async (fen) => {
  await page.goto("about:blank");
  await page.goto(new URL(position(fen), browser.url).href);
};

test("five men are solved, with progress, and may be stopped", async () => {
  await begin(FIVE);
  await says(page, "solving", /Table \d+ of at most \d+: \w+ by the distance to (mate|zeroing), ply \d+\. All take at most \d+ MiB/);
  await says(page, "verdict", /Solving/);
  await page.getByRole("button", { name: "Stop" }).click();
  await says(page, "verdict", /^Stopped\.$/);
  assert.equal(await page.textContent("#solving"), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "again");
  // An answer that is quick does not wait.
  await page.getByRole("button", { name: "Try again" }).click();
  await says(page, "solving", /Table/);
  await page.selectOption("#example", ROOK);
  await settled(page, ROOK);
  await says(page, "verdict", /Mate in/);
  await page.goBack();
  await page.waitForSelector(".moves tbody tr");
  await says(page, "verdict", /^Black to move loses\. Mate in \d+ moves \(DTM \d+ plies\)/);
  // Solved positions stay.
  await page.click("#on");
  await says(page, "verdict", /^White to move wins/);
});

test("of too many pieces it is told how many bytes they need, and who knows them", async () => {
  for (const [fen, told] of [
    ["8/8/2k5/1r6/3q4/8/3N4/2KQ4 w - - 0 1", /^Too many pieces .* up to [\d.,]+ .iB of memory, and takes at most .* choose a server .* Syzygy files/],
    ["4k3/8/8/8/8/8/PPPPPPP1/4K3 w - - 0 1", /^The position has 9 pieces: expected at most 8\.$/],
  ]) {
    await visit(page, browser.url, position(fen));
    assert.match(await page.textContent("#verdict"), told);
  }
});

test("after a trap the solver says so, and begins anew", async () => {
  const trap = `const load = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...args) => {
      const { instance, module } = await load(...args);
      const solve = () => { throw new WebAssembly.RuntimeError("unreachable"); };
      return { module, instance: { exports: { ...instance.exports, solve } } };
    };\n`;
  browser.once.set("/worker.js", trap + readFileSync(join(ROOT, "dist/worker.js"), "utf8"));
  await visit(page, browser.url, "#index");
  // The first worker is that of the index; the one that solves traps.
  browser.once.set("/worker.js", trap + readFileSync(join(ROOT, "dist/worker.js"), "utf8"));
  await page.evaluate((hash) => (location.hash = hash), position(ROOK));
  await says(page, "verdict", /solver failed.*\(unreachable\).*begins anew/);
  await page.getByRole("button", { name: "Try again" }).click();
  await settled(page, ROOK);
  await says(page, "verdict", /White to move wins/);
});
