// Light or dark: as the system says, until the button is used.
import { kept } from "./kept";

export function theme(change: "toggle" | null): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const system = dark.matches ? "dark" : "light";
  let chosen = kept.get("membar-theme");
  if (change === "toggle") {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    kept.set("membar-theme", chosen);
  }
  root.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : system;
  if (!chosen && change === null) dark.addEventListener("change", () => theme(null), { once: true });
}
