// Templates, and what is written into their blanks.
{
  const list = mars.at("templates");
  const FRESH = 400;
  let lines = new Map();

  function shown(pieces, filled) {
    return pieces.flatMap(({ text, blank }) => {
      if (!blank) return [text];
      const gap = text.match(/^\s*/)[0];
      const words = text.trim();
      if (filled) return [gap, mars.make("mark", { textContent: words, className: "fresh" })];
      const count = Math.max(1, words.split(/\s+/).length);
      const blanks = mars.make("span", { className: "gap", textContent: "___ ".repeat(count).trim() });
      blanks.setAttribute("aria-label", count === 1 ? "blank" : `blank of ${count} words`);
      blanks.setAttribute("role", "img");
      return [gap, blanks];
    });
  }

  mars.templates = {
    clear() {
      lines = new Map();
      list.replaceChildren();
      mars.at("watch").hidden = true;
    },
    add({ number, ratio, pieces }) {
      const line = mars.written(mars.make("span", {}, ...shown(pieces, false)), pieces.map(({ text }) => text).join(""));
      const masked = mars.make("span", { className: "ratio", textContent: mars.percent(ratio), title: "words masked" });
      list.append(mars.make("li", {}, masked, line));
      lines.set(number, line);
      mars.at("watch").hidden = false;
      mars.at("watch").open = true;
    },
    fill({ number, pieces }) {
      const line = lines.get(number);
      if (!line) return;
      line.replaceChildren(...shown(pieces, true));
      setTimeout(() => line.querySelectorAll(".fresh").forEach((mark) => mark.classList.remove("fresh")), FRESH);
    },
  };
}
