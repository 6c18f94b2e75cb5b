"use strict";
// What a word or a flag tells on hover, tap and focus; arrow keys from word to word; paper shows everything.
// All of it listens on the document, so that items which are put into a page later work too.
{
  const TOLD = ".explained [title], .explained [data-tip]";
  const tip = document.createElement("div");
  tip.className = "ex-tip";
  tip.id = "ex-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);

  let current = null;
  function show(target) {
    current = target;
    if (target.title) {
      target.dataset.tip = target.title;
      target.removeAttribute("title"); // else the browser shows it as well
    }
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    target.setAttribute("aria-describedby", "ex-tip");
    const box = target.getClientRects()[0] ?? target.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left), document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 6;
    tip.style.left = `${Math.max(0, left)}px`;
    const below = target.dataset.to || above <= 4; // a line leads up from a matched word
    tip.style.top = `${below ? box.bottom + 6 : above}px`;
  }
  function hide() {
    tip.hidden = true;
  }
  for (const kind of ["pointerover", "focusin", "click"]) {
    document.addEventListener(kind, (event) => {
      const target = event.target.closest?.(TOLD);
      if (target) show(target);
      else if (kind !== "focusin") hide();
    });
  }
  document.addEventListener("focusout", hide);
  // A tip moves with its word, as long as the word has the focus or the pointer.
  document.addEventListener("scroll", () => {
    if (tip.hidden) return;
    if (current.matches(":focus, :hover")) show(current);
    else hide();
  }, { capture: true, passive: true });

  // Lines from a candidate's words to those of the reference: of the word that is pointed at, and faint ones of
  // all words of its candidate.
  let lined = null;
  function clear() {
    lined?.querySelector(".ex-lines")?.remove();
    for (const word of lined?.querySelectorAll(".ex-partner") ?? []) word.classList.remove("ex-partner");
    lined = null;
  }
  function connect(card, chosen) {
    clear();
    lined = card.closest(".ex-answer");
    const frame = lined.getBoundingClientRect();
    const SVG = card.querySelector("svg").namespaceURI;
    const drawing = document.createElementNS(SVG, "svg");
    drawing.classList.add("ex-lines");
    drawing.setAttribute("aria-hidden", "true");
    for (const word of card.querySelectorAll("[data-to]")) {
      const partner = lined.querySelector(`[data-at="${word.dataset.to}"]`);
      if (!partner) continue;
      const [from, to] = [word, partner].map((one) => one.getClientRects()[0] ?? one.getBoundingClientRect());
      const line = document.createElementNS(SVG, "line");
      const ends = { x1: from.left + from.width / 2, y1: from.top, x2: to.left + to.width / 2, y2: to.bottom };
      for (const [name, value] of Object.entries(ends)) {
        line.setAttribute(name, value - (name.startsWith("x") ? frame.left : frame.top));
      }
      if (word === chosen) line.classList.add("ex-strong");
      if (!chosen || word === chosen) partner.classList.add("ex-partner");
      drawing.append(line);
    }
    lined.append(drawing);
  }
  for (const kind of ["pointerover", "focusin", "click"]) {
    document.addEventListener(kind, (event) => {
      const text = event.target.closest?.(".ex-candidate");
      if (text) connect(text.closest(".ex-card"), event.target.closest("[data-to]"));
      else if (lined && !(kind === "focusin")) clear();
    });
  }

  // Tab reaches one word of each reference, arrow keys the others.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const word = event.target.closest?.(".ex-words .ex-word");
    if (!step || !word) return;
    const words = Array.from(word.closest(".ex-words").querySelectorAll(".ex-word"));
    const next = words[words.indexOf(word) + step];
    event.preventDefault();
    if (!next) return;
    word.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = Array.from(document.querySelectorAll(".explained details:not([open])"));
    for (const folded of closed) folded.open = true;
  });
  addEventListener("afterprint", () => {
    for (const folded of closed) folded.open = false;
  });
}
