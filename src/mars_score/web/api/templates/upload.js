// A file: sent as it is, listed at once, followed row by row, and brought back with scores. A row opens its explanation.
{
  const { at, make } = mars;
  const TYPES = {
    jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", json: "application/x-ndjson",
    csv: "text/csv", tsv: "text/tab-separated-values",
  };
  const BETWEEN_LOOKS = 1000;
  const SPOKEN_STEPS = 4;
  const PAGE = 100;
  let current = null; // the job that is running
  let shown = null; // the job whose rows are listed
  let metrics = [];
  let view = { sort: "", descending: false, offset: 0 };
  let finished = false;
  let spoken = 0;
  let looked = 0;

  function heading(name, label, number) {
    const title = make("button", { type: "button", textContent: label });
    const cell = make("th", { scope: "col", className: number ? "number" : "" }, title);
    if (view.sort === name) cell.setAttribute("aria-sort", view.descending ? "descending" : "ascending");
    title.addEventListener("click", () => {
      // A score is looked at from the best down, then from the worst up, then in the order of the file.
      const next = number ? [true, false] : [false, true];
      if (view.sort !== name) view = { sort: name, descending: next[0], offset: 0 };
      else if (view.descending === next[0]) view = { sort: name, descending: next[1], offset: 0 };
      else view = { sort: "", descending: false, offset: 0 };
      list().then(() => at("file-head").querySelector(`th:nth-child(${["id", "", ...metrics].indexOf(name) + 1}) button`)?.focus());
    });
    return cell;
  }

  function row(each) {
    const open = make("button", { type: "button", className: "link", textContent: each.id, disabled: !finished });
    open.setAttribute("aria-expanded", "false");
    const cells = metrics.map((name) =>
      make("td", { className: "number", textContent: each.scores ? mars.number(each.scores[name]) : "\u2026" }));
    const line = make("tr", {}, make("th", { scope: "row" }, open), mars.written(make("td", { textContent: each.candidate || "(empty)" }), each.candidate),
      ...cells, make("td", { textContent: each.flags.join(", ").replaceAll("_", " ") }));
    line.addEventListener("click", () => finished && toggle(line, open, each.number));
    return line;
  }

  async function toggle(line, open, number) {
    const before = at("file-rows").querySelector(".opened");
    const same = before?.previousElementSibling === line;
    before?.previousElementSibling.querySelector("button").setAttribute("aria-expanded", "false");
    before?.remove();
    if (same) return;
    const box = make("div", { textContent: "Explaining \u2026" });
    open.setAttribute("aria-expanded", "true");
    line.after(make("tr", { className: "opened" }, make("td", { colSpan: metrics.length + 3 }, box)));
    try {
      await mars.fill(box, `/v1/jobs/${shown}/rows/${number}/explanation`);
    } catch (error) {
      if (error instanceof Error) throw error;
      box.className = "trouble";
      mars.trouble(box, error);
    }
  }

  async function list() {
    looked = Date.now();
    const query = new URLSearchParams({ ...view, search: at("file-search").value, flag: at("file-flag").value, count: PAGE });
    const answer = await (await mars.ask(`/v1/jobs/${shown}/rows?${query}`)).json();
    at("file-head").replaceChildren(make("tr", {}, heading("id", "id", false), make("th", { scope: "col", textContent: "candidate" }),
      ...metrics.map((name) => heading(name, name, true)), make("th", { scope: "col", textContent: "flags" })));
    at("file-rows").replaceChildren(...answer.page.map(row));
    const last = view.offset + answer.page.length;
    const those = answer.fitting === answer.rows ? "" : ` of ${answer.rows.toLocaleString("en")} in the file`;
    at("file-count").textContent = answer.page.length
      ? `rows ${(view.offset + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${answer.fitting.toLocaleString("en")}${those}`
      : "no row fits";
    at("file-back").disabled = !view.offset;
    at("file-next").disabled = last >= answer.fitting;
    const chosen = at("file-flag").value;
    at("file-flag").replaceChildren(make("option", { value: "", textContent: "all rows" }), ...Object.entries(answer.flags).map(
      ([name, count]) => make("option", { value: name, textContent: `${name.replaceAll("_", " ")} (${count})` })));
    if (chosen in answer.flags) at("file-flag").value = chosen;
    at("file-table").hidden = false;
  }

  function showProgress(progress) {
    at("file-bar").max = progress.rows;
    at("file-bar").value = progress.rows_done;
    const stage = mars.describe(progress);
    at("file-stage").textContent = `${progress.rows_done} of ${progress.rows} rows are scored. ${stage}`;
    const step = Math.floor((SPOKEN_STEPS * progress.rows_done) / progress.rows);
    if (step > spoken) at("file-live").textContent = `${progress.rows_done} of ${progress.rows} rows are scored.`;
    spoken = step;
    if (current && progress.rows_done && Date.now() - looked > BETWEEN_LOOKS) list().catch(() => {});
  }

  function check(file) {
    const type = TYPES[file.name.split(".").pop().toLowerCase()];
    const most = Number(at("upload").dataset.most);
    if (!type) throw { message: `${file.name}: this is no format that can be read.`, remedy: "Use .jsonl, .csv or .tsv." };
    if (file.size > most) {
      throw { message: `${file.name}: the file is larger than ${most >> 20} MB.`, remedy: "Split it into smaller files." };
    }
    return type;
  }

  function begin(file) {
    mars.trouble(at("file-trouble"), null);
    for (const id of ["file-result", "file-table"]) at(id).hidden = true;
    for (const id of ["file-search", "file-flag"]) at(id).value = "";
    spoken = 0;
    finished = false;
    view = { sort: "", descending: false, offset: 0 };
    metrics = ["mars", ...(at("file-beside").value ? [at("file-beside").value] : [])];
    at("file-name").textContent = file.name;
    at("file-bar").removeAttribute("value");
    at("file-stage").textContent = "Sending \u2026";
  }

  async function send(file) {
    if (current) return;
    begin(file);
    try {
      const type = check(file);
      at("file-progress").hidden = false;
      at("upload").disabled = true;
      const query = new URLSearchParams({ preset: at("file-preset").value, metrics: metrics.join(","), name: file.name });
      const id = await mars.follow(`/v1/jobs?${query}`, { headers: { "Content-Type": type }, body: file }, {
        started: (job) => {
          current = shown = job;
          list().catch(() => {});
        },
        progress: showProgress,
      });
      finished = true;
      const state = await (await mars.ask(`/v1/jobs/${id}`)).json();
      await list();
      const count = state.rows === 1 ? "1 row" : `${state.rows.toLocaleString("en")} rows`;
      const means = metrics.map((name) => `${name} ${mars.number(state.means[name])}`).join(", ");
      at("file-mean").textContent = `${file.name}: ${count}, mean ${means}. Click a row to see why it has its score.`;
      at("file-csv").href = `/v1/jobs/${id}/result?format=csv`;
      at("file-jsonl").href = `/v1/jobs/${id}/result?format=jsonl`;
      at("file-result").hidden = false;
      at("file-live").textContent = `Done: ${count} scored.`;
    } catch (error) {
      if (error instanceof Error) throw error;
      at("file-live").textContent = error ? "" : "Cancelled.";
      at("file-table").hidden = true;
      if (error) mars.trouble(at("file-trouble"), error);
    } finally {
      at("file-progress").hidden = true;
      at("upload").disabled = false;
      at("upload").value = "";
      current = null;
    }
  }

  function turn(step) {
    view.offset = Math.max(0, view.offset + step * PAGE);
    list().catch((error) => mars.trouble(at("file-trouble"), error));
  }
  at("file-back").addEventListener("click", () => turn(-1));
  at("file-next").addEventListener("click", () => turn(1));
  let typing = 0;
  at("file-search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => { view.offset = 0; turn(0); }, 150);
  });
  at("file-flag").addEventListener("change", () => { view.offset = 0; turn(0); });
  at("file-controls").addEventListener("submit", (event) => event.preventDefault());
  mars.explainChoice(at("file-preset"), at("file-preset-hint"));
  at("upload").addEventListener("change", () => at("upload").files.length && send(at("upload").files[0]));
  at("file-cancel").addEventListener("click", () => current && mars.cancel(current));
  const drop = at("drop");
  const carriesFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    // Anywhere: a file that misses the box would else replace the page.
    document.addEventListener(name, (event) => carriesFile(event) && event.preventDefault());
    drop.addEventListener(name, (event) => drop.classList.toggle("over", name.startsWith("drag") && name !== "dragleave" && carriesFile(event)));
  }
  drop.addEventListener("drop", (event) => event.dataTransfer.files.length && send(event.dataTransfer.files[0]));
}
