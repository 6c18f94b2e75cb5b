// The choice of colours; the button is hidden where there is no script.
{
  const theme = document.getElementById("theme");
  const wantsDark = matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : wantsDark.matches;
  }
  function label() {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  }
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  wantsDark.addEventListener("change", label);
  theme.hidden = false;
  label();
}
