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
    tip.style.top = `${above > 4 ? above : box.bottom + 6}px`;
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
