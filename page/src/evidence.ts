// What shows an answer besides an execution: the history of an object, a run of some processes, a proof.
import { h, plural, rich, s } from "./dom";
import { Stepper } from "./stepper";
import type { Answer, History, Obligation, ProcessRun } from "./types";
import { sentence } from "./words";

/** What a file of its own says of a run or a proof, besides the answer. */
export interface Particulars {
  /** The line of each step of a run of processes. */
  lines?: (number | null)[];
  unsafe?: string;
  unsafe_line?: number | null;
  /** The states that no run reaches, in words. */
  cubes?: string[];
}

/** Something that can be stepped through. */
export interface Steps {
  readonly element: HTMLElement;
  readonly step: number;
  readonly length: number;
  show(): void;
  go(step: number): void;
}

export function historyView(history: History): HTMLElement {
  const threads = [...new Set(history.bars.map((bar) => bar.thread))].sort((a, b) => a - b);
  const widths: number[] = [];
  for (const bar of [...history.bars].sort((a, b) => a.last - a.first - (b.last - b.first))) {
    for (let column = bar.first; column <= bar.last; column++) widths[column] ??= 34;
    const room = widths.slice(bar.first, bar.last + 1).reduce((sum, width) => sum + width, 0);
    widths[bar.last] += Math.max(0, bar.text.length * 8.2 + 46 - room);
  }
  const start = (column: number): number => 52 + widths.slice(0, column).reduce((sum, width) => sum + (width ?? 34), 0);
  const [wide, high] = [start(widths.length) + 16, threads.length * 54 + 12];
  const svg = s("svg", { class: "drawing timeline", role: "img", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "aria-label": history.explanation.join(". ") });
  svg.append(s("defs", {}, s("marker", { id: "arrow-before", viewBox: "0 0 8 8", refX: 7.2, refY: 4, markerWidth: 8.5, markerHeight: 8.5, markerUnits: "userSpaceOnUse", orient: "auto", class: "arrow po" }, s("path", { d: "M0,0.6 L8,4 L0,7.4 L1.8,4 z" }))));
  const places = history.bars.map((bar) => ({ left: start(bar.first), right: start(bar.last + 1) - 16, y: 8 + threads.indexOf(bar.thread) * 54 }));
  for (const thread of threads) svg.append(s("text", { x: 8, y: 8 + threads.indexOf(thread) * 54 + 21, class: "caption" }, `T${thread}`));
  for (const [a, b] of history.before) {
    if (history.bars[a].thread === history.bars[b].thread) continue;
    svg.append(s("path", { class: "down", d: `M${places[a].right},${places[a].y + 16}L${places[b].left - 1},${places[b].y + 16}`, "marker-end": "url(#arrow-before)" }));
  }
  history.bars.forEach((bar, n) => {
    const { left, right, y } = places[n];
    const group = s("g", { class: `call${bar.explained ? "" : " unexplained"}${bar.pending ? " pending" : ""}` });
    group.append(s("title", {}, `T${bar.thread}: ${bar.text}${bar.pending ? ", which never returned" : ""}`), s("rect", { x: left, y, width: right - left, height: 32, rx: 6 }), s("text", { x: left + 10, y: y + 21, class: "what" }, bar.text));
    if (!bar.explained) group.append(s("path", { class: "cross", d: `M${right - 16},${y + 12}l8,8m0,-8l-8,8` }));
    svg.append(group);
  });
  return h("section", { class: "history", "aria-label": "History" },
    h("h2", {}, "A history that no order of its calls explains"),
    h("p", { class: "quiet-line" }, "A bar is a call, from its beginning to its return. An arrow says that one call had returned before the other began. Calls with a cross are left over: no order puts them after the others."),
    h("div", { class: "scroll" }, svg),
    h("ul", { class: "notes" }, ...history.explanation.map((words) => h("li", {}, sentence(words)))));
}

export class ProcessRunView implements Steps {
  readonly element: HTMLElement;
  private readonly stepper: Stepper;
  private readonly sentence = h("p", { class: "sentence", role: "status" });
  private readonly table = h("tbody");
  private readonly state = h("div", { class: "process-state" });

  constructor(private readonly run: ProcessRun, private readonly particulars: Particulars = {}, private readonly stepped: (line: number | null) => void = () => undefined) {
    this.stepper = new Stepper(run.steps.length, { fails: run.steps.length }, (step) => this.draw(step));
    this.stepper.step = run.steps.length;
    const heads = Array.from({ length: run.processes }, (_, n) => h("th", { scope: "col" }, `Process ${n + 1}`));
    this.element = h("section", { class: "execution process-run", "aria-label": "Run" }, this.stepper.element, this.sentence,
      h("div", { class: "scroll" }, h("table", { class: "run-table" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Step"), ...heads)), this.table)), this.state);
    run.steps.forEach((step, n) => {
      const cells = heads.map((_, process) => h("td", {}, step.processes[0] === process + 1 ? h("code", {}, step.flush ? "a store reaches memory" : `${step.name}(${step.processes.map((number) => `#${number}`).join(", ")})`) : ""));
      this.table.append(h("tr", { onclick: () => this.go(n + 1) }, h("td", {}, String(n + 1)), ...cells));
    });
  }

  get step(): number {
    return this.stepper.step;
  }

  get length(): number {
    return this.stepper.length;
  }

  show(): void {
    this.go(this.step);
  }

  go(step: number): void {
    this.stepper.go(step);
  }

  private draw(number: number): void {
    const { run } = this;
    const step = number > 0 ? run.steps[number - 1] : undefined;
    const words = this.words(number);
    this.stepper.say(words.replace(/[`*]/g, ""));
    this.sentence.replaceChildren(...rich(words));
    [...this.table.children].forEach((row, n) => (row.className = n + 1 === number ? "row-now" : n + 1 > number ? "later" : ""));
    const memory = step?.memory ?? run.initial;
    const before = new Map(number > 1 ? run.steps[number - 2].memory : run.initial);
    const cell = ([place, value]: [string, string]): HTMLElement => h("span", { class: `cell-box${before.get(place) !== value ? " now" : ""}` }, h("code", {}, `${place} = ${value}`));
    const buffers = (step?.buffers ?? []).map((entries, n) => [n, entries] as const).filter(([, entries]) => entries.length);
    this.state.replaceChildren(
      h("h3", {}, "Memory"), h("div", { class: "cells" }, ...memory.map(cell)),
      ...(buffers.length ? [h("h3", {}, "Store buffers, oldest first")] : []),
      ...buffers.map(([n, entries]) => h("div", { class: "cells" }, h("span", { class: "quiet" }, `Process ${n + 1}`), ...entries.map((entry) => h("span", { class: "cell-box waiting" }, h("code", {}, entry.map(([place, value]) => `${place} = ${value}`).join(", ")))))));
    this.stepped(number === run.steps.length && this.particulars.unsafe_line ? this.particulars.unsafe_line : this.particulars.lines?.[number - 1] ?? null);
  }

  private words(number: number): string {
    const { run } = this;
    if (!number) return `A run of ${plural(run.processes, "process", "processes")}. Nothing has happened yet.`;
    const step = run.steps[number - 1];
    const pairs = (items: [string, string][]): string => items.map(([place, value]) => `\`${place} = ${value}\``).join(", ");
    const who = `**Process ${step.processes[0]}**`;
    const done = step.flush ? `The oldest store of ${who} reaches memory.` : `${who} takes \`${step.name}\`.`;
    const read = step.reads?.length ? ` It reads ${pairs(step.reads)}.` : "";
    const chosen = step.chosen?.length ? ` It chooses ${pairs(step.chosen)}.` : "";
    const bad = number === run.steps.length ? ` **This state is unsafe**${this.particulars.unsafe ? `: ${this.particulars.unsafe}` : ""}.` : "";
    return done + read + chosen + bad;
  }
}

/** What the obligations of a proof of linearizability say (Derrick, Schellhorn, Wehrheim). */
const OBLIGATIONS: Record<number, string> = {
  1: "Steps that are no linearization point keep the invariants, and change nothing that callers see",
  2: "Steps at which an operation takes effect do what the specification says",
  3: "Steps of other threads keep the invariants of a thread",
  4: "The invariants are true at the beginning",
};

/** The proof that an answer speaks of; null if there is none. */
export function proofView(answer: Answer, particulars: Particulars): HTMLElement | null {
  const { obligation, discharged = [], invariants } = answer;
  const parts: HTMLElement[] = [];
  if (discharged.length || obligation) {
    const row = (number: number): HTMLElement => {
      const count = discharged.find((one) => one.number === number)?.count ?? 0;
      const fails = obligation?.number === number;
      return h("tr", {}, h("td", {}, `(${number})`), h("td", {}, OBLIGATIONS[number]), h("td", {}, count.toLocaleString("en")), h("td", { class: fails ? "bad" : "" }, fails ? "✕ one fails" : count ? "✓" : ""));
    };
    parts.push(h("h2", {}, "Obligations"), h("table", {}, h("thead", {}, h("tr", {}, ...["", "What must be true", "Discharged by z3", ""].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...[1, 2, 3, 4].map(row))));
  }
  if (obligation) parts.push(...failedObligation(obligation));
  if (invariants) parts.push(h("h2", {}, "Invariants that were found"), h("pre", { tabindex: "0" }, invariants));
  const { cubes } = particulars;
  if (cubes?.length) {
    parts.push(h("h2", {}, "Proof"), h("p", { class: "quiet-line" }, `No run of any number of processes reaches one of these ${plural(cubes.length, "set")} of states: none holds at the beginning, and every step into one of them begins in another. z3 has confirmed it.`), h("ol", { class: "cubes" }, ...cubes.map((cube) => h("li", {}, h("code", {}, cube)))));
  }
  return parts.length ? h("section", { class: "proof", "aria-label": "Proof" }, ...parts) : null;
}

function failedObligation(failed: Obligation): HTMLElement[] {
  const row = (words: string, value: Node | string): HTMLElement => h("tr", {}, h("th", { scope: "row" }, words), h("td", {}, value));
  const values = (items: Record<string, number>): HTMLElement => h("div", { class: "cells" }, ...Object.entries(items).map(([name, value]) => h("span", { class: "cell-box" }, h("code", {}, `${name} = ${value}`))));
  return [
    h("h2", {}, "A step that the annotations wrongly allow, or that violates them"),
    h("table", { class: "obligation" }, h("tbody", {},
      failed.thread ? row("The thread is", failed.thread) : "", failed.other ? row("Another is", failed.other) : "",
      row("Before the step", values(failed.before)), row("The step", failed.step), row("It changes", values(failed.after)), failed.problem ? row("But", h("strong", { class: "bad" }, failed.problem)) : "")),
  ];
}
