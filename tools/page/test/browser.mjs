// A browser, and a file server for dist/.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

export const ROOT = join(import.meta.dirname, "..");
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
};
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Serves the page and opens a browser; `close` ends both. */
export async function open() {
  const server = createServer((request, reply) => {
    const path = join(ROOT, "dist", normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html"));
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
  const url = `http://127.0.0.1:${server.address().port}/`;
  const close = async () => {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, url, close };
}

/** Waits until the position's answer is there. */
export async function settled(page, fen) {
  await page.waitForFunction(
    (fen) => document.getElementById("fen")?.value === fen && document.getElementById("answer").ariaBusy === "false",
    fen,
  );
}
