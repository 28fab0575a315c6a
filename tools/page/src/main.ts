import { showIndex } from "./index-view";
import { showPieces } from "./pieces-view";
import { showPosition } from "./position-view";
import { hrefOf, onChange, state } from "./state";

const SHOW = { position: showPosition, index: showIndex, pieces: showPieces };

function show(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    const view = link.dataset.view as keyof typeof SHOW;
    link.href = hrefOf({ view });
    if (view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    document.getElementById(view)!.hidden = view !== state.view;
  }
  document.title = `tbindex: ${state.view}`;
  SHOW[state.view]();
}

onChange(show);
show();
