// Jobs: started here, followed by the events that the server sends, and given up when the reader leaves.
{
  const STAGES = { masking: "masking words", infilling: "filling blanks", encoding: "comparing", waiting: "waiting" };
  const MOST_TRIES = 5;
  const running = new Set();

  // "mars: infilling" names the metric as well.
  mars.stageOf = (name) => name.split(": ").pop();

  mars.describe = (progress) => {
    const stage = mars.stageOf(progress.stage);
    if (progress.state === "waiting") return "Waiting for its turn …";
    const words = STAGES[stage] ?? stage;
    const text = words[0].toUpperCase() + words.slice(1);
    return progress.total ? `${text}: ${progress.done} of ${progress.total}` : `${text} …`;
  };

  // Start a job and hear of it. Resolves with its id when it is done; the caller can cancel it by its id before.
  mars.follow = async (path, options, hear) => {
    const { id } = await (await mars.ask(path, { method: "POST", ...options })).json();
    running.add(id);
    hear.started?.(id);
    try {
      await new Promise((resolve, reject) => {
        const events = new EventSource(`/v1/jobs/${id}/events`);
        let tries = 0;
        const end = (finish, value) => {
          events.close();
          finish(value);
        };
        for (const name of ["progress", "template", "filled"]) {
          events.addEventListener(name, (event) => {
            tries = 0;
            hear[name]?.(JSON.parse(event.data));
          });
        }
        events.addEventListener("done", () => end(resolve));
        events.addEventListener("failed", (event) => end(reject, JSON.parse(event.data)));
        events.addEventListener("cancelled", () => end(reject, null));
        events.addEventListener("error", () => {
          tries += 1;
          if (events.readyState === EventSource.CLOSED || tries > MOST_TRIES) {
            end(reject, { message: "The connection to the server was lost.", remedy: "Is it still running?" });
          }
        });
      });
    } finally {
      running.delete(id);
    }
    return id;
  };

  mars.cancel = (id) => fetch(`/v1/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});

  addEventListener("pagehide", () => running.forEach(mars.cancel));
}
