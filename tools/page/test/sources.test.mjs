// Answers from Syzygy files and from servers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import test from "node:test";
import { browser, nativeModule, page, position, ROOT, says, useBrowser, visit } from "./browser.mjs";

const TBSERVE = process.env.TBSERVE ?? join(ROOT, "../../target/debug/tbserve");
const SYZYGY = join(ROOT, "../../../shared/data/syzygy");
useBrowser();

test(
  "dropped Syzygy files answer",
  { skip: !existsSync(join(SYZYGY, "KQvK.rtbz")) && `no files in ${SYZYGY}` },
  async () => {
    await visit(page, browser.url, position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "&source=files"));
    assert.match(await page.textContent("#verdict"), /^The files KQvK.rtbw and KQvK.rtbz are needed/);
    await page.setInputFiles(
      "#files",
      ["rtbw", "rtbz"].map((end) => join(SYZYGY, `KQvK.${end}`)),
    );
    await says(page, "verdict", /White to move wins/);
    const rook = ["rtbw", "rtbz"].map((end) => join(SYZYGY, `KRvK.${end}`));
    await page.setInputFiles("#files", rook);
    await says(page, "files-status", /^Tables: KQvK, KRvK\.$/);
    await page.setInputFiles("#files", join(ROOT, "package.json"));
    await says(page, "files-status", /package.json: expected .rtbw and .rtbz files/);
  },
);

/** The texts of the position view that a server can tell, too. */
const shown = () =>
  page.evaluate(() => ["#verdict", ".moves tbody", ".line"].map((name) => document.querySelector(name)?.textContent));

/** Answers as lichess does, from the module; of some moves nothing is known. */
async function lichess(unknown = () => false) {
  const wasm = await nativeModule();
  const reply = ({ worth: { outcome, dtz, dtm }, checkmate, stalemate }) => {
    const sign = outcome.endsWith("loss") ? -1 : outcome === "draw" ? 0 : 1;
    return { category: outcome.replace(" ", "-"), dtz: sign * dtz, dtm: sign * dtm, checkmate, stalemate };
  };
  const nothing = { category: "unknown", dtz: null, dtm: null, checkmate: false, stalemate: false };
  const server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    const solution = wasm.solve(searchParams.get("fen"));
    const moves = solution.moves.map(({ uci, san, fen }) => {
      const zeroing = / 0 1$/.test(fen);
      return { uci, san, zeroing, ...(unknown(san) ? nothing : reply(wasm.solve(fen))) };
    });
    const body = pathname.endsWith("mainline")
      ? { mainline: solution.line.map(({ uci }) => ({ uci })) }
      : { ...(unknown("") ? nothing : reply(solution)), moves };
    const head = { "access-control-allow-origin": "*", "content-type": "application/json" };
    answer.writeHead(200, head).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

test("a server with lichess's interface answers as the solver does", async () => {
  const server = await lichess();
  try {
    for (const fen of ["8/8/8/3k4/8/8/3KP3/8 w - - 0 1", "8/6KP/8/8/8/8/5p2/5k2 b - - 0 1"]) {
      await visit(page, browser.url, position(fen));
      const own = await shown();
      await visit(page, browser.url, position(fen, `&source=${server.address}`));
      assert.deepEqual(await shown(), own);
    }
  } finally {
    server.close();
  }
});

test("a server's answer is shown although it does not know all", async () => {
  const fen = "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1";
  const results = () => page.locator(".moves tbody .result").allTextContents();
  for (const [unknown, verdict] of [
    [(san) => san === "Qd2", /^White to move wins\. Mate in/],
    [(san) => san !== "Qd2", /^White to move: the server does not know/],
  ]) {
    const server = await lichess(unknown);
    try {
      await visit(page, browser.url, position(fen, `&source=${server.address}`));
      assert.match(await page.textContent("#verdict"), verdict);
      const all = await results();
      assert.ok(all.includes("unknown") && all.some((result) => result !== "unknown"), String(all));
    } finally {
      server.close();
    }
  }
});

test("a server that can't be reached is told", async () => {
  const server = await lichess();
  server.close();
  const from = (address) => position("8/8/8/3k4/8/8/3KP3/8 w - - 0 1", `&source=${address}`);
  await visit(page, browser.url, from(server.address));
  assert.match(await page.textContent("#verdict"), /can't be reached/);
  // The page's own server has files alone.
  await visit(page, browser.url, from(browser.url.replace(/\/$/, "")));
  assert.match(await page.textContent("#verdict"), /answers 404: expected a server with lichess’s interface\.$/);
});

test(
  "tbserve serves the page, is the server that is offered there, and answers as the solver does",
  { skip: !existsSync(TBSERVE) && `no ${TBSERVE}: cargo build -p tbserve` },
  async () => {
    const program = spawn(TBSERVE, ["--listen", "127.0.0.1:0", "--page", join(ROOT, "dist")]);
    try {
      const [output] = await once(program.stdout, "data");
      const address = String(output).trim();
      for (const fen of ["8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1", "8/8/8/3pK3/2kP4/8/8/8 b - - 0 1"]) {
        await visit(page, address, position(fen));
        const own = await shown();
        await page.selectOption("#source", "server");
        await page.waitForURL((url) => url.hash.includes("source=http"));
        assert.equal(await page.inputValue("#server"), `${address}/`);
        await page.waitForSelector("#answer[aria-busy=false]", { state: "attached" });
        const [verdict, moves, line] = await shown();
        assert.deepEqual([verdict, moves], own.slice(0, 2));
        // It may choose other moves that are equally good.
        assert.match(line, /#$/);
      }
      // From elsewhere that of the field is offered.
      await visit(page, browser.url, "#position");
      await page.selectOption("#source", "server");
      await page.waitForURL((url) => decodeURIComponent(url.hash).includes("source=http://127.0.0.1:9000"));
    } finally {
      program.kill();
    }
  },
);
