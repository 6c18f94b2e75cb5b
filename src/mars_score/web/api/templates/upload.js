// A file: sent as it is, followed row by row, and brought back with scores.
{
  const { at, make } = mars;
  const TYPES = {
    jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", json: "application/x-ndjson",
    csv: "text/csv", tsv: "text/tab-separated-values",
  };
  const BETWEEN_LOOKS = 1000;
  const SPOKEN_STEPS = 4;
  let current = null;
  let spoken = 0;
  let looked = 0;

  async function showRows(id) {
    looked = Date.now();
    const state = await (await mars.ask(`/v1/jobs/${id}`)).json();
    at("file-rows").replaceChildren(
      ...state.preview.map((row) =>
        make(
          "tr", {},
          make("td", { textContent: row.id }),
          make("td", { textContent: row.candidate || "(empty)" }),
          make("td", { className: "number", textContent: mars.number(row.scores.mars) }),
          make("td", { textContent: row.flags.join(", ") }),
        ),
      ),
    );
    at("file-table").hidden = !state.preview.length;
    return state;
  }

  function showProgress(progress) {
    at("file-bar").max = progress.rows;
    at("file-bar").value = progress.rows_done;
    const stage = mars.describe(progress);
    at("file-stage").textContent = `${progress.rows_done} of ${progress.rows} rows are scored. ${stage}`;
    const step = Math.floor((SPOKEN_STEPS * progress.rows_done) / progress.rows);
    if (step > spoken) at("file-live").textContent = `${progress.rows_done} of ${progress.rows} rows are scored.`;
    spoken = step;
    if (current && progress.rows_done && Date.now() - looked > BETWEEN_LOOKS) showRows(current).catch(() => {});
  }

  function check(file) {
    const type = TYPES[file.name.split(".").pop().toLowerCase()];
    const most = Number(at("upload").dataset.most);
    if (!type) throw { message: `${file.name}: this is no format that can be read.`, remedy: "Use .jsonl, .csv or .tsv." };
    if (file.size > most) {
      throw { message: `${file.name}: the file is larger than ${most >> 20} MB.`, remedy: "Use mars-score score on the command line." };
    }
    return type;
  }

  async function send(file) {
    if (current) return;
    mars.trouble(at("file-trouble"), null);
    for (const id of ["file-result", "file-table"]) at(id).hidden = true;
    spoken = 0;
    try {
      const type = check(file);
      at("file-name").textContent = file.name;
      at("file-bar").removeAttribute("value");
      at("file-stage").textContent = "Sending …";
      at("file-progress").hidden = false;
      at("upload").disabled = true;
      const query = new URLSearchParams({ preset: at("file-preset").value, name: file.name });
      const id = await mars.follow(`/v1/jobs?${query}`, { headers: { "Content-Type": type }, body: file }, {
        started: (job) => (current = job),
        progress: showProgress,
      });
      const state = await showRows(id);
      const more = state.rows > state.preview.length ? ` The first ${state.preview.length} are shown.` : "";
      at("file-mean").textContent = `${file.name}: ${state.rows} rows, mean score ${mars.number(state.means.mars)}.${more}`;
      at("file-csv").href = `/v1/jobs/${id}/result?format=csv`;
      at("file-jsonl").href = `/v1/jobs/${id}/result?format=jsonl`;
      at("file-result").hidden = false;
      at("file-live").textContent = `Done: ${state.rows} rows are scored.`;
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
