// Solves the 35 tables of 3 and 4 pieces, each after those that it needs, and prints the processor time that each takes:
// node bench.mjs [pkg]
import { readFileSync } from "node:fs";
import { materials } from "./materials.mjs";

const folder = new URL(`./${process.argv[2] ?? "pkg"}/`, import.meta.url);
const wasm = await import(new URL("tbindex_wasm.js", folder));
wasm.initSync({ module: readFileSync(new URL("tbindex_wasm_bg.wasm", folder)) });

for (const metric of ["dtz", "dtm"]) {
  const times = materials.map((material) => {
    const before = process.cpuUsage();
    wasm.checksum(material, metric, 2 ** 31);
    const { user, system } = process.cpuUsage(before);
    return { material, ms: (user + system) / 1000 };
  });
  times.sort((a, b) => a.ms - b.ms);
  const [median, last] = [times[17], times.at(-1)];
  const sum = times.reduce((all, { ms }) => all + ms, 0);
  console.log(
    `${metric}: median ${median.ms.toFixed(0)} ms, most ${last.ms.toFixed(0)} ms (${last.material}), all ${(sum / 1000).toFixed(2)} s`,
  );
}
