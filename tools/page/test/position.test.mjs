// The view of a position, by mouse.
import assert from "node:assert/strict";
import test from "node:test";
import { browser, drag, middle, nativeModule, page, position, says, settled, useBrowser, visit } from "./browser.mjs";

const ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
const OFF = [2, 2];
useBrowser();

const show = (fen, more) => visit(page, browser.url, position(fen, more));
const word = () => page.textContent("#word");
const fenOf = () => page.inputValue("#fen");
const edit = () => page.click("#editing summary");

test("a move is played by a click and by dragging, and Back takes it back", async () => {
  await show("8/8/8/8/8/1k6/8/K6R w - - 0 1");
  const before = await fenOf();
  await page.locator(".moves tbody button").first().click();
  await page.waitForFunction((fen) => document.getElementById("fen").value !== fen, before);
  assert.match(await fenOf(), / b - - 1 1$/);
  await page.goBack();
  await settled(page, before);
  await drag(page, "h1", "h8");
  await settled(page, "7R/8/8/8/8/1k6/8/K7 b - - 1 1");
  // A click picks a piece up, and another puts it down.
  await page.mouse.click(...(await middle(page, "b3")));
  await page.mouse.click(...(await middle(page, "c3")));
  await settled(page, "7R/8/8/8/8/2k5/8/K7 w - - 2 2");
});

test("moves are counted from the number in the FEN", async () => {
  await show("8/8/2k5/1r6/8/8/8/2KQ4 b - - 3 7");
  await page.click("#move-0");
  await page.waitForFunction(() => / w - - 4 8$/.test(document.getElementById("fen").value));
  await show("8/8/2k5/1r6/8/8/8/2KQ4 b - - 3 7", "&ply=3");
  assert.match(await fenOf(), / w - - \d 9$/);
  assert.match(await page.textContent(".line"), /^7… .*8\. .*9\. /);
});

test("the position of the line that is shown is the position: verdict, moves, side, FEN, and what a drag plays", async () => {
  const { line } = (await nativeModule()).solve(ROOK);
  await show(ROOK);
  for (const ply of [1, 2, 3]) {
    await page.click("#on");
    const { fen } = line[ply - 1];
    await settled(page, fen.replace(/1$/, String(1 + Math.floor(ply / 2))));
    await says(page, "verdict", fen.includes(" w ") ? /^White to move wins\. Mate in/ : /^Black to move loses\. Mate in/);
    assert.equal(await page.isChecked(fen.includes(" w ") ? "#side-w" : "#side-b"), true);
    assert.equal(await page.inputValue("#counter"), fen.split(" ")[4]);
    assert.equal(await page.textContent("#ply"), `${ply} of ${line.length}`);
    const best = (await nativeModule()).solve(fen).moves.map(({ san }) => san);
    assert.deepEqual(await page.locator(".moves tbody button").allTextContents(), best);
    assert.equal(await page.textContent(".line [aria-current]"), line[ply - 1].san);
  }
  assert.match(page.url(), /ply=3/);
  // Of ply 2 White is to move, and a drag plays once.
  await page.click("#back");
  const two = line[1].fen.replace(/1$/, "2");
  await settled(page, two);
  const step = (await nativeModule()).solve(two).moves.at(-1);
  await drag(page, step.uci.slice(0, 2), step.uci.slice(2, 4));
  await settled(page, step.fen.replace(/1$/, "2"));
  assert.match(await fenOf(), / b /);
  assert.doesNotMatch(page.url(), /ply=/);
  // Steps beyond the end are the end.
  await show(ROOK, "&ply=999");
  assert.equal(await page.textContent("#ply"), `${line.length} of ${line.length}`);
});

test("a draw has a line, which holds it", async () => {
  await show("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1");
  await says(page, "verdict", /a draw with best play/);
  assert.match(await page.textContent("#line-title"), /holds the draw/);
  const plies = await page.locator(".line button").count();
  assert.ok(plies > 3, `${plies} plies`);
  const wasm = await nativeModule();
  for (let ply = 1; ply <= plies; ply++) {
    await page.click("#on");
    await page.waitForFunction((text) => document.getElementById("ply").textContent.startsWith(text), `${ply} of`);
    assert.equal(wasm.solve(await fenOf()).worth.outcome, "draw");
  }
});

test("illegal moves are refused with a word, and are edits while the board is edited", async () => {
  await show(ROOK);
  await drag(page, "d1", "e3");
  assert.equal(await word(), "white queen d1–e3 is no legal move. “Edit the board” lets you put pieces anywhere.");
  await drag(page, "d1", OFF);
  assert.equal(await word(), "“Edit the board” lets you remove pieces.");
  assert.equal(await fenOf(), ROOK);
  await edit();
  await drag(page, "d1", "e3");
  await settled(page, "8/8/2k5/1r6/8/4Q3/8/2K5 w - - 0 1");
  assert.equal(await word(), "The white queen is put on e3.");
  await drag(page, "b5", OFF);
  await settled(page, "8/8/2k5/8/8/4Q3/8/2K5 w - - 0 1");
  assert.equal(await word(), "The black rook is removed.");
  // Legal moves are edits, too.
  await drag(page, "e3", "e2");
  await settled(page, "8/8/2k5/8/8/8/4Q3/2K5 w - - 0 1");
  await edit();
  await drag(page, "e2", "d2");
  await settled(page, "8/8/2k5/8/8/8/3Q4/2K5 b - - 1 1");
});

test("a click puts the piece that is chosen, and a drag leaves it alone", async () => {
  await show(ROOK);
  await edit();
  await page.getByTitle("Puts a black knight").click();
  await page.mouse.click(...(await middle(page, "h8")));
  await settled(page, "7n/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1");
  // On another piece, too.
  await page.mouse.click(...(await middle(page, "b5")));
  await settled(page, "7n/8/2k5/1n6/8/8/8/2KQ4 w - - 0 1");
  await drag(page, "d1", "d4");
  await settled(page, "7n/8/2k5/1n6/3Q4/8/8/2K5 w - - 0 1");
  // To and fro.
  await page.mouse.move(...(await middle(page, "d4")));
  await page.mouse.down();
  await page.mouse.move(...(await middle(page, "d8")), { steps: 4 });
  await page.mouse.move(...(await middle(page, "d4")), { steps: 4 });
  await page.mouse.up();
  await page.getByTitle("Removes pieces").click();
  await page.mouse.click(...(await middle(page, "h8")));
  await settled(page, "8/8/2k5/1n6/3Q4/8/8/2K5 w - - 0 1");
  // With the board closed a click picks up again.
  await edit();
  await page.mouse.click(...(await middle(page, "d4")));
  await page.mouse.click(...(await middle(page, "e4")));
  await settled(page, "8/8/2k5/1n6/4Q3/8/8/2K5 b - - 1 1");
});

test("the piece that a pawn becomes is chosen", async () => {
  const promotion = "4k3/6KP/8/8/8/8/7p/8 w - - 0 1";
  await show(promotion);
  await drag(page, "h7", "h8");
  await page.waitForSelector("#promotion[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#promotion:not([open])", { state: "attached" });
  await settled(page, promotion);
  await drag(page, "h7", "h8");
  await page.getByRole("button", { name: "knight" }).click();
  await settled(page, "4k2N/6K1/8/8/8/8/7p/8 b - - 0 1");
});

test("the board is cleared and turned, and colours are exchanged", async () => {
  await show("8/8/8/8/1Pp5/8/k7/3K4 b - b3 0 1");
  await page.click("#swap");
  await settled(page, "3k4/K7/8/1pP5/8/8/8/8 w - b6 0 1");
  await page.click("#turn");
  assert.match(page.url(), /below=black/);
  await page.waitForFunction(() => document.querySelector(".coordinates .rank").textContent === "1");
  // The knight of g1 is dragged where it is seen.
  await drag(page, "c5", "b6");
  await settled(page, "3k4/K7/1P6/8/8/8/8/8 b - - 0 1");
  await page.click("#clear");
  await settled(page, "3k4/K7/8/8/8/8/8/8 b - - 0 1");
  await show("8/8/8/8/8/8/8/8 w - - 0 1");
  await page.click("#clear");
  await settled(page, "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
});

test("a FEN may have underscores, spaces, or no more than the board", async () => {
  for (const [text, fen] of [
    ["8/8/2k5/1r6/8/8/8/2KQ4_b_-_-_3_9", "8/8/2k5/1r6/8/8/8/2KQ4 b - - 3 9"],
    ["  8/8/2k5/1r6/8/8/8/2KQ4   b  -  - ", "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"],
    ["8/8/2k5/1r6/8/8/8/2KQ4", ROOK],
  ]) {
    await show("8/8/8/8/8/4k3/8/4K3 w - - 0 1");
    await page.fill("#fen", text);
    await page.keyboard.press("Enter");
    await settled(page, fen);
    await says(page, "verdict", /to move (wins|loses)/);
  }
});

test("what is wrong is told", async () => {
  await visit(page, browser.url, "#position");
  for (const [text, told] of [
    ["8/8/8/8/8/8/8/K7 w - - 0 1", /king/i],
    ["hello", /expected 8/],
    ["8/8/2k5/1r6/8/8/8/2KQ4 w - - 151 1", /expected 0 to 150/],
  ]) {
    await page.fill("#fen", text);
    await page.keyboard.press("Enter");
    await says(page, "verdict", told);
  }
  for (const [value, told] of [
    ["ply=abc", /The ply: “abc” can’t be; expected a number/],
    ["below=left", /expected white or black/],
    ["source=localhost:9000", /The server: .* expected an address that begins with http/],
  ]) {
    await show(ROOK, `&${value}`);
    assert.match(await page.textContent("#problems"), told);
    await says(page, "verdict", /White to move wins/);
  }
  await visit(page, browser.url, "#nowhere");
  assert.match(await page.textContent("#problems"), /no view “nowhere”: expected position, index, pieces/);
});

test("the skip link keeps the position", async () => {
  await show(ROOK);
  await page.focus("#skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.id"), "main");
  assert.equal(page.url(), new URL(position(ROOK), browser.url).href);
  assert.equal(await fenOf(), ROOK);
});

test("the whole table is counted", async () => {
  await show(ROOK);
  await page.locator("summary", { hasText: "whole table" }).click();
  await page.waitForSelector("#histogram canvas");
  // It stays from position to position.
  await page.click("#on");
  await page.waitForFunction(() => document.getElementById("ply").textContent.startsWith("1 of"));
  assert.equal(await page.locator("#histogram canvas").count(), 2);
  // The longest win of the queen is mate in 35 moves, as is published.
  await page.getByRole("link", { name: "Longest win of White: 69 plies" }).click();
  await says(page, "verdict", /Mate in 35 moves \(DTM 69 plies\)/);
});
