// Search, filter and order; the controls are hidden where there is no script.
{
  const list = document.getElementById("list");
  const items = Array.from(list.querySelectorAll(".ex-item"));
  const [search, flag, sort] = ["search", "flag", "sort"].map((name) => document.getElementById(name));
  const count = document.getElementById("count");
  const none = document.getElementById("none");
  const unfold = document.getElementById("unfold");
  // Only the file's texts and what was written for them: our own words stand in every item.
  const texts = new Map();
  function text(item) {
    if (!texts.has(item)) {
      const found = Array.from(item.querySelectorAll("h3, .ex-text, .ex-id, .ex-flag"), (one) => one.textContent);
      texts.set(item, found.join(" ").replace(/\s+/g, " ").toLocaleLowerCase());
    }
    return texts.get(item);
  }
  const KEYS = {
    order: (item) => Number(item.dataset.order),
    high: (item) => -Number(item.dataset.score),
    low: (item) => Number(item.dataset.score),
    apart: (item) => (item.dataset.apart === "" ? 1 : -Number(item.dataset.apart)),
  };
  function apply() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const flags = item.dataset.flags.split(" ");
      const fits = (!flag?.value || flags.includes(flag.value)) && words.every((word) => text(item).includes(word));
      item.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${items.length} shown`;
    none.hidden = shown > 0;
    label();
  }
  function order() {
    const key = KEYS[sort.value];
    const sorted = [...items].sort((a, b) => key(a) - key(b) || KEYS.order(a) - KEYS.order(b));
    list.append(...sorted);
  }
  function visible() {
    return items.filter((item) => !item.hidden);
  }
  function label() {
    const found = visible();
    unfold.textContent = found.length && found.every((item) => item.open) ? "Close all" : "Open all";
  }
  search.addEventListener("input", apply);
  flag?.addEventListener("change", apply);
  sort.addEventListener("change", order);
  unfold.addEventListener("click", () => {
    const open = unfold.textContent === "Open all";
    for (const item of visible()) item.open = open;
    label();
  });
  list.addEventListener("toggle", label, true);
  document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("reset").addEventListener("click", () => {
    search.value = "";
    if (flag) flag.value = "";
    apply();
    search.focus();
  });
  function follow() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.classList.contains("ex-item")) return;
    target.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  document.getElementById("controls").hidden = false;
  apply();
  order();
  follow();
}
