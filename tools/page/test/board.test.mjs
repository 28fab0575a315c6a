// The board of tbserve in a real browser: what its script adds, and how it looks. Without the program it is skipped.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { after } from "node:test";
import { isAccessible, page, ROOT, useBrowser } from "./browser.mjs";

const PROGRAM = resolve(process.env.TBSERVE ?? join(ROOT, "../../target/debug/tbserve"));
const skip = !existsSync(PROGRAM) && `no ${PROGRAM}: cargo build -p tbserve`;
const ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
const PROMOTION = "4k3/6KP/8/8/8/8/7p/8 w - - 0 1";
let server, address;
if (!skip) {
  useBrowser(async () => {
    // In a folder without a page that it would serve instead.
    server = spawn(PROGRAM, ["--listen", "127.0.0.1:0"], { cwd: tmpdir() });
    address = String((await once(server.stdout, "data"))[0]).trim();
  });
  after(() => server?.kill());
}

const query = (fen, more = "") => `${address}/?fen=${fen.replaceAll(" ", "_")}${more}`;
const visit = (fen, more) => page.goto(query(fen, more));
const shown = () => page.inputValue("#fen");
const word = () => page.textContent("#word");

/** Where a square is on the screen, White below. */
async function centre(square) {
  const box = await page.locator("#board rect.light").boundingBox();
  const [file, rank] = ["abcdefgh".indexOf(square[0]), Number(square[1])];
  return [box.x + ((file + 0.5) * box.width) / 8, box.y + ((8.5 - rank) * box.height) / 8];
}

async function drag(from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

/** Waits until another position is shown. */
async function moved(action, fen) {
  await Promise.all([page.waitForURL((url) => url.searchParams.get("fen") === fen.replaceAll(" ", "_")), action()]);
  assert.equal(await shown(), fen);
}

test("a legal move is dragged, an illegal one is refused with a word", { skip }, async () => {
  await visit(ROOK);
  await drag(await centre("d1"), await centre("e3"));
  assert.equal(await word(), "white queen d1–e3 is no legal move. “Edit the board” lets you put pieces anywhere.");
  await drag(await centre("d1"), [2, 2]);
  assert.equal(await word(), "“Edit the board” lets you remove pieces.");
  assert.equal(page.url(), query(ROOK));
  const before = await word();
  await page.mouse.click(...(await centre("a5")));
  assert.equal(await word(), before, "a click on an empty square says nothing");
  const e2 = "8/8/2k5/1r6/8/8/4Q3/2K5 b - - 1 1";
  await moved(async () => drag(await centre("d1"), await centre("e2")), e2);
  // A click picks a piece up, and another puts it down.
  await page.mouse.click(...(await centre("b5")));
  await moved(async () => page.mouse.click(...(await centre("c5"))), "8/8/2k5/2r5/8/8/4Q3/2K5 w - - 2 2");
});

test("the piece that a pawn becomes is chosen", { skip }, async () => {
  await visit(PROMOTION);
  await drag(await centre("h7"), await centre("h8"));
  assert.deepEqual(await page.locator("dialog a").allTextContents(), ["h8=Q+", "h8=R+", "h8=N", "h8=B"]);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await drag(await centre("h7"), await centre("h8"));
  await moved(() => page.click("dialog a:nth-of-type(3)"), "4k2N/6K1/8/8/8/8/7p/8 b - - 0 1");
});

test("pieces are put anywhere while the board is edited", { skip }, async () => {
  await visit(ROOK);
  await page.click("text=Edit the board");
  await moved(async () => drag(await centre("d1"), await centre("e3")), "8/8/2k5/1r6/8/4Q3/8/2K5 w - - 0 1");
  await moved(async () => drag(await centre("b5"), [2, 2]), "8/8/2k5/8/8/4Q3/8/2K5 w - - 0 1");
  const knight = await page.locator("[title='Put a black knight']").boundingBox();
  await moved(
    async () => drag([knight.x + 20, knight.y + 20], await centre("h8")),
    "7n/8/2k5/8/8/4Q3/8/2K5 w - - 0 1",
  );
  // The knight is chosen now, and a click puts another.
  await moved(async () => page.mouse.click(...(await centre("g8"))), "6nn/8/2k5/8/8/4Q3/8/2K5 w - - 0 1");
  // Legal moves are played.
  await moved(async () => drag(await centre("e3"), await centre("e8")), "4Q1nn/8/2k5/8/8/8/8/2K5 b - - 1 1");
  await page.click("text=Done");
  assert.equal(await page.locator(".palette").count(), 0);
});

test("keys move pieces and step through the best line", { skip }, async () => {
  await visit(ROOK);
  await page.focus("#on");
  for (const ply of [1, 2]) {
    await Promise.all([page.waitForURL(`**ply=${ply}#on`), page.keyboard.press("Enter")]);
    assert.equal(await page.evaluate("document.activeElement.id"), "on");
  }
  await Promise.all([page.waitForURL("**ply=1#back"), page.keyboard.press("ArrowLeft")]);
  await visit(ROOK);
  await page.focus("#board");
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // From e4.
  await press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft");
  assert.equal(await word(), "d1: white queen");
  await press("Enter", "ArrowRight", "ArrowUp");
  await moved(() => press("Enter"), "8/8/2k5/1r6/8/8/4Q3/2K5 b - - 1 1");
  assert.equal(await page.evaluate("document.activeElement.id"), "board");
  assert.match(await word(), /^e2: white queen\. Arrows choose/);
});

for (const scheme of ["light", "dark"])
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
    [320, 640],
  ])
    test(`it can be used ${width} wide in the ${scheme} scheme`, { skip }, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height });
      for (const more of ["&ply=3", "&edit=N", "&edit=-&view=black"]) {
        await visit(ROOK, more);
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `${wide} of ${width}`);
        await isAccessible(page, more);
        if (process.env.TBINDEX_SCREENSHOTS)
          await page.screenshot({ path: `screenshots/board-${scheme}-${width}${more}.png`, fullPage: width === 320 });
      }
      if (width === 320) return;
      await visit(ROOK, "&ply=3");
      for (const part of ["#board", ".steps", ".verdict", ".examples"]) {
        const { y, height: tall } = await page.locator(part).boundingBox();
        assert.ok(y >= 0 && y + tall <= height, `${part} ends at ${y + tall}`);
      }
    });
