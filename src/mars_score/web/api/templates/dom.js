// What all parts of the page use. Texts are only ever set as text.
const mars = {
  at: (id) => document.getElementById(id),

  make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  },

  // Say in which script an element's text is, so that fonts and voices fit, and begin it on its side. The server knows
  // languages; here the script stands for the one that most write with it.
  SCRIPTS: [
    ["ja", /[\u3040-\u30ff]/u], ["zh", /\p{Script=Han}/u], ["ko", /\p{Script=Hangul}/u], ["ar", /\p{Script=Arabic}/u],
    ["he", /\p{Script=Hebrew}/u], ["hi", /\p{Script=Devanagari}/u], ["bn", /\p{Script=Bengali}/u],
    ["ta", /\p{Script=Tamil}/u], ["th", /\p{Script=Thai}/u], ["el", /\p{Script=Greek}/u], ["ru", /\p{Script=Cyrillic}/u],
  ],
  written(element, text) {
    element.dir = "auto";
    element.lang = mars.SCRIPTS.find(([, script]) => script.test(text))?.[0] ?? "en";
    return element;
  },

  percent: (ratio) => `${Math.round(ratio * 100)}%`,
  number: (value) => (value === null || value === undefined ? "undefined" : value.toFixed(4)),

  // Show a message with its remedy, or hide the box.
  trouble(box, error) {
    box.replaceChildren();
    box.hidden = !error;
    if (!error) return;
    box.append(error.message);
    if (error.remedy) box.append(mars.make("span", { className: "remedy", textContent: error.remedy }));
    box.scrollIntoView({ block: "nearest" });
  },

  // Put a piece of a page into a box. The server has escaped every text in it, and the page's policy runs nothing that
  // it could bring.
  async fill(box, path) {
    const html = await (await mars.ask(path)).text();
    box.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  },

  // Say in place what a choice means.
  explainChoice(select, hint) {
    const show = () => (hint.textContent = select.selectedOptions[0]?.dataset.told ?? "");
    select.addEventListener("change", show);
    show();
    return show;
  },

  // Ask the server; what it refuses becomes an error with a message and a remedy.
  async ask(path, options = {}) {
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw { message: "The server cannot be reached.", remedy: "Is it still running?" };
    }
    if (answer.ok) return answer;
    const { error } = await answer.json().catch(() => ({ error: { message: `The server answered ${answer.status}.` } }));
    throw error;
  },
};
