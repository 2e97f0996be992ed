// The verdict, its headline and what it guarantees, at the top of an answer.
import { h, rich, verdictIcon } from "./dom";

export interface Band {
  verdict: string;
  word: string;
  headline: string;
  guarantee: string;
}

/** Fills a band; buttons stand at the ends of its two lines. */
export function fillBand(band: HTMLElement, told: Band, button: Node | string = "", after: Node | string = ""): void {
  band.className = `band ${told.verdict}`;
  band.replaceChildren(
    h("div", { class: "band-line", role: "status" }, told.verdict === "running" ? "" : verdictIcon(told.verdict), h("span", { class: "verdict" }, told.word), h("span", { class: "headline" }, ...rich(told.headline)), button),
    h("p", { class: "guarantee" }, ...rich(told.guarantee), " ", after),
  );
}
