// One test of a campaign: who allows it, the program, an execution or why there is none.
import { type TestDetail, timeText } from "./campaign_data";
import { h, plural, rich } from "./dom";
import { ExecutionView } from "./execution";
import { explanation } from "./outcomes";
import { Job } from "./server";
import type { Contents } from "./types";

export interface DrillHandlers {
  contents(): Contents;
  open(name: string, text: string, model: string, modelText: string): void;
  close(): void;
}

type Answered = TestDetail["answers"][number];
const REST = 250; // milliseconds on a test before it is explained

export class DrillDown {
  readonly element = h("aside", { class: "drill", "aria-label": "Test" });
  private detail: TestDetail | null = null;
  private chosen: Answered | null = null;
  private differ: [string, string] | null = null;
  private job: Job | null = null;
  private timer = 0;
  private readonly chips = h("div", { class: "drill-chips", role: "group", "aria-label": "Explain" });
  private readonly place = h("div", { class: "drill-explanation", "aria-live": "polite" });

  constructor(private readonly handlers: DrillHandlers) {
    this.empty();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.job?.drop();
    this.job = null;
  }

  empty(): void {
    this.stop();
    this.detail = null;
    this.element.replaceChildren(h("p", { class: "drill-hint" }, "Choose a test: who allows it, the program, an execution, or why there is none."));
  }

  /** Opens the test in the editor. */
  open(): void {
    const { detail } = this;
    if (!detail) return;
    const [model, modelText] = this.asked();
    this.handlers.open(fileName(detail), detail.text, model, modelText);
  }

  show(detail: TestDetail, differ: [string, string] | null, model?: string): void {
    this.stop();
    const isSame = this.detail?.path === detail.path;
    const before = isSame ? this.chosen?.model : undefined;
    this.detail = detail;
    this.differ = differ;
    const answered = detail.answers.filter((one) => one.outcome);
    this.chosen = detail.answers.find((one) => one.model === (model ?? before)) ?? this.interesting(answered) ?? detail.answers[0] ?? null;
    const back = h("button", { class: "drill-back", "aria-label": "Back to the list", onclick: () => this.handlers.close() }, "‹");
    this.element.replaceChildren(
      h("div", { class: "drill-head" }, back, h("h2", { title: detail.path }, detail.name), h("button", { class: "small-button", disabled: !detail.text, onclick: () => this.open() }, "Open in editor")),
      h("p", { class: "drill-sentence" }, ...rich(this.sentence(detail))),
      ...this.titles(),
      detail.text ? h("pre", { class: "drill-program", tabindex: "0", "aria-label": "Program" }, shortened(detail.text)) : h("p", { class: "quiet" }, "The text of this test was not stored."),
      this.chips, this.place, this.all(detail));
    this.drawChips();
    this.place.replaceChildren();
    if (answered.length) this.timer = window.setTimeout(() => void this.explain(), isSame ? 0 : REST);
    else this.showReason();
  }

  /** The answer that surprises most: of the two that differ the forbidding one, else the weakest that forbids beside one that allows. */
  private interesting(answered: Answered[]): Answered | undefined {
    const pair = answered.filter((one) => this.differ?.includes(one.model));
    const of = pair.length ? pair : answered;
    const allows = of.some((one) => one.outcome === "allowed");
    return (allows ? of.filter((one) => one.outcome.startsWith("forbidden")).at(-1) : undefined) ?? of.find((one) => one.outcome === "allowed") ?? of.at(-1);
  }

  private sentence(detail: TestDetail): string {
    const of = (test: (outcome: string) => boolean): string[] => detail.answers.filter((one) => test(one.outcome)).map((one) => one.model);
    const parts: [string, string[]][] = [["Allowed by", of((word) => word === "allowed")], ["forbidden by", of((word) => word === "forbidden")], ["forbidden within a bound by", of((word) => word === "forbidden within a bound")], ["undefined under", of((word) => word === "undefined")]];
    const said = parts.filter(([, models]) => models.length).map(([words, models]) => `${words} ${listed(models)}`).join(", ");
    const left = detail.answers.filter((one) => !one.outcome).length;
    const unlike = detail.answers.filter((one) => one.differs);
    const start = said ? `**${said[0].toUpperCase()}${said.slice(1)}.**` : "**Not answered.**";
    const rest = left && said ? ` ${plural(left, "model")} did not answer.` : "";
    return start + rest + unlike.map((one) => ` Not as expected under ${one.model}: ${one.differs}.`).join("");
  }

  private titles(): HTMLElement[] {
    if (!this.differ) return [];
    const models = this.handlers.contents().models;
    const found = this.differ.flatMap((name) => models.filter((model) => model.name === name && model.title));
    return found.map((model) => h("p", { class: "quiet drill-title" }, h("b", {}, model.name), `: ${model.title}`));
  }

  private drawChips(): void {
    const { detail } = this;
    if (!detail) return;
    const answered = detail.answers.filter((one) => one.outcome);
    const pair = answered.filter((one) => this.differ?.includes(one.model));
    const first = answered.find((one) => one.outcome === "allowed");
    const last = answered.filter((one) => one.outcome.startsWith("forbidden")).at(-1);
    const shown = new Set([...(pair.length ? pair : [first, last]), this.chosen].filter((one): one is Answered => Boolean(one?.outcome)));
    this.chips.replaceChildren(...[...shown].map((one) => h("button", { class: "chip", "aria-pressed": String(one === this.chosen), onclick: () => this.choose(one) }, `${one.model}: ${asks(one)}`)));
  }

  private choose(one: Answered): void {
    this.stop();
    this.chosen = one;
    this.drawChips();
    this.element.querySelectorAll<HTMLElement>(".answers [data-model]").forEach((row) => row.setAttribute("aria-pressed", String(row.dataset.model === one.model)));
    if (one.outcome) void this.explain();
    else this.showReason();
  }

  private showReason(): void {
    const text = this.chosen?.reason ?? "No model has answered yet.";
    this.place.replaceChildren(text.includes("\n") ? h("pre", { class: "drill-program" }, text) : h("p", {}, ...rich(`${this.chosen ? `**${this.chosen.model || "unanswered"}**: ` : ""}${text}`)));
  }

  /** The model to ask about: a shipped one by name, another one by its text. */
  private asked(): [string, string] {
    const one = this.chosen;
    if (!one) return ["", ""];
    const isShipped = this.handlers.contents().models.some((model) => model.name === one.model);
    return isShipped ? [one.model, ""] : ["", one.model_text];
  }

  private async explain(): Promise<void> {
    const { detail, chosen } = this;
    if (!detail?.text || !chosen) return;
    const [model, modelText] = this.asked();
    if (!model && !modelText) {
      this.place.replaceChildren(h("p", { class: "empty" }, `The store does not have the text of ${chosen.model}.`));
      return;
    }
    this.place.replaceChildren(h("p", { class: "empty" }, "Searching…"));
    const job = (this.job = new Job({ kind: "explain", name: fileName(detail), text: detail.text, ...(model ? { model } : { model_text: modelText }), options: {}, outcome: {} }));
    let shown: HTMLElement;
    let view: ExecutionView | null = null;
    try {
      const result = await job.result;
      const problem = result.errors?.errors[0]?.message ?? result.ended;
      if (!result.explanation) shown = h("p", { class: "empty" }, problem ?? "There is no explanation.");
      else if (result.explanation.allowed && result.explanation.drawing) shown = (view = new ExecutionView(result.explanation.drawing)).element;
      else shown = explanation(result.explanation, chosen.model, undefined, Math.max(280, this.place.clientWidth || 400));
    } catch (problem) {
      if (problem instanceof DOMException) return;
      shown = h("p", { class: "empty" }, (problem as Error).message || "membar serve has stopped.");
    }
    if (this.job !== job) return;
    this.place.replaceChildren(shown);
    view?.show();
  }

  private all(detail: TestDetail): HTMLElement {
    const row = (one: Answered): HTMLElement => h("button", { class: "answer-row", "data-model": one.model, "aria-pressed": String(one === this.chosen), onclick: () => this.choose(one) },
      h("b", {}, one.model || "unanswered"), h("span", {}, one.outcome || (one.verdict === "error" ? "bad input" : "unanswered"), one.outcome ? ` (${plural(one.final_states, "final state")})` : ""), h("small", {}, timeText(one.seconds)),
      one.reason && !one.outcome ? h("small", { class: "why-not" }, one.reason.split("\n")[0]) : "");
    return h("div", { class: "answers" }, h("h3", {}, "All answers"), ...detail.answers.map(row), h("p", { class: "quiet drill-path" }, detail.path));
  }
}

const asks = (one: Answered): string => (one.outcome === "allowed" ? "an execution" : "why not?");

function listed(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function fileName(detail: TestDetail): string {
  const last = detail.path.split("/").at(-1) ?? "test.litmus";
  const [stem, ending] = [last.replace(/\.[^.]*$/, ""), last.match(/\.[^.]*$/)?.[0] ?? ".litmus"];
  return `${stem.replace(/[^\w.+-]/g, "-").replace(/^[^\w]+/, "").slice(0, 60) || "test"}${ending}`;
}

/** A litmus test without its title and comments, and without an initial state that says only where registers point. */
function shortened(text: string): string {
  const start = text.search(/^\s*\{/m);
  if (start < 0 || start > 3000) return text.trim();
  const shown = text.slice(start).replace(/\(\*[\s\S]*?\*\)/g, "").replace(/^\s*\{([^}]*)\}\s*\n/, (initial: string, inside: string) =>
    /^[\s;]*((\d+:)?\w+ *= *([a-z]\w*|0)[\s;]*)*$/.test(inside) ? "" : initial);
  return shown.replace(/\n\s*\n/g, "\n").replace(/^\n+|\s+$/g, "");
}
