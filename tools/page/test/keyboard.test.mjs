// The page without a mouse.
import assert from "node:assert/strict";
import test from "node:test";
import { browser, page, position, press, says, settled, useBrowser, visit } from "./browser.mjs";

const ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
useBrowser();

const focused = () => page.evaluate("document.activeElement.id");

test("keys step through best play, and the focus stays", async () => {
  await visit(page, browser.url, position(ROOK));
  await page.focus("#on");
  for (const ply of [1, 2]) {
    await press(page, "Enter");
    await says(page, "ply", new RegExp(`^${ply} of`));
    assert.equal(await focused(), "on");
  }
  await page.focus("#line-3");
  await press(page, "Enter");
  await says(page, "ply", /^4 of/);
  await page.waitForSelector("#answer[aria-busy=false]");
  assert.equal(await focused(), "line-3");
  // At the end the button is still there.
  await page.focus("#last");
  await press(page, "Enter", "Enter");
  assert.equal(await focused(), "last");
});

test("the focus stays among the moves after one", async () => {
  await visit(page, browser.url, position(ROOK));
  await page.focus("#move-0");
  await press(page, "Enter");
  await page.waitForFunction(() => / b /.test(document.getElementById("fen").value));
  await page.waitForSelector("#answer[aria-busy=false]");
  assert.equal(await focused(), "move-0");
});

test("keys step through a mate of a short-range piece", async () => {
  await visit(page, browser.url, "#pieces?piece=K");
  await page.focus("#mate-one-ply-on");
  await press(page, "Enter");
  await says(page, "mates", /ply 1 of 36/);
  assert.equal(await focused(), "mate-one-ply-on");
  await page.focus("#mate-the-mate");
  await press(page, "Enter");
  await says(page, "mates", /ply 36 of 36/);
  assert.equal(await focused(), "mate-the-mate");
});

test("keys move pieces on the board, and remove them while it is edited", async () => {
  await visit(page, browser.url, position(ROOK));
  await press(page, "Tab");
  await page.focus("#squares");
  await says(page, "word", /^e4: empty\. Arrows choose/);
  await press(page, "ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft");
  await says(page, "word", /^d1: white queen$/);
  await press(page, "Enter", "ArrowRight", "ArrowUp", "Enter");
  await settled(page, "8/8/2k5/1r6/8/8/4Q3/2K5 b - - 1 1");
  assert.equal(await focused(), "squares");
  await press(page, "Delete");
  await says(page, "word", /“Edit the board” lets you remove pieces/);
  await page.focus("#editing summary");
  await press(page, "Enter");
  await page.focus("#squares");
  await press(page, "Delete");
  await settled(page, "8/8/2k5/1r6/8/8/8/2K5 b - - 1 1");
  await page.check("#brush-Q", { force: true });
  await page.focus("#squares");
  await press(page, "Enter");
  await settled(page, "8/8/2k5/1r6/8/8/4Q3/2K5 b - - 1 1");
});

test("a piece is chosen by keys, and it is told", async () => {
  await visit(page, browser.url, position("4k3/6KP/8/8/8/8/7p/8 w - - 0 1"));
  await press(page, "Tab");
  await page.focus("#squares");
  await press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "Enter", "ArrowUp", "Enter");
  await page.waitForSelector("#promotion[open]");
  await press(page, "Tab", "Enter");
  await settled(page, "4k2R/6K1/8/8/8/8/7p/8 b - - 0 1");
  await says(page, "word", /^The pawn becomes a rook\.$/);
});

test("no stop is invisible, and each has a name", async () => {
  for (const hash of [position(ROOK), "#index", "#pieces"]) {
    await visit(page, browser.url, hash);
    const seen = new Set();
    // Beyond the last stop the browser's own come.
    for (let beyond = 0; beyond < 5; ) {
      await press(page, "Tab");
      const stop = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return undefined;
        // A choice of the palette shows its label.
        const shown = element.matches(".palette input") ? element.nextElementSibling : element;
        const { width, height, right, bottom } = shown.getBoundingClientRect();
        const { outlineStyle, outlineWidth } = getComputedStyle(shown);
        const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent;
        element.dataset.stop ??= String(Math.random());
        return {
          key: element.dataset.stop,
          what: `${element.tagName} ${element.id} ${name}`,
          ok: width > 8 && height > 8 && right > 0 && bottom > 0 && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
          named: !!name.trim(),
        };
      });
      if (!stop) beyond++;
      else if (seen.has(stop.key)) break;
      if (!stop) continue;
      seen.add(stop.key);
      assert.ok(stop.ok && stop.named, `${hash}: ${stop.what}`);
    }
    assert.ok(seen.size > 8, `${hash}: ${seen.size} stops`);
  }
});
