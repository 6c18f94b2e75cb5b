// Texts by hand: the form, the progress, the scores.
{
  const { at, make } = mars;
  const ORDER = ["masking", "infilling", "encoding"];
  let current = null;

  // One of several texts. The first one cannot be removed.
  function addText(group, text = "") {
    const list = group.querySelector(".list");
    const name = group.dataset.name;
    const area = mars.written(make("textarea", { rows: 2, value: text }), text);
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

  // The address holds the texts, packed, behind the #: they reach no server with it.
  async function through(stream, bytes) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  }
  async function remember(state) {
    const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
    let text = "";
    for (const byte of packed) text += String.fromCharCode(byte);
    history.replaceState(null, "", `#try=${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`);
  }
  async function recall() {
    const packed = location.hash.match(/^#try=([\w-]+)$/)?.[1];
    if (!packed) return null;
    try {
      const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
      return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
    } catch {
      return null; // cut short on its way, as addresses are
    }
  }

  function choose(select, value) {
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }
  function write(state) {
    at("context").value = state.context ?? "";
    mars.written(at("context"), at("context").value);
    setTexts("references", state.references ?? [""]);
    setTexts("candidates", state.candidates ?? [""]);
    choose(at("preset"), state.preset);
    if (state.beside !== undefined) choose(at("beside"), state.beside);
    tellPreset();
  }

  function busy(isBusy) {
    at("cancel").hidden = !isBusy;
    at("progress").hidden = !isBusy;
    at("outcome").setAttribute("aria-busy", String(isBusy));
  }

  // Whoever scores again does not wait for what was asked before.
  let latest = 0;
  async function run(asked) {
    const mine = ++latest;
    if (current) mars.cancel(current);
    current = null;
    mars.trouble(at("trouble"), null);
    at("result").hidden = true;
    mars.templates.clear();
    try {
      const items = read();
      busy(true);
      showProgress({ state: "waiting", stage: "waiting", done: 0, total: 0 });
      const [preset, beside] = [at("preset").value, at("beside").value];
      const metrics = beside ? ["mars", beside] : ["mars"];
      if (asked) {
        const [{ context, references }] = items;
        await remember({ context, references, candidates: items.map((item) => item.candidate), preset, beside });
      }
      const body = JSON.stringify({ items, preset, metrics, explain: true, watch: true });
      const headers = { "Content-Type": "application/json" };
      const mineOnly = (hear) => (event) => mine === latest && hear(event);
      const id = await mars.follow("/v1/jobs", { headers, body }, {
        started: (job) => (mine === latest ? (current = job) : mars.cancel(job)),
        progress: mineOnly(showProgress),
        template: mineOnly(mars.templates.add),
        filled: mineOnly(mars.templates.fill),
      });
      const answer = await (await mars.ask(`/v1/jobs/${id}/result`)).json();
      if (mine !== latest) return;
      at("signature").textContent = answer.signatures.mars;
      await mars.fill(at("explanation"), `/v1/jobs/${id}/explanation`);
      if (mine !== latest) return;
      busy(false); // before anything is scrolled to, as it stands above
      at("watch").open = false;
      at("result").hidden = false;
      at("live").textContent = `Done: ${items.length === 1 ? "1 score" : `${items.length} scores`}.`;
      if (!asked) return;
      at("result").focus({ preventScroll: true });
      const top = at("result").getBoundingClientRect().top;
      if (top < 0 || top > innerHeight / 2) at("result").scrollIntoView();
    } catch (error) {
      if (error instanceof Error) throw error;
      if (mine !== latest) return;
      at("live").textContent = error ? "" : "Cancelled.";
      if (error) mars.trouble(at("trouble"), error);
      mars.templates.clear();
    } finally {
      if (mine === latest) {
        busy(false);
        current = null;
      }
    }
  }

  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    run(true);
  });
  at("form").addEventListener("input", ({ target }) => target.matches("textarea") && mars.written(target, target.value));
  at("cancel").addEventListener("click", () => current && mars.cancel(current));
  at("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("form").requestSubmit();
  });
  for (const group of document.querySelectorAll(".texts")) {
    group.querySelector(".add").addEventListener("click", () => addText(group).focus());
  }
  const samples = [...document.querySelectorAll(".sample")];
  for (const button of samples) {
    button.addEventListener("click", () => {
      write(JSON.parse(button.dataset.sample));
      at("form").requestSubmit();
    });
  }
  const tellPreset = mars.explainChoice(at("preset"), at("preset-hint"));

  // Open with what the address holds, or with the first example, already scored.
  async function open() {
    write((await recall()) ?? JSON.parse(samples[0].dataset.sample));
    run(false);
  }
  addEventListener("hashchange", () => location.hash.startsWith("#try=") && open());
  open();
}
