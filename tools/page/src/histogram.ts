// The histogram of a table: how many positions are won and lost in how many plies.
import type { Counts, SideCounts } from "tbindex-wasm";
import uPlot from "uplot";
import { h, plural, table } from "./dom";
import { hrefOf } from "./state";

const NAMES = ["wins", "cursed wins", "draws", "blessed losses", "losses"];

/** A colour of the style sheet, as it is in the scheme, light or dark. */
function color(name: string): string {
  const probe = h("span", { style: `color:var(${name})` });
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

function plot(side: SideCounts, name: string): HTMLElement {
  const counts = [new Map(side.wins), new Map(side.losses)];
  const last = Math.max(0, ...side.wins.map(([plies]) => plies), ...side.losses.map(([plies]) => plies));
  const plies = Array.from({ length: last + 1 }, (_, ply) => ply);
  const [wins, losses] = counts.map((of) => plies.map((ply) => of.get(ply) ?? null)) as [
    (number | null)[],
    (number | null)[],
  ];
  const label = `${name} to move: ${NAMES.map((word, k) => `${side.outcomes[k]!.toLocaleString("en")} ${word}`)
    .filter((_, k) => side.outcomes[k])
    .join(", ")}`;
  const place = h("div", { class: "plot", role: "img", "aria-label": `Histogram. ${label}` });
  const axis = { stroke: color("--text"), grid: { stroke: color("--line") }, font: "12px system-ui" };
  const bars = uPlot.paths.bars!({ size: [0.9] });
  const series = (title: string, variable: string) => ({
    label: title,
    fill: color(variable),
    stroke: color(variable),
    width: 0,
    paths: bars,
    points: { show: false },
  });
  requestAnimationFrame(() => {
    const width = Math.max(240, Math.min(640, place.clientWidth || 320));
    new uPlot(
      {
        width,
        height: 180,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: [-1, last + 1] },
          y: { distr: 3, range: (_, __, max) => [0.5, Math.max(2, 2 * max)] },
        },
        axes: [
          { ...axis, label: "plies to mate", labelSize: 20, size: 34 },
          {
            ...axis,
            grid: { show: false },
            size: 46,
            values: (_, ticks) => ticks.map((tick) => (tick && Math.log10(tick) % 1 === 0 ? SHORT.format(tick) : "")),
          },
        ],
        series: [{}, series("won", "--win"), series("lost", "--loss")],
      },
      [plies, wins, losses],
      place,
    );
  });
  return h("figure", {}, h("figcaption", {}, label), place);
}

/** The plots of both sides, and the numbers as a table. */
export function histogram(counts: Counts): HTMLElement {
  const longest = (side: SideCounts, name: string) => {
    const [last, [fen]] = [side.wins.at(-1), side.longest];
    const text = last && `Longest win of ${name}: ${plural(last[0], "ply")}`;
    return text && h("span", {}, h("a", { href: hrefOf({ fen, ply: "0" }) }, text), ". ");
  };
  const rows = NAMES.map((name, k) => [
    name,
    ...[counts.white, counts.black].map((side) => side.outcomes[k]!.toLocaleString("en")),
  ]);
  return h(
    "div",
    {},
    h(
      "p",
      {},
      h("span", { class: "key win" }, "won"),
      " ",
      h("span", { class: "key loss" }, "lost"),
      ` by the side to move; every position of ${counts.material}, up to symmetry. `,
      longest(counts.white, "White"),
      longest(counts.black, "Black"),
    ),
    plot(counts.white, "White"),
    plot(counts.black, "Black"),
    h(
      "div",
      { class: "scroll" },
      table(
        "Positions by result, for the side to move; cursed wins and blessed losses are draws by the fifty-move rule",
        ["Result", "White to move", "Black to move"],
        rows,
      ),
    ),
  );
}
