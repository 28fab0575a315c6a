// A browser, a file server for dist/, and what the tests do with the page.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

export const ROOT = join(import.meta.dirname, "..");
/** The page that is tested. */
const DIST = process.env.TBINDEX_DIST ?? join(ROOT, "dist");
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
};
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Serves the page and opens a browser; `close` ends both. A path of `once` is served once by its entry in place of a file. */
export async function open() {
  const once = new Map();
  const server = createServer((request, reply) => {
    const text = once.get(request.url);
    once.delete(request.url);
    if (text) return reply.writeHead(200, { "content-type": TYPES[extname(request.url)] }).end(text);
    const path = join(DIST, normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html"));
    if (!existsSync(path)) return reply.writeHead(404).end();
    reply
      .writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" })
      .end(readFileSync(path));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "page-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    // Nobody has to wait for animations.
    reducedMotion: "reduce",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  // Machines that do much else take long to solve.
  context.setDefaultTimeout(300_000);
  const url = `http://127.0.0.1:${server.address().port}/`;
  const close = async () => {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, url, once, close };
}

/** The browser of a file of tests, and the page that they share. */
export let browser, page;

/** Opens them before the tests of a file, which then prepare more, and closes them after these. An error of the page fails a test. */
export function useBrowser(prepare) {
  before(async () => {
    browser = await open();
    page = await browser.context.newPage();
    page.on("pageerror", (error) => assert.fail(error));
    await prepare?.();
  });
  after(() => browser?.close());
}

/** The module, in this process. */
export async function nativeModule() {
  const wasm = await import("../module/tbindex_wasm.js");
  wasm.initSync({ module: readFileSync(join(ROOT, "module/tbindex_wasm_bg.wasm")) });
  return wasm;
}

/** The address of a position, with more of the state. */
export const position = (fen, more = "") => `#position?fen=${fen.replaceAll(" ", "+")}${more}`;

/** Whether an answer, or a reason why there is none, is there. */
export const ANSWERED = "#answer[aria-busy=false]";

/** Shows a part of the page, begun anew, and waits for what it says. */
export async function visit(page, url, hash) {
  await page.goto("about:blank");
  await page.goto(new URL(hash, url).href);
  if (hash.startsWith("#index")) await page.waitForSelector("#index-view:not(:empty)");
  else if (hash.startsWith("#pieces")) await page.waitForSelector("#facts:not(:empty)");
  else await page.waitForSelector(ANSWERED, { state: "attached" });
}

/** Waits until the position of this FEN is shown and answered. */
export async function settled(page, fen) {
  await page.waitForFunction(
    (fen) => document.getElementById("fen").value === fen && document.getElementById("answer").ariaBusy === "false",
    fen,
  );
}

/** Waits until an element's text has this. */
export async function says(page, id, pattern) {
  await page.waitForFunction(
    ([id, source]) => new RegExp(source).test(document.getElementById(id).textContent),
    [id, pattern.source],
  );
}

/** The middle of a square of the board, which is scrolled into view. */
export async function middle(page, square) {
  await page.locator("#board").scrollIntoViewIfNeeded();
  const box = await page.locator(`.board rect[data-square="${square}"]`).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Drags from a square to another, or to a point. */
export async function drag(page, from, to) {
  await page.mouse.move(...(await middle(page, from)));
  await page.mouse.down();
  await page.mouse.move(...(typeof to === "string" ? await middle(page, to) : to), { steps: 4 });
  await page.mouse.up();
}

export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails where axe finds something. */
export async function isAccessible(page, name) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run());
  const told = ({ target, failureSummary }) => `${target} ${failureSummary}`;
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(told).join("; ")}`);
  assert.deepEqual(found, [], name);
}
