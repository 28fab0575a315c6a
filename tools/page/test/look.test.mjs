// How the page looks on three widths in both schemes; TBINDEX_SCREENSHOTS=1 writes screenshots to screenshots/.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ANSWERED, browser, isAccessible, page, position, ROOT, useBrowser, visit } from "./browser.mjs";

const SIZES = { desktop: [1280, 800], phone: [390, 844], narrow: [320, 640] };
const ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
const VIEWS = {
  position: position(ROOK, "&ply=3"),
  editing: position(ROOK),
  index: `#index?fen=${ROOK.replaceAll(" ", "+")}&numbering=alternate`,
  pieces: "#pieces?piece=brFfsDflAllN",
  bound: "#pieces?piece=hlN&width=16&height=16",
};
const requests = [],
  errors = [];

useBrowser(() => {
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
});

async function show(view) {
  await visit(page, browser.url, VIEWS[view]);
  if (view === "position") {
    await page.locator("summary", { hasText: "whole table" }).click();
    await page.waitForSelector("#histogram canvas");
    await page.evaluate(() => scrollTo(0, 0));
  }
  if (view === "editing") await page.click("#editing summary");
  if (view === "pieces") {
    await page.waitForSelector("#mates .heat");
    await page.click("#records summary");
    await page.evaluate(() => scrollTo(0, 0));
  }
}

for (const [size, [width, height]] of Object.entries(SIZES))
  for (const scheme of ["light", "dark"])
    test(`no fault on a ${size} screen, ${scheme}`, async () => {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      for (const view of Object.keys(VIEWS)) {
        await show(view);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${view} is ${wide} pixels wider`);
        const cut = await page
          .locator(".scroll")
          .evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent));
        assert.deepEqual(cut, [], view);
        await isAccessible(page, view);
        if (!process.env.TBINDEX_SCREENSHOTS) continue;
        mkdirSync(join(ROOT, "screenshots"), { recursive: true });
        const path = join(ROOT, `screenshots/${view}-${size}-${scheme}`);
        await page.screenshot({ path: `${path}.png` });
        await page.screenshot({ path: `${path}-whole.png`, fullPage: true });
      }
    });

test("board, step buttons and verdict are on one screen", async () => {
  for (const [width, height] of [SIZES.desktop, SIZES.phone]) {
    await page.setViewportSize({ width, height });
    await visit(page, browser.url, VIEWS.position);
    for (const part of ["#example", "#board", ".steps", "#verdict"]) {
      const { y, height: tall } = await page.locator(part).boundingBox();
      assert.ok(y >= 0 && y + tall <= height, `${part} ends at ${y + tall} of ${height}`);
    }
  }
});

/** The contrast of two colours, as browsers write them. */
function contrast(...colours) {
  const [light, dark] = colours
    .map((colour) => {
      const linear = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
      return linear(
        colour.match(/[\d.]+/g).map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        }),
      );
    })
    .sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("coordinates are read on their squares, and black pieces are black", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await show("editing");
    const pairs = await page.evaluate(() =>
      ["white", "black"].map((kind) =>
        [`.coordinate.${kind}`, `.square.${kind}`].map((name) => getComputedStyle(document.querySelector(name)).fill),
      ),
    );
    for (const pair of pairs) assert.ok(contrast(...pair) >= 4.5, `${pair}: ${contrast(...pair)}`);
    const drawn = await page
      .locator(".palette use")
      .evaluateAll((all) => all.map((use) => [use.getAttribute("href"), use.parentNode.parentNode.title]));
    assert.equal(drawn.length, 12);
    for (const [piece, title] of drawn) assert.match(title, piece.includes("#w") ? /white/ : /black/);
  }
});

test("the page asks nobody else, and makes no errors", async () => {
  await page.goto("about:blank");
  await page.goto(browser.url);
  await page.waitForSelector(ANSWERED);
  const elsewhere = (url) => !url.startsWith(browser.url) && !/^(about|data|blob):/.test(url);
  assert.deepEqual(requests.filter(elsewhere), []);
  const readme = await page.request.get(new URL(await page.getAttribute("footer a", "href"), browser.url).href);
  assert.match(await readme.text(), /^\ufeff# tbindex/);
  assert.deepEqual(errors, []);
});
