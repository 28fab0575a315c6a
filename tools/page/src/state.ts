// The state of the page, which its address has after the #.
import { fenOf } from "./placement";

export const DEFAULTS = {
  fen: "8/8/8/3k4/8/8/3KP3/8 w - - 0 1",
  source: "browser",
  ply: "0",
  below: "white",
  numbering: "natural",
  piece: "WfF",
  width: "8",
  height: "8",
  from: "",
};
export type View = "position" | "index" | "pieces";
export type State = typeof DEFAULTS & { view: View };
type Key = keyof typeof DEFAULTS;
const VIEWS: View[] = ["position", "index", "pieces"];

/** The form of values, their name on the page, and the expected form in words. */
const EXPECTED: Partial<Record<Key, [RegExp, string, string]>> = {
  source: [/^(browser|files|https?:\/\/.+)$/, "The server", "an address that begins with http:// or https://"],
  ply: [/^\d{1,4}$/, "The ply", "a number of plies, 0 or more"],
  below: [/^(white|black)$/, "The side below", "white or black"],
  numbering: [/^(natural|alternate)$/, "Numbering", "natural or alternate"],
  width: [/^([1-9]|1[0-6])$/, "Files", "a whole number from 1 to 16"],
  height: [/^([1-9]|1[0-6])$/, "Ranks", "a whole number from 1 to 16"],
  from: [/^([a-p]([1-9]|1[0-6]))?$/, "From square", "a square such as a1"],
};

/** The faults of the last change or of the address, in sentences. */
export let problems: string[] = [];

/** The values that can be, as they are kept; the others are problems. */
function checked(values: Iterable<[string, string]>): Partial<State> {
  const good: Partial<State> = {};
  problems = [];
  for (const [key, text] of values) {
    if (!(key in DEFAULTS)) continue;
    const value = key === "fen" ? fenOf(text) : key === "from" ? text.trim().toLowerCase() : text.trim();
    const [pattern, name, words] = EXPECTED[key as Key] ?? [];
    if (!pattern || pattern.test(value)) good[key as Key] = value;
    else problems.push(`${name}: “${value}” can’t be; expected ${words}.`);
  }
  return good;
}

function parse(hash: string): State {
  const [name = "", query = ""] = hash.replace(/^#/, "").split("?");
  const values = checked(new URLSearchParams(query));
  const view = VIEWS.find((view) => view === name);
  if (name && !view) problems.push(`There is no view “${name}”: expected ${VIEWS.join(", ")}.`);
  return { ...DEFAULTS, ...values, view: view ?? "position" };
}

function hash(state: State): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as Key[]) {
    if (state[key] !== DEFAULTS[key]) query.set(key, state[key]);
  }
  // Slashes and squares stay readable.
  const text = query.toString().replaceAll("%2F", "/");
  return `#${state.view}${text && "?" + text}`;
}

export let state = parse(location.hash);
const listeners: (() => void)[] = [];

export function onChange(listener: () => void): void {
  listeners.push(listener);
}

/** Changes the state; `back` tells whether the browser's Back leads to what was before. */
export function change(changes: Partial<typeof DEFAULTS>, back = false): void {
  state = { ...state, ...checked(Object.entries(changes)) };
  history[back ? "pushState" : "replaceState"](null, "", hash(state));
  for (const listener of listeners) listener();
}

/** The address of the page with these changes. */
export function hrefOf(changes: Partial<State>): string {
  return hash({ ...state, ...changes });
}

addEventListener("popstate", () => {
  state = parse(location.hash);
  for (const listener of listeners) listener();
});
