// The cheapest repair as a diff that can be applied.
import { copyText, h, plural, rich, verdictIcon } from "./dom";
import { Run } from "./steps";
import type { Answer, DrawingData, Repair } from "./types";

export interface RepairHandlers {
  /** Absent where there is nothing to apply it to. */
  apply?(text: string): void;
  weaken?(): void;
  show(drawing: DrawingData): void;
}

export function repairTab(repair: Repair, repaired: string | null, text: string, name: string, model: string, handlers: RepairHandlers): HTMLElement {
  const section = h("section", { class: "repair" });
  const weakenButton = handlers.weaken ? h("button", { class: "small-button", onclick: () => handlers.weaken?.() }, "Look for what is stronger than needed") : "";
  if (repair.result === "nothing-to-repair") {
    section.append(h("h2", {}, "Nothing to repair."), weakenButton);
    return section;
  }
  if (repair.result === "nothing-to-weaken") {
    section.append(h("h2", {}, "Nothing is stronger than needed."));
    return section;
  }
  if (!repair.changes || repaired === null) {
    section.append(h("h2", {}, `No repair was found: ${repair.reason ?? "the search ended"}`));
    return section;
  }
  const count = repair.changes.length;
  const verb = repair.result === "weakened" ? "can be weakened" : `make${count === 1 ? "s" : ""} it correct`;
  section.append(h("h2", {}, repair.result === "weakened" ? `${plural(count, "place")} ${verb} under ${model}` : `${count === 1 ? "One change" : `${count} changes`} ${verb} under ${model}`));
  const minimal = repair.minimal ? `No cheaper repair exists (${plural(repair.checked ?? 0, "program")} checked).` : "A cheaper one may exist: the search did not finish.";
  section.append(h("p", { class: "quiet-line" }, `${minimal} With it: `, verdictIcon(repair.verdict ?? "holds", 16), h("b", { class: repair.verdict }, ` ${(repair.verdict ?? "").toUpperCase().replace("-", " ")}`), `, ${repair.guarantee ?? ""}.`));
  section.append(repaired === text && repair.patch ? patchBox(repair.patch) : diff(text, repaired, name));
  const note = h("span", { class: "quiet", role: "status" }, handlers.apply ? "Undo with Ctrl Z" : "");
  section.append(h("div", { class: "buttons" },
    handlers.apply && h("button", { class: "primary", onclick: () => handlers.apply?.(repaired) }, "Apply and run again"),
    h("button", { class: "small-button", onclick: () => void copyText(repair.patch ?? "").then(() => (note.textContent = "The patch was copied.")) }, "Copy patch"), note));
  const prevented = repair.changes.map((change) => change.prevents).filter((answer): answer is Answer => Boolean(answer?.drawing));
  if (prevented.length) {
    section.append(h("h3", {}, "What it prevents"));
    const told = new Map(prevented.map((answer) => [without(answer.drawing!), answer.drawing!])); // changes that prevent the same
    for (const [words, drawing] of told) section.append(h("p", {}, ...rich(words), " ", h("button", { class: "text-button", onclick: () => handlers.show(drawing) }, "Show it")));
  }
  const race = repair.flags?.includes("data-race") ? " In C it still has a data race, which was not asked about: choose rc11." : "";
  section.append(h("p", { class: "quiet foot" }, `Cost ${repair.cost} in membar’s table of costs.${race}`));
  return section;
}

function without(drawing: DrawingData): string {
  const run = new Run(drawing);
  const step = run.strangeSteps()[0];
  if (step === undefined) return "Without it there is an execution that goes wrong.";
  const { now, rest } = run.sentence(step);
  return `Without it: ${now}${rest}`;
}

/** A patch of another file than the program's own. */
function patchBox(patch: string): HTMLElement {
  const lines = patch.replace(/\n$/, "").split("\n");
  const row = (line: string): HTMLElement => h("tr", { class: line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "" }, h("td", { class: "sign" }, line.slice(0, 1)), h("td", {}, line.slice(1)));
  const changed = lines.filter((line) => !/^(---|\+\+\+|@@)/.test(line));
  return h("div", { class: "diff-box" }, h("div", { class: "diff-head" }, lines.find((line) => line.startsWith("+++"))?.slice(6) ?? ""), h("div", { class: "scroll" }, h("table", { class: "diff" }, ...changed.map(row))));
}

/** The lines that differ, with two lines around them. */
export function diff(before: string, after: string, name: string): HTMLElement {
  const [a, b] = [before.replace(/\n$/, "").split("\n"), after.replace(/\n$/, "").split("\n")];
  const rows = align(a, b);
  const near = rows.map((_, n) => rows.slice(Math.max(0, n - 2), n + 3).some((row) => row.sign !== " "));
  const table = h("table", { class: "diff" });
  let skipped = false;
  rows.forEach((row, n) => {
    if (!near[n]) {
      skipped = true;
      return;
    }
    if (skipped && table.childElementCount) table.append(h("tr", { class: "skip" }, h("td", { colspan: "3" }, "…")));
    skipped = false;
    const other = row.sign === "-" ? rows[n + 1] : row.sign === "+" ? rows[n - 1] : undefined;
    const pair = other && other.sign !== " " && other.sign !== row.sign ? other.text : undefined;
    table.append(h("tr", { class: row.sign === "+" ? "added" : row.sign === "-" ? "removed" : "" }, h("td", { class: "number" }, String(row.line)), h("td", { class: "sign" }, row.sign === "-" ? "−" : row.sign), h("td", {}, ...changed(row.text, pair))));
  });
  return h("div", { class: "diff-box" }, h("div", { class: "diff-head" }, name), h("div", { class: "scroll" }, table));
}

interface Row {
  sign: " " | "+" | "-";
  line: number;
  text: string;
}

/** A shortest edit between two texts, line by line. */
export function align(a: string[], b: string[]): Row[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [x, y] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const table = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--) table[i][j] = x[i] === y[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const rows: Row[] = a.slice(0, head).map((text, n) => ({ sign: " ", line: n + 1, text }));
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) rows.push({ sign: " ", line: head + ++j, text: x[i++] });
    else if (i < x.length && (j >= y.length || table[i + 1][j] >= table[i][j + 1])) rows.push({ sign: "-", line: head + i + 1, text: x[i++] });
    else rows.push({ sign: "+", line: head + j + 1, text: y[j++] });
  }
  a.slice(a.length - tail).forEach((text, n) => tail && rows.push({ sign: " ", line: b.length - tail + n + 1, text }));
  return rows;
}

/** A line with the part underlined in which it differs from another. */
function changed(text: string, other?: string): (Node | string)[] {
  if (other === undefined) return [text];
  let head = 0;
  while (head < text.length && head < other.length && text[head] === other[head]) head++;
  let tail = 0;
  while (tail < text.length - head && tail < other.length - head && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return [text.slice(0, head), h("u", {}, text.slice(head, text.length - tail)), text.slice(text.length - tail)];
}
