// Work on tables, which may take minutes: how far it is, and a button that stops it.
import type { Work } from "tbindex-wasm";
import { fill, h } from "./dom";
import { progress } from "./words";

/** A place that is empty until it is told of work. */
export function workPlace(stop: () => void): { place: HTMLElement; tell(work: Work): void; done(): void } {
  const place = h("div", { class: "work" });
  const bar = h("progress", { "aria-label": "Tables" });
  const text = h("span");
  const button = h("button", { type: "button", onclick: stop }, "Stop");
  return {
    place,
    tell(work) {
      bar.max = work.tables;
      bar.value = work.table - 1;
      text.textContent = progress(work);
      if (!place.hasChildNodes()) fill(place, bar, button, text);
    },
    done: () => fill(place),
  };
}
