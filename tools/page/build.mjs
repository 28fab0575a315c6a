// Builds the page into dist/, which any file server can serve. The module comes from module/, which build.sh links.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const board = dirname(createRequire(import.meta.url).resolve("cm-chessboard/package.json"));
const pkg = `${here}/module`;

rmSync(`${here}/dist`, { recursive: true, force: true });
mkdirSync(`${here}/dist`);
await build({
  entryPoints: [`${here}/src/main.ts`, `${here}/src/worker.ts`, `${here}/src/style.css`],
  outdir: `${here}/dist`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  alias: { "tbindex-wasm": `${pkg}/tbindex_wasm.js` },
  logLevel: "warning",
});
cpSync(`${here}/src/index.html`, `${here}/dist/index.html`);
// The mark in front says that it is UTF-8, which servers don't.
writeFileSync(`${here}/dist/readme.txt`, "\ufeff" + readFileSync(`${here}/../../README.md`, "utf8"));
cpSync(`${pkg}/tbindex_wasm_bg.wasm`, `${here}/dist/tbindex_wasm_bg.wasm`);
cpSync(`${board}/assets/pieces/standard.svg`, `${here}/dist/pieces.svg`);
cpSync(`${board}/assets/extensions/markers/markers.svg`, `${here}/dist/markers.svg`);
