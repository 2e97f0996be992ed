// What the command line says about an answer: notes, the text, JSON, the picture, the command, statistics.
import { copyText, h } from "./dom";
import { visible } from "./listing";
import type { Answer } from "./types";

/** A text that can be shown and copied. */
export function block(title: string, text: string, isOpen = false): HTMLElement {
  const copy = h("button", { class: "text-button", onclick: (event: Event) => {
    event.preventDefault();
    void copyText(text);
  } }, "Copy");
  return h("details", { open: isOpen }, h("summary", {}, title, copy), h("pre", { tabindex: "0" }, ...visible(text)));
}

export function details(answer: Answer, given: { text?: string; svg?: string; command?: string }): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (answer.findings.length > 1) parts.push(findingsTable(answer));
  if (answer.notes.length) parts.push(h("ul", { class: "notes" }, ...answer.notes.map((note) => h("li", {}, note))));
  if (answer.drawing && !answer.drawing.machine && answer.drawing.steps.length) parts.push(h("p", { class: "quiet" }, `${answer.model} has no store buffers: the order of the steps is one of several, not time.`));
  if (given.text) parts.push(block("Text", given.text, true));
  parts.push(block("JSON", JSON.stringify(answer, null, 1)));
  if (given.svg) parts.push(block("SVG", given.svg));
  if (given.command) parts.push(block("Command", given.command));
  const counted = Object.entries(answer.statistics).filter(([, value]) => typeof value === "number");
  parts.push(h("p", { class: "quiet" }, `${answer.engine}, ${answer.algorithm}. ${counted.map(([name, value]) => `${name} ${name === "seconds" ? value.toFixed(3) : value.toLocaleString("en")}`).join(", ")}.`));
  return parts;
}

/** One line for each property that was asked about. */
function findingsTable(answer: Answer): HTMLElement {
  const words: Record<string, string> = { holds: "HOLDS", "holds-within": "HOLDS WITHIN", violated: "VIOLATED", unknown: "UNKNOWN", "not-checked": "not checked" };
  return h("table", { class: "findings" }, h("thead", {}, h("tr", {}, ...["Property", "Verdict", ""].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...answer.findings.map((item) => h("tr", {}, h("td", {}, item.claim ? h("code", {}, item.claim) : item.property), h("td", { class: item.verdict }, `${words[item.verdict] ?? item.verdict}${item.warning ? " (a warning)" : ""}`), h("td", {}, item.reason)))));
}
