// Each answer is sent as soon as it is given, and sent again until the server has said that it is on disk.
{
  const form = document.getElementById("questions");
  if (form) rate(form);
  keepColours();

  // A choice of colours is for all pages of the form, not for one text.
  function keepColours() {
    const root = document.documentElement;
    try {
      const chosen = sessionStorage.getItem("theme");
      if (chosen) root.dataset.theme = chosen;
      new MutationObserver(() => sessionStorage.setItem("theme", root.dataset.theme)).observe(root, {
        attributeFilter: ["data-theme"],
      });
    } catch {
      // A browser that keeps nothing shows each page as the system is set.
    }
  }

  function rate(form) {
    const told = document.getElementById("saved");
    const groups = [...form.querySelectorAll("fieldset")];
    const radios = (group) => [...group.querySelectorAll("input")];
    const answered = (group) => radios(group).some((radio) => radio.checked);
    const waiting = new Map(); // answers without an acknowledgement, by question
    let sending = false;
    let wake = null; // ends the pause before the next attempt
    let leaving = null; // where to go when everything is saved

    function tell(text, bad) {
      told.textContent = text;
      told.classList.toggle("problem", bad);
    }

    async function send(question, rating) {
      const body = new URLSearchParams({ question, rating });
      for (const name of ["rater", "n", "sheet"]) body.set(name, form.elements[name].value);
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), 30000);
      try {
        const answer = await fetch("/answer", { method: "POST", body, signal: late.signal });
        const content = await answer.json().catch(() => ({}));
        if (answer.ok && content.saved && content.saved[question] === rating) return { saved: true };
        const problem = content.error || {};
        const reason = [problem.message, problem.remedy].filter(Boolean).join(" ");
        return { again: answer.ok || answer.status >= 500, reason };
      } catch {
        return { again: true, reason: "The server cannot be reached." };
      } finally {
        clearTimeout(timer);
      }
    }

    async function flush() {
      if (sending) {
        if (wake) wake();
        return;
      }
      sending = true;
      let pause = 500;
      while (waiting.size) {
        const [question, rating] = waiting.entries().next().value;
        const outcome = await send(question, rating);
        if (outcome.saved) {
          pause = 500;
          if (waiting.get(question) === rating) waiting.delete(question);
        } else if (outcome.again) {
          tell(`Not saved, retrying. ${outcome.reason || ""}`, true);
          await new Promise((resolve) => {
            wake = resolve;
            setTimeout(resolve, pause);
          });
          wake = null;
          pause = Math.min(2 * pause, 5000);
        } else {
          leaving = null; // to send it again would not help, unless somebody asks for it
          sending = false;
          tell(`Not saved. ${outcome.reason || "The server refused it."}`, true);
          return;
        }
      }
      sending = false;
      tell("Saved", false);
      if (leaving) location.assign(leaving);
    }

    function current() {
      const focused = groups.find((group) => group.contains(document.activeElement));
      return focused || groups.find((group) => !answered(group)) || groups[0];
    }

    function mark() {
      const open = groups.find((group) => !answered(group));
      for (const group of groups) group.classList.toggle("current", group === open);
    }

    function moveOn(group) {
      const next = groups[groups.indexOf(group) + 1];
      const to = next ? radios(next).find((radio) => radio.checked) || radios(next)[0] : form.querySelector("button");
      to.focus();
    }

    form.addEventListener("change", (event) => {
      waiting.set(event.target.name, event.target.value);
      tell("Saving", false);
      mark();
      flush();
    });

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const back = event.submitter && event.submitter.value === "back";
      leaving = back ? form.dataset.back : form.dataset.next;
      if (waiting.size) flush();
      else location.assign(leaving);
    });

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      // Links and buttons have the keys to themselves: a digit too many must not change the first answer.
      if (event.target.closest("a, button, summary")) return;
      if (event.key === "Enter" && !form.contains(event.target)) {
        event.preventDefault();
        form.requestSubmit(form.querySelector("button"));
      }
      if (!/^[1-7]$/.test(event.key)) return;
      const group = current();
      const radio = radios(group)[Number(event.key) - 1];
      event.preventDefault();
      if (!radio.checked) {
        radio.checked = true;
        radio.dispatchEvent(new Event("change", { bubbles: true }));
      }
      moveOn(group);
    });

    addEventListener("online", () => wake && wake());
    addEventListener("beforeunload", (event) => {
      if (waiting.size) event.preventDefault();
    });
    document.getElementById("keys").hidden = false;
    document.getElementById("plain").hidden = true;
    mark();
  }
}
