// The views of an index and of short-range pieces.
import assert from "node:assert/strict";
import test from "node:test";
import { browser, nativeModule, page, says, useBrowser, visit } from "./browser.mjs";

const INDEX = "#index?fen=8/8/2k5/1r6/8/8/8/2KQ4+w+-+-+0+1";
useBrowser();

const show = (hash) => visit(page, browser.url, hash);

test("an index: eight images, and a click turns the board", async () => {
  await show(INDEX);
  assert.match(await page.textContent("#index-value"), /KQvKR: 05042231/);
  const images = page.locator(".images button");
  assert.equal(await images.count(), 8);
  const slots = await page.locator("#slots dd").allTextContents();
  assert.equal(slots.length, 8);
  for (const slot of slots) assert.match(slot, /^[\d,]+ of [\d,]+\. [A-Z].+\.$/);
  await images.nth(1).click();
  await page.waitForFunction(() => !document.getElementById("index-value").textContent.includes("05042231"));
  assert.match(page.url(), /fen=8\/8\/5k2\/6r1\/8\/8\/8\/4QK2/);
});

test("symmetries say how they turn, and what they do under each numbering", async () => {
  const wasm = await nativeModule();
  for (const [numbering, exchange] of [
    ["natural", /^the halves are exchanged/],
    ["alternate", /^two bits of each low digit are exchanged/],
  ]) {
    await show(`${INDEX}&numbering=${numbering}`);
    await says(page, "index-value", new RegExp(numbering));
    const names = await page.locator(".images strong").allTextContents();
    assert.ok(names.includes("rotate 90 (clockwise)") && names.includes("rotate 270 (counter-clockwise)"));
    const notes = await page.locator(".images li > .note:nth-of-type(3)").allTextContents();
    const { images } = wasm.index("8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1", numbering);
    for (const [k, { exchanges, symmetry, index, changed }] of images.entries()) {
      assert.match(notes[k], exchanges ? exchange : symmetry === "identity" ? /^no bit changes$/ : /^one XOR: changes/);
      // No symmetry changes a high digit of the alternate numbering.
      if (numbering === "alternate") assert.match(changed.padStart(index.length, "0"), /^0000/, symmetry);
    }
  }
  // Clockwise, a1 comes to a8.
  const corner = wasm.index("7k/8/8/8/8/8/8/K7 w - - 0 1", "natural").images.find(({ symmetry }) => symmetry === "rotate_90");
  assert.equal(corner.placement, "K7/8/8/8/8/8/8/7k");
});

test("an index has a position", async () => {
  await show(INDEX);
  assert.equal(await page.inputValue("#digits"), "05042231");
  await page.fill("#material", "KBNvK");
  await page.fill("#digits", "0o00070123");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.hash.includes("1r6"));
  await says(page, "index-value", /^KBNvK: 00070123/);
  for (const [index, told] of [
    ["9", /expected up to 8 octal digits/],
    ["777777777", /expected up to 8 octal digits/],
    ["0", /two pieces stand on a1/],
  ]) {
    await page.fill("#digits", index);
    await page.keyboard.press("Enter");
    await says(page, "of-index-status", told);
  }
  await page.fill("#material", "KvX");
  await page.keyboard.press("Enter");
  await says(page, "of-index-status", /KvX/);
});

test("up to 21 pieces have an index", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await show("#index?fen=rnbqkbnr/ppp5/8/8/8/8/PPP5/RNBQKBN1+w+-+-+0+1");
  await says(page, "index-value", /^K\w+vK\w+: [0-7]{42} natural/);
  const slots = await page.locator("#slots dd").allTextContents();
  assert.match(slots[0], /^[\d,]+ of /);
  assert.match(slots[7], /^none, as there are more than 10 pieces, of /);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await show("#index?fen=rnbqkbnr/pppp4/8/8/8/8/PPP5/RNBQKBN1+w+-+-+0+1");
  assert.match(await page.textContent("#index-view"), /22 pieces/);
});

test("a piece is clicked together, typed and chosen", async () => {
  await show("#pieces?piece=none");
  await page.getByLabel("1 forward", { exact: true }).click();
  await says(page, "facts", /fW/);
  await page.getByLabel("1 back", { exact: true }).click();
  await says(page, "facts", /vW/);
  assert.match(await page.textContent("#piece-verdict"), /Bound/);
  assert.match(await page.textContent("#facts"), /every other file \(no or two files\)/);
  await page.fill("#piece", "queen");
  await page.keyboard.press("Enter");
  await says(page, "facts", /^"queen" is not a name/);
  // Each name that can be chosen can be typed.
  const names = await page.locator("#named option[value]:not([value=''])").evaluateAll((all) => all.map(({ value }) => value));
  assert.ok(names.length > 20 && names.includes("gold"), String(names));
  await page.selectOption("#named", "gold");
  await says(page, "mates", /74 plies/);
  await page.fill("#piece", "Shogi-Knight");
  await page.keyboard.press("Enter");
  await says(page, "facts", /ffN/);
  await page.locator("#records summary").click();
  await page.getByRole("button", { name: "brFfsDflAllN" }).first().click();
  await says(page, "mates", /446 plies/);
});

test("what can't be is told, and what can is kept", async () => {
  for (const [query, told] of [
    ["width=8.5", /Files: “8\.5” can’t be; expected a whole number from 1 to 16/],
    ["height=-3", /Ranks: “-3” can’t be; expected a whole number/],
    ["width=17", /from 1 to 16/],
    ["from=x9", /From square: “x9” can’t be; expected a square such as a1/],
  ]) {
    await show(`#pieces?piece=N&${query}`);
    assert.match(await page.textContent("#problems"), told);
    await says(page, "reach", /From e4 it reaches 64 of 64/);
  }
  await page.fill("#width", "8.5");
  await page.keyboard.press("Enter");
  await says(page, "problems", /Files: “8\.5”/);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const { y } = await page.locator("#problems").boundingBox();
  assert.ok(y >= 0, `the complaint is ${-y} pixels above the screen`);
  assert.equal(await page.inputValue("#width"), "8");
  await page.fill("#from", "A1");
  await page.keyboard.press("Enter");
  await says(page, "reach", /From a1 it reaches 64/);
  assert.equal(await page.textContent("#problems"), "");
  await show("#pieces?piece=N&width=5&height=5&from=h8");
  await says(page, "facts", /h8 is no square of the 5×5 board/);
});

test("the records' numbers are those of the pieces", async () => {
  const wasm = await nativeModule();
  await show("#pieces");
  const rows = await page
    .locator("#records tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  let numbers = 0;
  for (const [title, piece, fact] of rows) {
    const mates = wasm.mates(piece, 8, 8);
    const share = (digits) => (100 * mates.share).toFixed(digits);
    for (const [, plies] of fact.matchAll(/(\d+) plies/g))
      numbers += assert.equal(Number(plies), mates.longest, title) ?? 1;
    for (const [, percent] of fact.matchAll(/([\d.]+) %/g))
      numbers += assert.equal(percent, share(percent.split(".")[1]?.length ?? 0), title) ?? 1;
    for (const [, wins] of fact.matchAll(/wins (\d+) pos/g))
      numbers += assert.equal(Number(wins), mates.wins_white, title) ?? 1;
  }
  assert.equal(rows.length, 18);
  assert.ok(numbers >= 14, String(numbers));
});
