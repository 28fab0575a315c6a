// Clicks through the three views in a real browser. TBINDEX_POSITIONS=1000 compares so many positions with native
// answers (40 by default, none with 0); TBINDEX_SCREENSHOTS=1 writes screenshots to screenshots/.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { open, ROOT, settled } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const VIEWS = {
  position: "#position?fen=8/8/2k5/1r6/8/8/8/2KQ4+w+-+-+0+1",
  index: "#index?fen=8/8/2k5/1r6/8/8/8/2KQ4+w+-+-+0+1",
  pieces: "#pieces?piece=brFfsDflAllN",
  bound: "#pieces?piece=hlN&width=16&height=16",
};
let browser,
  page,
  requests = [],
  errors = [];

before(async () => {
  browser = await open();
  page = await browser.context.newPage();
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(error));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
});
after(() => browser?.close());

async function visit(hash, url = browser.url) {
  await page.goto("about:blank");
  await page.goto(new URL(hash, url).href);
  if (hash.startsWith("#position")) await page.waitForSelector("#answer[aria-busy=false]", { state: "attached" });
  if (hash.startsWith("#index")) await page.waitForSelector("#index-value");
  if (hash.startsWith("#pieces")) await page.waitForSelector("#mates:not(:empty)");
}

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

const count = Number(process.env.TBINDEX_POSITIONS ?? 40);
test("positions have the native answers", { skip: !count && "TBINDEX_POSITIONS is 0" }, async () => {
  const cargo = ["run", "--quiet", "--locked", "--profile", "quick", "--example", "native", "--", "solve"];
  const options = {
    cwd: join(ROOT, "../wasm"),
    input: positions(2 * count).join("\n"),
    maxBuffer: 1 << 28,
    encoding: "utf8",
  };
  // Illegal positions, in which the side to move could take the king, are left out.
  const all = execFileSync("cargo", cargo, options)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const solved = all.filter((answer) => answer.fen).slice(0, count);
  assert.equal(solved.length, count);
  await visit("#position");
  for (const expected of solved) {
    await page.evaluate((fen) => (location.hash = `#position?fen=${fen.replaceAll(" ", "+")}`), expected.fen);
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
    assert.deepEqual(found.moves, moves, expected.fen);
    assert.deepEqual(
      found.line,
      expected.line.map(({ san }) => san),
      expected.fen,
    );
    assert.equal(
      found.marks.some((mark) => mark.startsWith("Mutual")),
      !!expected.mutual_zugzwang,
      expected.fen,
    );
    const { outcome, dtm } = expected.worth;
    if (outcome === "win" || (outcome === "loss" && dtm))
      assert.ok(found.verdict.includes(`Mate in ${Math.ceil(dtm / 2)} `), `${expected.fen}: ${found.verdict}`);
    if (outcome === "draw") assert.match(found.verdict, /draw/, expected.fen);
  }
});

test("a move is played by a click and by dragging, and Back takes it back", async () => {
  await visit("#position?fen=8/8/8/8/8/1k6/8/K6R+w+-+-+0+1");
  const before = await page.inputValue("#fen");
  await page.locator(".moves tbody button").first().click();
  await page.waitForFunction((fen) => document.getElementById("fen").value !== fen, before);
  assert.match(await page.inputValue("#fen"), / b - - 1 1$/);
  await page.goBack();
  await settled(page, before);
  const square = async (name) => {
    const box = await page.locator(`.board [data-square="${name}"]`).first().boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await page.mouse.move(...(await square("h1")));
  await page.mouse.down();
  await page.mouse.move(...(await square("h8")), { steps: 4 });
  await page.mouse.up();
  await settled(page, "7R/8/8/8/8/1k6/8/K7 b - - 1 1");
});

test("best play is played through with the keyboard, and the step is in the address", async () => {
  await visit(VIEWS.position);
  const steps = await page.locator(".line button").count();
  assert.ok(steps > 10);
  await page.getByLabel("One move on").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.match(page.url(), /ply=2/);
  assert.equal(await page.textContent("#ply"), `ply 2 of ${steps}`);
  await page.getByLabel("To the end").click();
  assert.match(page.url(), new RegExp(`ply=${steps}`));
});

test("the whole table is counted", async () => {
  await visit(VIEWS.position);
  await page.locator("summary", { hasText: "whole table" }).click();
  await page.waitForSelector("#histogram canvas");
  // The longest win of the queen is mate in 35 moves, as is published.
  await page.getByRole("link", { name: "Longest win of White: 69 plies" }).click();
  await page.waitForFunction(() =>
    /Mate in 35 moves \(69 plies\)/.test(document.getElementById("verdict").textContent),
  );
});

test("a wrong FEN is told", async () => {
  await visit("#position");
  await page.fill("#fen", "8/8/8/8/8/8/8/K7 w - - 0 1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /king/i.test(document.getElementById("verdict").textContent));
  await page.fill("#fen", "hello");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /expected 8/.test(document.getElementById("verdict").textContent));
});

test("of too many pieces it is told who knows them", async () => {
  await visit("#position?fen=8/8/2k5/1r6/3q4/8/3N4/2KQ4+w+-+-+0+1");
  assert.match(await page.textContent("#verdict"), /choose a server .* Syzygy files/);
});

const syzygy = join(ROOT, "../../../shared/data/syzygy");
test(
  "dropped Syzygy files answer",
  { skip: !existsSync(join(syzygy, "KQvK.rtbz")) && `no files in ${syzygy}` },
  async () => {
    await visit("#position?fen=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&source=files");
    assert.match(await page.textContent("#verdict"), /^The files KQvK.rtbw and KQvK.rtbz are needed/);
    const files = ["rtbw", "rtbz"].map((end) => join(syzygy, `KQvK.${end}`));
    await page.setInputFiles("#files", files);
    await page.waitForFunction(() => /White to move wins/.test(document.getElementById("verdict").textContent));
  },
);

/** What the position view says, but for what a server does not tell. */
const shown = () =>
  page.evaluate(() => ["#verdict", ".moves tbody", ".line"].map((name) => document.querySelector(name)?.textContent));

test("a server with lichess's interface answers as the solver does", async () => {
  const wasm = await import("../../wasm/pkg/tbindex_wasm.js");
  wasm.initSync({ module: readFileSync(join(ROOT, "../wasm/pkg/tbindex_wasm_bg.wasm")) });
  const reply = (solution) => {
    const { outcome, dtz, dtm } = solution.worth;
    const sign = outcome.endsWith("loss") ? -1 : outcome === "draw" ? 0 : 1;
    const { checkmate, stalemate } = solution;
    return { category: outcome.replace(" ", "-"), dtz: sign * dtz, dtm: sign * dtm, checkmate, stalemate };
  };
  const asked = [];
  const server = createServer((request, answer) => {
    const url = new URL(request.url, "http://x");
    const solution = wasm.solve(url.searchParams.get("fen"));
    asked.push(url.pathname);
    const moves = solution.moves.map(({ uci, san, fen }) => ({
      uci,
      san,
      zeroing: / 0 1$/.test(fen),
      ...reply(wasm.solve(fen)),
    }));
    const body = url.pathname.endsWith("mainline")
      ? { mainline: solution.line.map(({ uci }) => ({ uci })) }
      : { ...reply(solution), moves };
    answer
      .writeHead(200, { "access-control-allow-origin": "*", "content-type": "application/json" })
      .end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    for (const fen of ["8/8/8/3k4/8/8/3KP3/8 w - - 0 1", "8/6KP/8/8/8/8/5p2/5k2 b - - 0 1"]) {
      const address = `#position?fen=${fen.replaceAll(" ", "+")}`;
      await visit(address);
      const own = await shown();
      await visit(`${address}&source=http://127.0.0.1:${server.address().port}`);
      assert.deepEqual(await shown(), own);
    }
    assert.deepEqual([...new Set(asked)].sort(), ["/standard", "/standard/mainline"]);
  } finally {
    server.close();
    requests = requests.filter((url) => !url.includes("/standard"));
  }
});

const tbserve = process.env.TBSERVE ?? join(ROOT, "../../target/debug/tbserve");
test(
  "tbserve serves the page, and answers as the solver does",
  { skip: !existsSync(tbserve) && `no ${tbserve}: cargo build -p tbserve` },
  async () => {
    const server = spawn(tbserve, ["--listen", "127.0.0.1:0", "--page", join(ROOT, "dist")]);
    try {
      const [output] = await once(server.stdout, "data");
      const address = String(output).trim();
      for (const fen of ["8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1", "8/8/8/3pK3/2kP4/8/8/8 b - - 0 1"]) {
        const hash = `#position?fen=${fen.replaceAll(" ", "+")}`;
        await visit(hash);
        const own = await shown();
        requests.length = 0;
        await visit(`${hash}&source=${address}`, address);
        const [verdict, moves, line] = await shown();
        assert.deepEqual([verdict, moves], own.slice(0, 2));
        // Of equally good moves it may choose others.
        assert.match(line, /#$/);
        const paths = requests.filter((url) => url.startsWith(address)).map((url) => new URL(url).pathname);
        for (const path of ["/", "/main.js", "/standard", "/standard/mainline"]) assert.ok(paths.includes(path), path);
      }
    } finally {
      server.kill();
      requests.length = 0;
    }
  },
);

test("an index: eight images, and a click turns the board", async () => {
  await visit(VIEWS.index);
  assert.match(await page.textContent("#index-value"), /KQvKR: 05042231/);
  const images = page.locator(".images button");
  assert.equal(await images.count(), 8);
  const slots = await page.locator("#slots dd").allTextContents();
  assert.equal(slots.length, 8);
  for (const slot of slots) assert.match(slot, /^[\d,]+ of [\d,]+\. [A-Z].+\.$/);
  await images.nth(1).click();
  await page.waitForFunction(() => !document.getElementById("index-value").textContent.includes("05042231"));
  assert.match(page.url(), /fen=8\/8\/5k2\/6r1\/8\/8\/8\/4QK2/);
  await page.getByLabel("alternate").check();
  await page.waitForFunction(() => document.getElementById("index-value").textContent.includes("alternate"));
  assert.match(page.url(), /numbering=alternate/);
  await page.getByText("The alternate numbering: no symmetry").waitFor();
});

test("a piece is clicked together", async () => {
  await visit("#pieces?piece=none");
  await page.getByLabel("1 forward", { exact: true }).click();
  await page.waitForFunction(() => document.querySelector("#facts").textContent.includes("fW"));
  await page.getByLabel("1 back", { exact: true }).click();
  await page.waitForFunction(() => document.querySelector("#facts").textContent.includes("vW"));
  assert.match(await page.textContent("#piece-verdict"), /Bound/);
  assert.match(await page.textContent("#facts"), /every other file \(no or two files\)/);
  await page.fill("#piece", "queen");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^"queen" is not a name/.test(document.querySelector("#facts").textContent));
  await page.selectOption("#named", "WfF");
  await page.waitForFunction(() => document.querySelector("#mates").textContent.includes("74 plies"));
  await page.locator("#records summary").click();
  await page.getByRole("button", { name: "brFfsDflAllN" }).first().click();
  await page.waitForFunction(() => document.querySelector("#mates").textContent.includes("446 plies"));
});

test("the records' numbers are those of the pieces", async () => {
  const wasm = await import("../../wasm/pkg/tbindex_wasm.js");
  wasm.initSync({ module: readFileSync(join(ROOT, "../wasm/pkg/tbindex_wasm_bg.wasm")) });
  await visit(VIEWS.pieces);
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

for (const [width, viewport] of Object.entries(WIDTHS)) {
  for (const scheme of ["light", "dark"]) {
    test(`no violation on a ${width}, ${scheme}`, async () => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme });
      for (const [view, hash] of Object.entries(VIEWS)) {
        await visit(hash);
        if (view === "position") {
          await page.locator("summary", { hasText: "whole table" }).click();
          await page.waitForSelector("#histogram canvas");
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${view} is ${wide} pixels wider than a ${width}`);
        const cut = await page
          .locator(".scroll")
          .evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel));
        assert.deepEqual(cut, [], view);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => axe.run());
        const found = violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map(({ target, failureSummary }) => `${target} ${failureSummary}`)
              .slice(0, 3)
              .join("; ")}`,
        );
        assert.deepEqual(found, [], view);
        if (process.env.TBINDEX_SCREENSHOTS) {
          mkdirSync(join(ROOT, "screenshots"), { recursive: true });
          await page.screenshot({ path: join(ROOT, `screenshots/${view}-${width}-${scheme}.png`), fullPage: true });
        }
      }
    });
  }
}

test("the page asks nobody else, and makes no errors", async () => {
  await page.goto("about:blank");
  const begin = performance.now();
  await page.goto(browser.url);
  await page.waitForSelector("#answer[aria-busy=false]", { state: "attached" });
  const seconds = (performance.now() - begin) / 1000;
  console.log(`usable after ${seconds.toFixed(2)} s`);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(browser.url) && !/^(about|data|blob):/.test(url)),
    [],
  );
  const readme = await page.request.get(new URL(await page.getAttribute("footer a", "href"), browser.url).href);
  assert.match(await readme.text(), /^\ufeff# tbindex/);
  assert.deepEqual(errors, []);
});
