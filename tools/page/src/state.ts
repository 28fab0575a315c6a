// What the page shows, which is what its URL says after the #.
export const DEFAULTS = {
  fen: "8/8/8/3k4/8/8/3KP3/8 w - - 0 1",
  source: "browser",
  ply: "0",
  numbering: "natural",
  piece: "WfF",
  width: "8",
  height: "8",
  from: "",
};
export type View = "position" | "index" | "pieces";
export type State = typeof DEFAULTS & { view: View };
const VIEWS: View[] = ["position", "index", "pieces"];

function parse(hash: string): State {
  const [view = "", query = ""] = hash.replace(/^#/, "").split("?");
  const state: State = { ...DEFAULTS, view: VIEWS.find((name) => name === view) ?? "position" };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key in DEFAULTS) state[key as keyof typeof DEFAULTS] = value;
  }
  return state;
}

function hash(state: State): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
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
export function change(changes: Partial<State>, back = false): void {
  state = { ...state, ...changes };
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
