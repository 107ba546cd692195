// Light or dark: as the system says, until somebody presses the button. Plots ask for their colours each
// time they draw.

const themeListeners = [];
const themeColours = new Map();
const systemTheme = matchMedia("(prefers-color-scheme: dark)");

function colour(name) {
  if (!themeColours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    themeColours.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return themeColours.get(name);
}

// Pages from a file may have no storage.
function storedTheme(chosen) {
  try {
    if (chosen) localStorage.setItem("forebay-theme", chosen);
    return localStorage.getItem("forebay-theme");
  } catch {
    return null;
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeColours.clear();
  const other = theme === "dark" ? "light" : "dark";
  const button = byId("theme");
  button.textContent = theme === "dark" ? "☀" : "☾";
  button.setAttribute("aria-label", `Switch to ${other} colours`);
  button.title = `Switch to ${other} colours`;
  for (const listener of themeListeners) listener();
}

function onTheme(listener) {
  themeListeners.push(listener);
}

function startTheme() {
  setTheme(storedTheme() ?? (systemTheme.matches ? "dark" : "light"));
  systemTheme.addEventListener("change", () => {
    if (!storedTheme()) setTheme(systemTheme.matches ? "dark" : "light");
  });
  byId("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    storedTheme(next);
    setTheme(next);
  });
}
