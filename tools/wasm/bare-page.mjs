// Runs a program on a bare page in chromium: node bare-page.mjs BROWSER PROGRAM, in a folder with the package in node_modules.
// Prints what the program prints, and fails with what it throws.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [browser, program] = process.argv.slice(2);
const imports = { "tbindex-wasm": "./node_modules/tbindex-wasm/pkg/tbindex_wasm.js" };
const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">
  const printed = [];
  console.log = (...values) => printed.push(values.join(" "));
  const tell = (error) => fetch("told", { method: "POST", body: JSON.stringify({ printed, error }) });
  import("./${program}").then(() => tell(), (error) => tell(String(error)));
</script>`;
const types = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
const profile = mkdtempSync(join(tmpdir(), "bare-"));

async function answer(request, reply) {
  if (request.url === "/") return reply.writeHead(200, { "content-type": "text/html" }).end(page);
  const type = types[request.url.split(".").pop()];
  if (type) return reply.writeHead(200, { "content-type": type }).end(readFileSync(`.${request.url}`));
  if (request.method !== "POST") return reply.writeHead(404).end();
  const { printed, error } = JSON.parse((await request.toArray()).join(""));
  for (const line of printed) console.log(line);
  if (error) console.error(error);
  process.exitCode = error ? 1 : 0;
  child.kill();
}

const server = createServer(answer).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`];
const child = spawn(browser, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
process.exitCode = 1;
child.once("exit", () => {
  server.closeAllConnections();
  server.close();
  rmSync(profile, { recursive: true, force: true });
});
