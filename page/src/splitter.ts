// The line between program and answer: it can be dragged, moved by arrow keys, and double-clicked to hide the program.
import { h } from "./dom";
import { kept } from "./kept";

const NARROWEST = 18; // per cent of the window
const WIDEST = 78;

export function splitter(program: HTMLElement): HTMLElement {
  const element = h("div", { class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the program", "aria-valuemin": NARROWEST, "aria-valuemax": WIDEST });
  const set = (part: number): void => {
    const width = Math.round(Math.max(NARROWEST, Math.min(WIDEST, part)));
    document.documentElement.style.setProperty("--program", `${width}%`);
    element.setAttribute("aria-valuenow", String(width));
  };
  const now = (): number => (100 * program.getBoundingClientRect().width) / innerWidth;
  const keep = (): void => kept.set("membar-split", String(Math.round(now())));
  set(Number(kept.get("membar-split")) || 44);
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    element.onpointermove = (move) => set((100 * move.clientX) / innerWidth);
    element.onpointerup = () => {
      element.onpointermove = null;
      keep();
    };
  });
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (!by && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (!by) return hide();
    set(now() + by);
    keep();
  });
  const hide = (): void => void document.body.classList.toggle("program-hidden");
  element.addEventListener("dblclick", hide);
  return element;
}
