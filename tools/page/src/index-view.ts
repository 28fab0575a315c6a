// The view of an index: digits, images, canonical form, slots, numberings.
import type { Index } from "tbindex-wasm";
import { smallBoard, squaresOf } from "./board";
import { call } from "./client";
import { byId, fill, h, table } from "./dom";
import { change, state } from "./state";

/** The numberings of the squares, and how each reads. */
const NUMBERINGS: Record<string, string> = {
  natural: "the high digit is the rank, the low one the file, both from 0",
  alternate: "no symmetry of the board changes a high digit",
};

/** What each scheme numbers. */
const SCHEMES: Record<string, string> = {
  triangle:
    "The oldest scheme: one leading piece in the triangle a1–d1–d4, with pawns on the files a to d, and all others anywhere.",
  orbit: "By bit operations alone; the images of a position share one slot.",
  kings: "The classical scheme of generators: the kings, not on neighbouring squares, and all others anywhere.",
  compact_all: "The kings, then each set of like pieces. Squares may be shared.",
  compact_distinct: "As compact all, with no two pieces on one square.",
  compact_shared: "As compact all, with the kings not on neighbouring squares.",
  compact_both:
    "As compact exact, but with both kings on the diagonal, a position and its mirror image have a slot each.",
  compact_exact: "No two pieces on one square, kings not on neighbouring squares: one slot for all equal positions.",
};

/** Octal digits of which the first half is coloured as high ones; digits that differ from `before` are marked. */
function digits(index: string, before = index): HTMLElement {
  const half = index.length / 2;
  const spans = [...index].map((digit, k) => {
    const kind = k < half ? "high" : "low";
    return h("span", { class: digit === before[k] ? kind : `${kind} changed` }, digit);
  });
  return h("code", { class: "digits" }, ...spans);
}

function digitTable(all: Index[]): HTMLElement {
  const pieces = all[0]!.pieces;
  const rows = all.map(({ numbering, index, pieces }) => [
    numbering,
    digits(index),
    ...pieces.map(({ high, low }) =>
      h(
        "code",
        { class: "digits" },
        h("span", { class: "high" }, String(high)),
        h("span", { class: "low" }, String(low)),
      ),
    ),
  ]);
  const head = ["Numbering", "Index (octal)", ...pieces.map(({ letter, square }) => `${letter} ${square}`)];
  return table("The digits of every piece, under both numberings", head, rows);
}

function images(index: Index): HTMLElement {
  const [, ...rest] = state.fen.split(" ");
  const items = index.images.map((image) => {
    const notes = [
      image.index === index.canonical && "canonical",
      image.stabilises && image.symmetry !== "identity" && "stabilises",
      !image.in_group && "another position, as pawns stand",
    ].filter((note): note is string => !!note);
    const operation =
      image.symmetry === "identity" ? "no bit changes" : image.exchanges ? "the halves are exchanged" : "one XOR";
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "image",
          disabled: !image.in_group,
          "aria-label": `${image.symmetry.replaceAll("_", " ")}: index ${image.index}${notes.length ? ", " + notes.join(", ") : ""}`,
          onclick: () => change({ fen: [image.placement, rest[0] ?? "w", "- - 0 1"].join(" "), ply: "0" }, true),
        },
        smallBoard(squaresOf(image.placement)),
      ),
      h("div", {}, h("strong", {}, image.symmetry.replaceAll("_", " "))),
      h("div", {}, digits(image.index, index.index)),
      h("div", { class: "note" }, operation, image.symmetry === "identity" ? "" : `: changes ${image.changed}`),
      notes.length > 0 && h("div", { class: "note" }, notes.join(", ")),
    );
  });
  return h(
    "section",
    { "aria-labelledby": "images-title" },
    h("h3", { id: "images-title" }, "The eight images; a click turns the board"),
    h("ul", { class: "images" }, ...items),
  );
}

function facts(index: Index): HTMLElement {
  const letters = (numbers: number[]) =>
    index.pieces
      .filter(({ number }) => numbers.includes(number))
      .map(({ letter, square }) => `${letter} ${square}`)
      .join(", ");
  const stabiliser = index.images
    .filter(({ stabilises }) => stabilises)
    .map(({ symmetry }) => symmetry.replaceAll("_", " "));
  const rows: [string, Node | string][] = [
    ["Canonical index", digits(index.canonical, index.index)],
    ["reached by", index.symmetry.replaceAll("_", " ")],
    ["Orbit", `${index.orbit_size} different images`],
    ["Stabiliser", stabiliser.join(", ")],
    [
      "Like pieces",
      index.like
        .map(letters)
        .filter((text) => text)
        .join("; ") || "none",
    ],
    ["Equal positions", `${index.class_size}, with like pieces in any order`],
  ];
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function slots(index: Index): HTMLElement {
  const number = (text: string) => BigInt(text).toLocaleString("en");
  const rows = index.slots.flatMap(({ scheme, size, slot }) => [
    h("dt", {}, scheme.replaceAll("_", " ")),
    h("dd", {}, h("strong", {}, slot ? number(slot) : "none"), ` of ${number(size)}. `, SCHEMES[scheme]),
  ]);
  return h("dl", { class: "facts", id: "slots" }, ...rows);
}

async function numbering(name: string): Promise<HTMLElement> {
  const codes = await call("codes", name);
  const occupied = squaresOf(state.fen.split(" ")[0]!);
  const rows = [...Array(8).keys()].reverse().map((rank) => [
    String(rank + 1),
    ...[..."abcdefgh"].map((_, file) => {
      const code = codes[8 * rank + file]!;
      const here = occupied[8 * (7 - rank) + file]!;
      return h(
        "span",
        { class: here ? "digits here" : "digits" },
        h("span", { class: "high" }, String(code >> 3)),
        h("span", { class: "low" }, String(code & 7)),
        here && h("small", {}, here),
      );
    }),
  ]);
  return table(`The ${name} numbering: ${NUMBERINGS[name]}`, ["rank", ..."abcdefgh"], rows, "numbering");
}

export async function showIndex(): Promise<void> {
  const view = byId("index-view");
  const fen = h("input", {
    id: "index-fen",
    value: state.fen,
    spellcheck: "false",
    autocomplete: "off",
    onchange: () => change({ fen: fen.value.trim(), ply: "0" }, true),
  });
  const choice = h(
    "fieldset",
    {},
    h("legend", {}, "Numbering"),
    ...Object.keys(NUMBERINGS).map((name) =>
      h(
        "span",
        {},
        h("input", {
          type: "radio",
          name: "numbering",
          id: `numbering-${name}`,
          checked: state.numbering === name,
          onchange: () => change({ numbering: name }),
        }),
        h("label", { for: `numbering-${name}` }, name),
      ),
    ),
  );
  const controls = h(
    "div",
    { class: "fields" },
    h("div", { class: "wide" }, h("label", { for: "index-fen" }, "FEN "), fen),
    choice,
  );
  const focused = document.activeElement?.id;
  try {
    const all = await Promise.all(Object.keys(NUMBERINGS).map((name) => call("index", state.fen, name)));
    const index = all.find((each) => each.numbering === state.numbering) ?? all[0]!;
    fill(
      view,
      controls,
      h(
        "p",
        { class: "verdict", id: "index-value" },
        `${index.material}: `,
        digits(index.index),
        ` ${index.numbering}`,
      ),
      h(
        "p",
        {},
        h("span", { class: "key high" }, "high digits"),
        " ",
        h("span", { class: "key low" }, "low digits"),
        " Underlined digits of an image differ from the position’s own.",
      ),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Digits" }, digitTable(all)),
      images(index),
      h(
        "div",
        { class: "columns" },
        h(
          "section",
          {},
          h("h3", {}, "Among its equals"),
          h(
            "p",
            { class: "note" },
            "The image with the smallest index, the canonical one, stands for all. The stabiliser has the symmetries that leave the position as it is.",
          ),
          facts(index),
          h("h3", {}, "Its slot in an array, by scheme"),
          slots(index),
        ),
        h("section", {}, h("h3", {}, "The squares’ numbers"), await numbering(index.numbering)),
      ),
    );
  } catch (error) {
    fill(view, controls, h("p", { class: "verdict", role: "status" }, (error as Error).message));
  }
  if (focused) document.getElementById(focused)?.focus();
}
