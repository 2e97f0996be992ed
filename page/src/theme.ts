// Light or dark: as the system says, until the button is used.
const kept = {
  get: (): string | null => {
    try {
      return localStorage.getItem("membar-theme");
    } catch {
      return null; // a window that may keep nothing
    }
  },
  set: (theme: string): void => {
    try {
      localStorage.setItem("membar-theme", theme);
    } catch {
      // it is light or dark until the window is closed
    }
  },
};

export function theme(change: "toggle" | null): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const system = dark.matches ? "dark" : "light";
  let chosen = kept.get();
  if (change === "toggle") {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    kept.set(chosen);
  }
  root.dataset.theme = chosen ?? system;
  if (!chosen && change === null) dark.addEventListener("change", () => theme(null), { once: true });
}
