import { byId } from "./dom";
import { showIndex } from "./index-view";
import { showPieces } from "./pieces-view";
import { showPosition } from "./position/view";
import { hrefOf, onChange, problems, state } from "./state";

const SHOW = { position: showPosition, index: showIndex, pieces: showPieces };

function show(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    const view = link.dataset.view as keyof typeof SHOW;
    link.href = hrefOf({ view });
    if (view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    byId(view).hidden = view !== state.view;
  }
  document.title = `tbindex: ${state.view}`;
  byId("problems").textContent = problems.join(" ");
  void SHOW[state.view]();
}

// The address is that of what is shown, so that the link must not change it.
byId("skip").onclick = (event) => {
  event.preventDefault();
  byId("main").focus();
};
// A complaint ends where its field is filled anew.
addEventListener("input", () => (byId("problems").textContent = ""));
onChange(show);
show();
