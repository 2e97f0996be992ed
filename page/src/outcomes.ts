// The final states of a program, an execution for each, and why another one is impossible.
import { h, plural, rich } from "./dom";
import { Drawing, groupOf } from "./drawing";
import { fit } from "./execution";
import { sentence } from "./words";
import type { Answer, Broken, DrawingData, DrawnEvent, Explanation, Outcome } from "./types";

/** The shipped models that are machines with store buffers. */
const BUFFERED = ["x86-tso", "pso", "cam"];

export interface OutcomeHandlers {
  /** Asks whether an outcome is possible. */
  explain(outcome: Outcome, model: string): Promise<Explanation>;
  show(drawing: DrawingData): void;
  markCycle(lines: number[]): void;
}

/** Outcomes; without handlers nobody can be asked for an execution of one, or why another is impossible. */
export function outcomesTab(answer: Answer, handlers?: OutcomeHandlers): HTMLElement {
  const outcomes = answer.outcomes ?? [];
  const place = h("div", { class: "explanation", "aria-live": "polite" });
  const isWhole = answer.guarantee.startsWith("all ");
  const names = [...new Set(outcomes.flatMap((outcome) => Object.keys(outcome)))];
  const section = h("section", { class: "outcomes" });
  if (!outcomes.length) {
    section.append(h("p", { class: "empty" }, answer.verdict === "violated" ? "The search stopped at the first violation, before it reached a final state." : "This answer lists no final states."));
  } else {
    section.append(h("h2", {}, isWhole ? `${plural(outcomes.length, "outcome is", "outcomes are")} possible` : `${plural(outcomes.length, "outcome was", "outcomes were")} found; there may be more`));
    if (answer.verdict === "violated" && answer.property !== "condition") section.append(h("p", { class: "quiet" }, "Executions that fail stop before their end and have no outcome here; Execution shows one."));
    const row = (outcome: Outcome): HTMLElement => h("tr", {}, ...names.map((name) => h("td", {}, h("code", {}, String(outcome[name] ?? "")))),
      h("td", { class: "end" }, handlers && h("button", { class: "small-button", onclick: (event: Event) => void ask(outcome, event.target as HTMLButtonElement) }, "Show an execution")));
    section.append(h("div", { class: "scroll" }, h("table", { class: "outcome-table" }, h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)), h("th", {}))), h("tbody", {}, ...outcomes.map(row)))));
  }
  const field = h("input", { type: "text", class: "outcome-field", spellcheck: "false", placeholder: example(names, outcomes), "aria-label": "Another outcome", onkeydown: (event: KeyboardEvent) => {
    if (event.key === "Enter") void explainTyped();
  } });
  const button = h("button", { class: "small-button", onclick: () => void explainTyped() }, "Explain");
  const explainTyped = async (): Promise<void> => {
    const outcome = parseOutcome(field.value || field.placeholder);
    if (outcome) await ask(outcome, button);
    else place.replaceChildren(h("p", { class: "empty" }, "Write values such as ", h("code", {}, "x=0 && y=1"), "."));
  };
  const ask = async (outcome: Outcome, pressed: HTMLButtonElement): Promise<void> => {
    pressed.disabled = true;
    place.replaceChildren(h("p", { class: "empty" }, "Searching…"));
    try {
      const found = await handlers!.explain(outcome, answer.model);
      if (found.allowed && found.drawing && pressed !== button) handlers!.show(found.drawing);
      place.replaceChildren(explanation(found, answer.model, handlers));
      const isListed = outcomes.some((one) => Object.entries(outcome).every(([name, value]) => String(one[name.replace(/^\[|\]$/g, "")]) === String(value)));
      if (found.allowed && !isListed && isWhole && answer.property === "assertions") place.append(h("p", { class: "quiet" }, "It is not in the list above, because an assertion stops the program on the way."));
    } catch (problem) {
      place.replaceChildren(h("p", { class: "empty" }, ...rich(ended((problem as Error).message))));
    } finally {
      pressed.disabled = false;
    }
  };
  if (handlers) section.append(h("label", { class: "ask" }, "Another outcome: why is it impossible?", h("div", { class: "ask-row" }, field, button)), place);
  if (answer.verdict === "holds") {
    section.append(h("div", { class: "covers" },
      h("div", {}, h("h3", {}, "What this covers"), h("p", {}, `The threads that this program starts, under ${answer.model === "own" ? "your own model" : `${answer.model} as membar defines it`}. Checked: ${answer.property.split(",").join(", ")}.`)),
      h("div", {}, h("h3", {}, "What it does not cover"), h("p", {}, "Other models (see Compare), more threads, other inputs", answer.model === "rc11" || !/\.c$/.test(answer.file) ? "." : ", and data races in C: choose the model rc11 for those."))));
  }
  return section;
}

function example(names: string[], outcomes: Outcome[]): string {
  if (names.length < 2) return names.length ? `${names[0]} = 1` : "x = 0 && y = 0";
  const taken = new Set(outcomes.map((outcome) => `${outcome[names[0]]},${outcome[names[1]]}`));
  for (const a of [0, 1]) for (const b of [0, 1]) if (!taken.has(`${a},${b}`)) return `${names[0]} = ${a} && ${names[1]} = ${b}`;
  return `${names[0]} = 2`;
}

/** `x=0 && y=1` as values by name. */
export function parseOutcome(text: string): Outcome | null {
  const outcome: Outcome = {};
  for (const part of text.split(/&&|\/\\|;|,/)) {
    const found = part.trim().match(/^([^=]+?)\s*==?\s*(\S+)$/);
    if (!found) return null;
    outcome[found[1]] = /^-?\d+$/.test(found[2]) ? Number(found[2]) : found[2];
  }
  return outcome;
}

export function explanation(found: Explanation, model: string, handlers: Pick<OutcomeHandlers, "show" | "markCycle"> | undefined, width = Math.min(450, innerWidth - 30)): HTMLElement {
  const box = h("div", { class: "why" });
  if (found.allowed) {
    handlers?.markCycle([]);
    box.append(h("p", { class: "sentence" }, ...rich(`**This is possible** under ${model}: \`${asTyped(found.outcome)}\`. `), found.drawing && handlers ? h("button", { class: "text-button", onclick: () => handlers.show(found.drawing!) }, "Show an execution") : ""));
    return box;
  }
  const broken = found.broken?.[0];
  if (found.allowed === undefined || !broken || !found.drawing) {
    const reason = found.reason ? ended(found.reason) : "";
    const words = found.allowed === undefined ? `**Not known.** ${reason}` : `**This is impossible** under ${model}: \`${asTyped(found.outcome)}\`. ${reason}`;
    box.append(h("p", { class: "sentence" }, ...rich(words)));
    return box;
  }
  const count = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"][broken.edges.length] ?? String(broken.edges.length);
  box.append(h("p", { class: "sentence" }, ...rich(broken.is_cycle
    ? `**Why is this impossible?** It would need a cycle: each of these ${count} must come before the next, and the last before the first. The rule \`${broken.axiom}\` of ${model} forbids that.`
    : `**Why is this impossible?** The rule \`${broken.axiom}\` of ${model} forbids it: it ${broken.demand}.`)));
  const drawing = new Drawing(found.drawing, { hover: () => undefined, choose: () => undefined });
  const edges = broken.edges.map((edge) => ({ ...edge, relation: plainRelation(found.drawing!, edge) }));
  const svg = drawing.render({ step: 0, hidden: new Set(), cycle: edges, gap: 26, isNarrow: width < 460 }, width);
  svg.setAttribute("aria-label", `The cycle that ${broken.axiom} forbids`);
  fit(svg, width, 420);
  const list = h("ol", { class: "cycle-list" }, ...edges.map((edge, n) => h("li", {}, h("b", { class: groupOf(edge.relation) }, edge.relation), ": ", ...rich(edgeWords(found.drawing!, edge, n === edges.length - 1, BUFFERED.includes(model))))));
  box.append(h("div", { class: "cycle" }, svg, list));
  handlers?.markCycle(linesOf(found.drawing, broken));
  return box;
}

/** `[a]=2 /\\ [b]=0` as people write it here. */
function asTyped(outcome: string): string {
  return outcome.replace(/ \/\\ /g, " && ").replace(/\[(\w+)\](?==)/g, "$1");
}

/** A text as a whole sentence. */
function ended(text: string): string {
  return /[.?!]$/.test(text) ? sentence(text) : `${sentence(text)}.`;
}

function linesOf(drawing: DrawingData, broken: Broken): number[] {
  const ids = new Set(broken.edges.flatMap((edge) => [edge.source, edge.target]));
  return [...new Set(drawing.events.filter((event) => ids.has(event.id)).flatMap((event) => event.line ?? []))];
}

/** What a model calls `obs` or `dependency` is, between two events, a relation that has a meaning of its own. */
function plainRelation(drawing: DrawingData, edge: Broken["edges"][number]): string {
  const isPlain = ["po", "rf", "co", "fr", "addr", "data", "ctrl", "mfence"].includes(edge.relation);
  const has = (relation: string): boolean => (drawing.edges[relation] ?? []).some(([source, target]) => source === edge.source && target === edge.target);
  return isPlain ? edge.relation : ["rf", "co", "fr", "data", "addr"].find(has) ?? edge.relation;
}

/** What an edge of a cycle says. */
function edgeWords(drawing: DrawingData, edge: Broken["edges"][number], isLast: boolean, hasBuffers: boolean): string {
  const event = (id: number): DrawnEvent => drawing.events.find((one) => one.id === id)!;
  const [a, b] = [event(edge.source), event(edge.target)];
  const thread = (one: DrawnEvent): string => (one.thread < 0 ? "the initial value" : drawing.threads[one.thread]);
  const short = (one: DrawnEvent): string => (one.kind === "F" ? one.text ?? "the fence" : `${one.kind === "R" ? "the read" : "the write"} of ${one.location}${one.line ? ` (line ${one.line})` : ""}`);
  const missed = (): string => (hasBuffers ? `${thread(a)} reads ${a.location} before ${thread(b)}’s store gets there` : `${thread(a)} does not see ${thread(b)}’s write of ${b.location}`);
  const words: Record<string, () => string> = {
    mfence: () => `${thread(a)}’s store to ${a.location} is in memory before ${thread(b)} reads ${b.location}`,
    fr: missed,
    rf: () => `${thread(b)} sees ${thread(a)}’s write of ${a.location}`,
    rfe: () => `${thread(b)} sees ${thread(a)}’s write of ${a.location}`,
    fre: missed,
    co: () => `${thread(b)}’s write of ${b.location} overwrites ${thread(a)}’s`,
    coe: () => `${thread(b)}’s write of ${b.location} overwrites ${thread(a)}’s`,
    data: () => `what ${thread(a)} writes to ${b.location} depends on it`,
    addr: () => `where ${thread(a)} then reads depends on it`,
  };
  const found = words[edge.relation]?.() ?? `\`${edge.relation}\` orders ${short(a)} before ${short(b)}`;
  return `${found}${isLast ? ": back at 1" : ""}.`;
}
