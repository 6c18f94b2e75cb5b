// Texts by hand: the form, the progress, the scores.
{
  const { at, make } = mars;
  const ORDER = ["masking", "infilling", "encoding"];
  let current = null;

  // One of several texts. The first one cannot be removed.
  function addText(group, text = "") {
    const list = group.querySelector(".list");
    const name = group.dataset.name;
    const area = make("textarea", { rows: 2, value: text });
    const remove = make("button", { type: "button", className: "plain remove", textContent: "\u00d7" });
    const one = make("div", { className: "one" }, area, remove);
    remove.addEventListener("click", () => {
      const next = one.nextElementSibling ?? one.previousElementSibling;
      one.remove();
      number(group);
      next.querySelector("textarea").focus();
    });
    list.append(one);
    number(group);
    return area;

    function number(group) {
      const all = [...group.querySelectorAll(".one")];
      all.forEach((each, place) => {
        each.querySelector("textarea").setAttribute("aria-label", `${name} ${place + 1}`);
        each.querySelector("button").setAttribute("aria-label", `Remove ${name.toLowerCase()} ${place + 1}`);
        each.querySelector("button").hidden = all.length === 1;
      });
      group.querySelector(".add").disabled = all.length >= Number(group.dataset.most);
    }
  }

  function setTexts(id, texts) {
    at(id).querySelector(".list").replaceChildren();
    for (const text of texts) addText(at(id), text);
  }

  const areas = (id) => [...at(id).querySelectorAll("textarea")];

  function read() {
    for (const area of areas("form")) area.removeAttribute("aria-invalid");
    const references = areas("references").map((area) => area.value).filter((text) => text.trim());
    if (!references.length) {
      const [first] = areas("references");
      first.setAttribute("aria-invalid", "true");
      first.focus();
      throw { message: "There is no reference.", remedy: "Write at least one text that a person could have written." };
    }
    const context = at("context").value;
    return areas("candidates").map((area) => ({ context, references, candidate: area.value }));
  }

  function showProgress(progress) {
    const stage = mars.stageOf(progress.stage);
    const place = ORDER.indexOf(stage);
    document.querySelectorAll(".stages li").forEach((step, number) => {
      step.classList.toggle("past", place > number);
      step.classList.toggle("now", place === number);
      if (place === number) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    if (progress.total) at("bar").value = progress.done / progress.total;
    else at("bar").removeAttribute("value");
    const text = mars.describe(progress);
    at("stage").textContent = text;
    // A screen reader hears of each step once, not of every number.
    const spoken = text.replace(/:.*/, "");
    if (at("live").textContent !== spoken) at("live").textContent = spoken;
  }

  async function showExplanation(id) {
    const html = await (await mars.ask(`/v1/jobs/${id}/explanation`)).text();
    // The server has escaped every text in it, and the page's policy runs nothing that it could bring.
    const parsed = new DOMParser().parseFromString(html, "text/html");
    at("explanation").replaceChildren(...parsed.body.childNodes);
  }

  function busy(isBusy) {
    at("score").disabled = isBusy;
    at("cancel").hidden = !isBusy;
    at("progress").hidden = !isBusy;
    at("outcome").setAttribute("aria-busy", String(isBusy));
  }

  at("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (at("score").disabled) return;
    mars.trouble(at("trouble"), null);
    at("empty").hidden = true;
    at("result").hidden = true;
    mars.templates.clear();
    try {
      const items = read();
      busy(true);
      showProgress({ state: "waiting", stage: "waiting", done: 0, total: 0 });
      const body = JSON.stringify({ items, preset: at("preset").value, explain: true, watch: true });
      const headers = { "Content-Type": "application/json" };
      const id = await mars.follow("/v1/jobs", { headers, body }, {
        started: (job) => (current = job),
        progress: showProgress,
        template: mars.templates.add,
        filled: mars.templates.fill,
      });
      const answer = await (await mars.ask(`/v1/jobs/${id}/result`)).json();
      at("signature").textContent = answer.signatures.mars;
      await showExplanation(id);
      at("watch").open = false;
      at("result").hidden = false;
      at("live").textContent = `Done: ${items.length === 1 ? "1 score" : `${items.length} scores`}.`;
      at("result").focus({ preventScroll: matchMedia("(min-width: 1000px)").matches });
    } catch (error) {
      if (error instanceof Error) throw error;
      at("live").textContent = error ? "" : "Cancelled.";
      if (error) mars.trouble(at("trouble"), error);
      else at("empty").hidden = false;
      mars.templates.clear();
    } finally {
      busy(false);
      current = null;
    }
  });

  at("cancel").addEventListener("click", () => current && mars.cancel(current));
  at("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("form").requestSubmit();
  });
  for (const group of document.querySelectorAll(".texts")) {
    group.querySelector(".add").addEventListener("click", () => addText(group).focus());
  }
  for (const button of document.querySelectorAll(".sample")) {
    button.addEventListener("click", () => {
      const sample = JSON.parse(button.dataset.sample);
      at("context").value = sample.context;
      setTexts("references", sample.references);
      setTexts("candidates", sample.candidates);
      if ([...at("preset").options].some((option) => option.value === sample.preset)) at("preset").value = sample.preset;
      at("form").requestSubmit();
    });
  }
  setTexts("references", [""]);
  setTexts("candidates", [""]);
}
