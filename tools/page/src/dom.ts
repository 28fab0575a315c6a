// Elements in one expression.
type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

const isShown = (child: Child): child is Node | string => child !== null && child !== undefined && child !== false;

/** An element; `on…` properties are listeners, others attributes, of which `false` leaves one out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isShown));
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element as T;
}

/** The id of what had the focus before it was replaced. */
let lost = "";
addEventListener("pointerdown", () => (lost = ""), true);

/** Gives an element other children. The element with the focus keeps it if there is one with its id again, now or the next
 * time, or of ids that end in a number the last one. */
export function fill(element: HTMLElement, ...children: Child[]): void {
  const focused = document.activeElement;
  if (focused && focused !== element && element.contains(focused)) lost = focused.id;
  element.replaceChildren(...children.filter(isShown));
  if (!lost || document.activeElement !== document.body) return;
  const others = document.querySelectorAll<HTMLElement>(`[id^="${lost.replace(/\d+$/, "")}"]`);
  const found = document.getElementById(lost) ?? (/\d$/.test(lost) ? [...others].at(-1) : undefined);
  found?.focus({ preventScroll: true });
  if (found && document.activeElement === found) lost = "";
}

/** A table with a caption; the first cell of a row is its header. */
export function table(caption: string, head: string[], rows: Child[][], name = ""): HTMLTableElement {
  const column = (text: string) => h("th", { scope: "col" }, text);
  const row = ([first, ...rest]: Child[]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell)));
  return h(
    "table",
    { class: name },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...head.map(column))),
    h("tbody", {}, ...rows.map(row)),
  );
}

/** Terms, each with what is said of it. */
export function facts(rows: [string, Node | string][], id?: string): HTMLDListElement {
  return h("dl", { class: "facts", id }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function plural(count: number, word: "move" | "ply"): string {
  const many = word === "ply" ? "plies" : "moves";
  return `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
}
