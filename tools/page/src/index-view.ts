// The view of an index: digits, images, canonical form, slots, numberings.
import type { Index } from "tbindex-wasm";
import { call } from "./client";
import { byId, facts, fill, h, table } from "./dom";
import { squaresOf } from "./placement";
import { smallBoard } from "./small-board";
import { change, state } from "./state";

/** The numberings of the squares, and how each reads. */
const NUMBERINGS: Record<string, string> = {
  natural: "the high digit is the rank, the low one the file, both from 0",
  alternate: "no symmetry of the board changes a high digit",
};

/** The positions that each scheme numbers. */
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

/** The symmetries in words. */
const SYMMETRIES: Record<string, string> = {
  identity: "identity",
  flip_horizontal: "flip horizontal (a ↔ h)",
  flip_vertical: "flip vertical (1 ↔ 8)",
  rotate_180: "rotate 180",
  flip_diagonal: "flip diagonal (along a1–h8)",
  flip_anti_diagonal: "flip anti-diagonal (along a8–h1)",
  rotate_90: "rotate 90 (clockwise)",
  rotate_270: "rotate 270 (counter-clockwise)",
};

/** How an exchange of files and ranks changes an index. */
const EXCHANGES: Record<string, string> = {
  natural: "the halves are exchanged",
  alternate: "two bits of each low digit are exchanged, and the third is toggled where the high digit is below 6",
};

/** The digits of more pieces may be wider than a screen; keys scroll what has the focus. */
const MOST_NARROW = 4;
const WIDE = { tabindex: 0, role: "region", "aria-label": "Digits" };

/** Compact slots are for so many pieces. */
const MOST_COMPACT = 10;

/** The operation on the index for an image. */
function operation({ symmetry, exchanges, changed }: Index["images"][number], numbering: string): string {
  if (symmetry === "identity") return "no bit changes";
  const exchange = EXCHANGES[numbering]!;
  const how = !exchanges ? "one XOR" : symmetry === "flip_diagonal" ? exchange : `${exchange}, then one XOR`;
  return `${how}: changes ${changed}`;
}

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
  const [, side] = state.fen.split(" ");
  const items = index.images.map((image) => {
    const notes = [
      image.index === index.canonical && "canonical",
      image.stabilises && image.symmetry !== "identity" && "stabilises",
      !image.in_group && "another position, as pawns stand",
    ].filter((note): note is string => !!note);
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "image",
          id: `image-${image.symmetry}`,
          disabled: !image.in_group,
          "aria-label": `${SYMMETRIES[image.symmetry]}: index ${image.index}${notes.length ? ", " + notes.join(", ") : ""}`,
          onclick: () => change({ fen: `${image.placement} ${side}`, ply: "0" }, true),
        },
        smallBoard(squaresOf(image.placement)),
      ),
      h("div", {}, h("strong", {}, SYMMETRIES[image.symmetry])),
      h("div", {}, digits(image.index, index.index)),
      h("div", { class: "note" }, operation(image, index.numbering)),
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

function amongEquals(index: Index): HTMLElement {
  const letters = (numbers: number[]) =>
    index.pieces
      .filter(({ number }) => numbers.includes(number))
      .map(({ letter, square }) => `${letter} ${square}`)
      .join(", ");
  const stabiliser = index.images.filter(({ stabilises }) => stabilises);
  const like = index.like.map(letters).filter((text) => text);
  return facts([
    ["Canonical index", digits(index.canonical, index.index)],
    ["reached by", SYMMETRIES[index.symmetry]!],
    ["Orbit", `${index.orbit_size} different images`],
    ["Stabiliser", stabiliser.map(({ symmetry }) => SYMMETRIES[symmetry]).join(", ")],
    ["Like pieces", like.join("; ") || "none"],
    ["Equal positions", `${decimal(index.class_size)}, with like pieces in any order`],
  ]);
}

const decimal = (text: string) => BigInt(text).toLocaleString("en");

function slots(index: Index): HTMLElement {
  const none = index.pieces.length > MOST_COMPACT ? `none, as there are more than ${MOST_COMPACT} pieces,` : "none";
  return facts(
    index.slots.map(({ scheme, size, slot }) => {
      const text = [h("strong", {}, slot ? decimal(slot) : none), ` of ${decimal(size)}. `, SCHEMES[scheme]!];
      return [scheme.replaceAll("_", " "), h("span", {}, ...text)];
    }),
    "slots",
  );
}

async function numbering(name: string): Promise<HTMLElement> {
  const codes = await call("codes", [name]);
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

/** Shows the position that has the index in the fields. */
async function showPositionOf(): Promise<void> {
  const text = (id: string) => byId<HTMLInputElement>(id).value.trim();
  try {
    const placement = await call("placementOf", [text("material"), state.numbering, text("digits")]);
    change({ fen: placement, ply: "0" }, true);
  } catch (error) {
    byId("of-index-status").textContent = (error as Error).message;
  }
}

function setUp(): void {
  const fen = byId<HTMLInputElement>("index-fen");
  fen.onchange = () => change({ fen: fen.value, ply: "0" }, true);
  for (const name of Object.keys(NUMBERINGS)) byId(`numbering-${name}`).onchange = () => change({ numbering: name });
  byId("of-index").onsubmit = (event) => {
    event.preventDefault();
    void showPositionOf();
  };
}

let ready = false;

export async function showIndex(): Promise<void> {
  if (!ready) setUp();
  ready = true;
  const view = byId("index-view");
  const { fen, numbering: shown } = state;
  byId<HTMLInputElement>("index-fen").value = fen;
  byId<HTMLInputElement>(`numbering-${shown}`).checked = true;
  byId("of-index-status").textContent = "";
  try {
    const all = await Promise.all(Object.keys(NUMBERINGS).map((name) => call("index", [fen, name])));
    const index = all.find((each) => each.numbering === shown)!;
    const squares = await numbering(index.numbering);
    if (fen !== state.fen || shown !== state.numbering) return;
    byId<HTMLInputElement>("material").value = index.material;
    byId<HTMLInputElement>("digits").value = index.index;
    fill(
      view,
      h("p", { class: "verdict", id: "index-value" }, `${index.material}: `, digits(index.index), ` ${index.numbering}`),
      h(
        "p",
        {},
        h("span", { class: "key high" }, "high digits"),
        " ",
        h("span", { class: "key low" }, "low digits"),
        " Underlined digits of an image differ from the position’s own.",
      ),
      h("div", { class: "scroll", ...(index.pieces.length > MOST_NARROW && WIDE) }, digitTable(all)),
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
          amongEquals(index),
          h("h3", {}, "Its slot in an array, by scheme"),
          slots(index),
        ),
        h("section", {}, h("h3", {}, "The squares’ numbers"), squares),
      ),
    );
  } catch (error) {
    fill(view, h("p", { class: "verdict", role: "status" }, (error as Error).message));
  }
}
