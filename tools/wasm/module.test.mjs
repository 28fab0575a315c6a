// Compares the module under node with the answers of the native program (examples/native.rs).
//
// Every table of 3 and 4 pieces by both metrics: all counts, and the values of every 1009th placement; and positions with
// all that is known of them. The answers are stored in answers.json. TBINDEX_UPDATE=1 builds the native program and stores
// them anew; TBINDEX_THOROUGH=1 builds it and compares every placement. TBINDEX_PKG names another folder than pkg.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { materials } from "./materials.mjs";

const folder = new URL(`./${process.env.TBINDEX_PKG ?? "pkg"}/`, import.meta.url);
const wasm = await import(new URL("tbindex_wasm.js", folder));
wasm.initSync({ module: readFileSync(new URL("tbindex_wasm_bg.wasm", folder)) });

const { TBINDEX_THOROUGH: thorough, TBINDEX_UPDATE: update } = process.env;
const stride = thorough ? 1 : 1009;
const fens = [
  "8/8/8/3k4/8/8/3KP3/8 w - - 0 1",
  "8/8/2k5/1r6/8/8/8/2KQ4 b - - 90 100",
  "8/8/8/8/1Pp5/8/k7/3K4 b - b3 0 1",
  "8/6KP/8/8/8/8/5p2/5k2 b - - 0 1",
  "7k/5K2/8/6Q1/8/8/8/8 b - - 0 1",
  "8/8/8/8/8/1K6/3N4/k2N4 w - - 0 1",
];
const fivePieces = "8/8/8/4k3/8/8/8/KQQQ4 b - - 0 1";

function native(args, input = "") {
  const cargo = ["run", "--quiet", "--locked", "--profile", "quick", "--example", "native", "--", ...args];
  const options = { cwd: new URL(".", import.meta.url), input, maxBuffer: 1 << 28, encoding: "utf8" };
  return execFileSync("cargo", cargo, options)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const stored = new URL("answers.json", import.meta.url);
const answers =
  thorough || update
    ? {
        tables: native(["checksums", String(stride), ...materials]),
        solutions: native(["solve"], [...fens, fivePieces].join("\n")),
      }
    : JSON.parse(readFileSync(stored, "utf8"));
if (update) {
  const lines = (list) => `[\n${list.map((answer) => JSON.stringify(answer)).join(",\n")}\n]`;
  writeFileSync(stored, `{"tables": ${lines(answers.tables)},\n"solutions": ${lines(answers.solutions)}}\n`);
}

/** A value without `undefined`, which one side writes where the other has null. */
function plain(value) {
  return JSON.parse(JSON.stringify(value, (_, part) => part ?? undefined));
}

// The first, because tables that others have solved are kept.
test("whoever waits is told of the work, and of too much before it begins", () => {
  const told = [];
  wasm.solve("8/8/8/8/2k5/8/1R6/KN6 b - - 0 1", (work) => told.push(work));
  assert.ok(told.length > 4);
  for (const { material, metric, plies, table, tables, memory } of told) {
    assert.match(material, /^K\w+vK$/);
    assert.match(metric, /^dt[mz]$/);
    assert.ok(plies >= 0 && table >= 1 && table <= tables && memory > 0 && memory < 2 ** 31, String(plies));
  }
  assert.throws(() => wasm.solve("8/8/2k5/1r6/3q4/8/3N4/2KQ4 w - - 0 1"), /needs up to .* of memory to solve: expected/);
  assert.throws(() => wasm.counts("KQNvKQR", "dtm"), /needs up to .* of memory to solve: expected/);
});

test("all tables of 3 and 4 pieces are the native ones, bit by bit", () => {
  assert.equal(materials.length, 35);
  assert.equal(answers.tables.length, 2 * materials.length);
  for (const expected of answers.tables) {
    const { material, metric } = expected;
    const counts = wasm.counts(material, metric);
    const sum = wasm.checksum(material, metric, stride);
    assert.deepEqual(plain({ material, metric, sum, counts }), plain(expected));
  }
});

test("values of all moves, marks and lines are the native ones", () => {
  for (const [number, fen] of fens.entries()) {
    const solved = wasm.solve(fen);
    assert.ok(solved.material.length > 3, fen);
    assert.deepEqual(plain(solved), plain(answers.solutions[number]), fen);
  }
});

test("only moves and mutual zugzwang are told", () => {
  // The trébuchet: whoever moves loses his pawn.
  const trebuchet = wasm.solve("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1");
  assert.equal(trebuchet.worth.outcome, "loss");
  assert.equal(trebuchet.mutual_zugzwang, true);
  const free = wasm.solve("8/8/8/3k4/8/8/3KP3/8 w - - 0 1");
  assert.equal(free.mutual_zugzwang, false);
  const king = wasm.solve("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1");
  assert.equal(king.worth.outcome, "loss");
});

test("an error is thrown with its message", () => {
  assert.throws(() => wasm.solve("8/8/8/8/8/8/8/8 w - - 0 1"), /king/i);
  assert.throws(() => wasm.index("8/8/8/8/8/8/8/K6k w - - 0 1", "other"), /numbering|natural/);
});

test("indices and pieces", () => {
  const index = wasm.index("8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1", "natural");
  assert.equal(index.index, "05042231");
  assert.equal(index.images.length, 8);
  assert.equal(new Set(index.images.map((image) => image.index)).size, index.orbit_size);
  for (const image of index.images) {
    assert.equal(wasm.canonical(index.material, "natural", image.index), index.canonical);
    assert.equal(wasm.flip(index.material, "natural", index.index, image.symmetry), image.index);
  }
  for (const slot of index.slots) assert.ok(BigInt(slot.slot) < BigInt(slot.size), slot.scheme);
  assert.equal(wasm.piece("01,02,10,15").free, false);
  assert.equal(wasm.piece("WfF").betza, "WfF");
  assert.equal(wasm.reach("N", 8, 8, 0).diameter, 6);
  assert.equal(wasm.reach("N", 16, 16, 0).reached, 256);
  assert.equal(wasm.mates("WfF", 8, 8).longest, 74);
  for (const [name, betza] of wasm.namedPieces().pieces) assert.equal(wasm.piece(name).bits, wasm.piece(betza).bits);
});

test("an index of up to 21 pieces, and the position of an index", () => {
  const many = wasm.index("rnbqkbnr/ppp5/8/8/8/8/PPP5/RNBQKBN1 w - - 0 1", "natural");
  assert.equal(many.index.length, 42);
  assert.deepEqual(
    many.slots.map(({ slot }) => slot === undefined),
    [false, false, false, true, true, true, true, true],
  );
  for (const index of ["05042231", "0o05042231"])
    assert.equal(wasm.placementOf("KQvKR", "natural", index), "8/8/2k5/1r6/8/8/8/2KQ4");
  for (const index of ["9", "+1", "", "777777777"])
    assert.throws(() => wasm.placementOf("KQvKR", "natural", index), /expected up to 8 octal digits/);
});

test("a line that holds a draw", () => {
  const solved = wasm.solve("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1");
  assert.equal(solved.worth.outcome, "draw");
  assert.ok(solved.line.length > 3);
  for (const { fen, worth } of solved.line) {
    assert.equal(worth.outcome, "draw");
    assert.equal(wasm.solve(fen).worth.outcome, "draw");
  }
  assert.equal(wasm.solve("8/8/8/4k3/8/8/8/KB6 w - - 0 1").ending, "insufficient material");
});

// The last, because a module that traps answers nothing any more.
test("a table of 5 pieces", () => {
  assert.deepEqual(plain(wasm.solve(fivePieces)), plain(answers.solutions[fens.length]));
});
