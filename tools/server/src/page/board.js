// Drags, a chooser of the promoted piece, and keys, for the board that the server has drawn. Every change is a new address.
"use strict";

const svg = document.getElementById("board");
const word = document.getElementById("word");
const SIDE = 45;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The square in a column and a row of the board as it is shown, or null off the board. */
function squareIn(column, row) {
  if (column < 0 || column > 7 || row < 0 || row > 7) return null;
  const white = svg.dataset.below === "White";
  return "abcdefgh"[white ? column : 7 - column] + (white ? 8 - row : row + 1);
}

function squareAt({ clientX, clientY }) {
  const point = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  return squareIn(Math.floor(point.x / SIDE), Math.floor(point.y / SIDE));
}

const pieceOn = (square) => svg.querySelector(`[data-square="${square}"]`);
const nameOf = (square) => pieceOn(square)?.dataset.name ?? "empty";

/** Goes to an address. The cursor stays where it is, if the keyboard is used. */
function go(link, square) {
  const address = new URL(link, location.href);
  if (square) address.hash = square;
  location.assign(address);
}

/** Asks which of several moves is meant: they differ in the piece that a pawn becomes. */
function choose(moves, square) {
  const dialog = document.createElement("dialog");
  dialog.append("Promote to: ");
  for (const move of moves) {
    const link = document.createElement("a");
    link.href = move.href;
    link.textContent = move.textContent;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(move.href, square);
    });
    dialog.append(link, " ");
  }
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Plays a move if it is legal, or changes the board if that is allowed. To null is off the board. */
function play(from, to, square) {
  if (from === to) return;
  const moves = to ? [...document.querySelectorAll(`[data-uci^="${from}${to}"]`)] : [];
  if (moves.length > 1) choose(moves, square);
  else if (moves.length) go(moves[0].href, square);
  else if (svg.dataset.link) go(`${svg.dataset.link}&from=${from}${to ? `&to=${to}` : ""}`, square);
  else
    word.textContent = to
      ? `${nameOf(from)} ${from}–${to} is no legal move. “Edit the board” lets you put pieces anywhere.`
      : "“Edit the board” lets you remove pieces.";
}

/** Drags a drawing along with the pointer, and tells where it is dropped: on a square, or null. A click is no drag. */
function drag(start, drawing, dropped) {
  let ghost = null;
  const place = ({ clientX, clientY }) => {
    const side = svg.getBoundingClientRect().width / 8.4;
    ghost.style.cssText = `left:${clientX - side / 2}px;top:${clientY - side / 2}px;width:${side}px`;
  };
  const moved = (event) => {
    if (!ghost && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > 4) {
      ghost = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      ghost.setAttribute("viewBox", `0 0 ${SIDE} ${SIDE}`);
      ghost.setAttribute("class", "ghost");
      ghost.append(drawing.cloneNode(true));
      document.body.append(ghost);
      drawing.classList.add("taken");
      // The link under the pointer is not followed.
      document.documentElement.setPointerCapture(event.pointerId);
    }
    if (ghost) place(event);
  };
  const ended = (event) => {
    removeEventListener("pointermove", moved);
    removeEventListener("pointerup", ended);
    removeEventListener("pointercancel", ended);
    if (!ghost) return;
    ghost.remove();
    drawing.classList.remove("taken");
    if (event.type === "pointerup") dropped(squareAt(event));
  };
  addEventListener("pointermove", moved);
  addEventListener("pointerup", ended);
  addEventListener("pointercancel", ended);
}

let picked = null;

/** Picks a piece up, or puts the one that was picked up on a square. */
function pick(square, byKeys) {
  const from = picked;
  picked = null;
  svg.querySelector(".picked")?.classList.remove("picked");
  if (from) {
    play(from, square, byKeys && square);
  } else if (pieceOn(square)) {
    picked = square;
    pieceOn(square).classList.add("picked");
    word.textContent = `${nameOf(square)} ${square}: choose where it goes.`;
  }
}

function listen() {
  document.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("pointerdown", (event) => {
    const square = event.button === 0 ? squareAt(event) : null;
    const piece = square && pieceOn(square);
    if (piece) drag(event, piece.firstElementChild, (to) => play(square, to));
  });
  svg.addEventListener("click", (event) => {
    const square = squareAt(event);
    if (square && !event.target.closest("a")) pick(square, false);
  });
  for (const link of document.querySelectorAll("[data-piece]")) {
    link.addEventListener("pointerdown", (event) => {
      const put = (to) => to && go(`${link.href}&to=${to}`);
      if (event.button === 0) drag(event, link.querySelector("g"), put);
    });
  }
  keys();
}

/** A cursor on the board, and the arrows elsewhere on the page step through the best line. */
function keys() {
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("width", SIDE);
  cursor.setAttribute("height", SIDE);
  svg.append(cursor);
  let [column, row] = [4, 4];
  const show = () => {
    cursor.setAttribute("x", column * SIDE);
    cursor.setAttribute("y", row * SIDE);
    const square = squareIn(column, row);
    return `${square}: ${nameOf(square)}`;
  };
  const help = "Arrows choose a square, Enter picks a piece up and puts it down, Delete removes it.";
  svg.tabIndex = 0;
  svg.setAttribute("role", "application");
  svg.addEventListener("focus", () => {
    if (svg.matches(":focus-visible")) word.textContent = `${show()}. ${help}`;
  });
  svg.addEventListener("keydown", (event) => {
    const square = squareIn(column, row);
    if (event.target !== svg) return;
    if (KEYS[event.key]) {
      [column, row] = [column + KEYS[event.key][0], row + KEYS[event.key][1]].map((at) => Math.min(7, Math.max(0, at)));
      word.textContent = show();
    } else if (event.key === "Enter" || event.key === " ") {
      const link = !picked && svg.querySelector(`a[aria-label="${square}"]`);
      if (link) go(link.getAttribute("href"), square);
      else pick(square, true);
    } else if (event.key === "Delete" && pieceOn(square)) play(square, null, square);
    else if (event.key === "Escape" && picked) pick(picked, true);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const elsewhere = !svg.contains(event.target) && !event.target.closest("input, dialog");
    if (rel && elsewhere && !event.altKey && !event.ctrlKey && !event.metaKey)
      document.querySelector(`a[rel="${rel}"][href]`)?.click();
  });
  const came = /^#([a-h][1-8])$/.exec(location.hash)?.[1];
  for (let k = 0; came && k < 64; k++) if (squareIn(k % 8, k >> 3) === came) [column, row] = [k % 8, k >> 3];
  show();
  if (came) svg.focus({ preventScroll: true });
}

if (svg) listen();
