// The examples: what a new visitor sees, and what *Examples* shows.
import { h, moveFocus, verdictIcon } from "./dom";
import type { Contents, Example } from "./types";

/** Models by column: C++ and Rust have rc20 where C has rc11. */
const COLUMNS = [["sc"], ["x86-tso"], ["armv8"], ["rc11", "rc20"]];

export function gallery(contents: Contents, open: (example: Example) => void): HTMLElement {
  const search = h("input", { type: "search", class: "search", placeholder: `Search ${contents.examples.length} examples`, "aria-label": "Search examples" });
  const table = h("div", { class: "gallery-rows" });
  const draw = (): void => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = contents.examples.filter((example) => wanted.every((word) => `${example.name} ${example.title} ${example.group}`.toLowerCase().includes(word)));
    const rows: HTMLElement[] = [];
    let group = "";
    for (const example of found) {
      if (example.group !== group) {
        group = example.group;
        rows.push(h("h3", {}, group));
      }
      rows.push(h("button", { class: "gallery-row", onclick: () => open(example) }, h("code", {}, example.name), h("span", { class: "gallery-title" }, example.title), ...COLUMNS.map((models) => mark(example, models))));
    }
    table.replaceChildren(...(rows.length ? rows : [h("p", { class: "empty" }, "No example has these words.")]));
  };
  search.addEventListener("input", draw);
  const section = h("section", { class: "gallery", onkeydown: (event: KeyboardEvent) => moveFocus(section, event, ".search, .gallery-row") });
  draw();
  section.append(
    h("h1", {}, "Is this concurrent program still correct on x86, ARM or in C11?"),
    h("p", { class: "lead" }, "Paste it into the editor and press Run (Ctrl Enter), or start from an example."),
    search,
    h("div", { class: "gallery-head" }, h("span", {}, "Expected verdict"), ...COLUMNS.map((models) => h("span", {}, models.join(", ")))),
    table,
    h("p", { class: "legend-line" }, ...Object.entries(SHOWN).flatMap(([word, verdict]) => [verdictIcon(verdict, 16), ` ${word.toLowerCase()}`]), h("span", {}, "· not stated")));
  return section;
}

const SHOWN: Record<string, string> = { HOLDS: "holds", "HOLDS WITHIN": "holds-within", VIOLATED: "violated", UNKNOWN: "unknown" };

function mark(example: Example, models: string[]): HTMLElement {
  const model = models.find((name) => example.expected[name]) ?? models[0];
  const verdict = example.expected[model];
  if (!verdict) return h("span", { class: "mark", "aria-label": `${model}: not stated` }, "·");
  return h("span", { class: "mark", role: "img", "aria-label": `${model}: ${verdict.toLowerCase()}` }, verdictIcon(SHOWN[verdict] ?? "unknown", 16));
}
