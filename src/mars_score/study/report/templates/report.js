"use strict";
// Sorting, exact values on hover, tap and focus, and the choice of colours. The page is complete without it.

// --- sorting -----------------------------------------------------------------------------------------------
function sortBy(button) {
  const head = button.closest("th");
  const table = head.closest("table");
  const place = head.cellIndex;
  const numeric = head.classList.contains("number");
  const now = head.getAttribute("aria-sort");
  // Numbers begin with the highest, texts with A.
  const first = numeric ? "descending" : "ascending";
  const order = now === "none" ? first : now === "ascending" ? "descending" : "ascending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => [row.cells[place].dataset.key, row]);
  keyed.sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
  });
  body.append(...keyed.map(([, row]) => row));
}
for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button));
}

// --- exact values --------------------------------------------------------------------------------------------
const tip = document.getElementById("tip");
for (const cell of document.querySelectorAll("table [title]")) {
  cell.dataset.tip = cell.title;
  cell.removeAttribute("title");
  if (cell.closest("tbody")) cell.tabIndex = -1;
}
for (const mark of document.querySelectorAll("svg .mark")) {
  const title = mark.querySelector("title");
  mark.dataset.tip = title.textContent;
  title.remove();
}
function show(target) {
  tip.textContent = target.dataset.tip;
  tip.hidden = false;
  target.setAttribute("aria-describedby", "tip");
  const box = target.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left), document.documentElement.clientWidth - tip.offsetWidth - 8);
  const above = box.top - tip.offsetHeight - 6;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${above > 4 ? above : box.bottom + 6}px`;
}
function hide() {
  tip.hidden = true;
}
// A pointer that rests is also "over" whatever scrolls past it; only one that moves asks for something.
let pointer = "";
function rests(event) {
  const before = pointer;
  pointer = `${event.screenX} ${event.screenY}`;
  return before === pointer;
}
document.addEventListener("pointermove", rests);
for (const kind of ["pointerover", "focusin", "click"]) {
  document.addEventListener(kind, (event) => {
    if (kind === "pointerover" && rests(event)) return;
    const target = event.target.closest("[data-tip]");
    if (target) show(target);
    else if (kind !== "focusin") hide();
  });
}
document.addEventListener("focusout", hide);
// The cell that has the focus keeps its value in view; what the pointer showed is gone.
function follow() {
  if (tip.hidden) return;
  const focused = document.activeElement?.closest("[data-tip]");
  if (focused) show(focused);
  else hide();
}
document.addEventListener("scroll", follow, { capture: true, passive: true });

// Tab reaches one cell of each table, arrow keys the others.
function reachable(table) {
  return Array.from(table.tBodies[0].rows, (row) => Array.from(row.cells));
}
for (const table of document.querySelectorAll("table")) {
  const first = table.querySelector("tbody [data-tip]");
  if (first) first.tabIndex = 0;
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return hide();
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  const cell = event.target.closest("tbody [data-tip]");
  if (!step || !cell) return;
  const rows = reachable(cell.closest("table"));
  let line = rows.findIndex((cells) => cells.includes(cell));
  let place = cell.cellIndex;
  do {
    line += step[0];
    place += step[1];
  } while (rows[line]?.[place] && !rows[line][place].dataset.tip);
  const next = rows[line]?.[place];
  event.preventDefault();
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
  show(next);
});

// --- paper and links ---------------------------------------------------------------------------------------
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details.block")) folded.open = true;
});
addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
});
