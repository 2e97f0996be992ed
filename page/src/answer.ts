// The answer: the verdict, and tabs with what shows it and what else can be asked.
import { type Band, fillBand } from "./band";
import { compareBand, compareTab } from "./compare";
import { block, details } from "./details";
import { disable, h, plural } from "./dom";
import type { Steps } from "./evidence";
import { ExecutionView } from "./execution";
import { OWN_MODEL, isOfModel } from "./own_model";
import { type OutcomeHandlers, explanation, outcomesTab } from "./outcomes";
import type { ProgramPane } from "./program";
import { repairTab } from "./repair";
import type { Asked, Progress } from "./server";
import type { State } from "./state";
import type { Answer, Contents, DrawingData, Explanation, InputProblem, Outcome, Result } from "./types";
import { sentence, tell } from "./words";

export const TABS = ["Execution", "Outcomes", "Compare", "Repair", "Report"] as const;
export type Tab = (typeof TABS)[number];
const COMPARED = ["sc", "x86-tso", "pso", "armv8", "power"];
const OF_RC20 = [".cpp", ".cc", ".cxx", ".C", ".rs"];

export interface AnswerHandlers {
  contents(): Contents;
  /** Asks about the program as it is now. */
  ask(kind: Asked["kind"], more?: Partial<Asked>, shown?: (told: Progress) => void): Promise<Result | null>;
  run(): void;
  /** Model, properties or bounds were changed. */
  changedQuestion(): void;
  notify(words: string): void;
}

export class AnswerPane {
  private readonly band = h("header", { class: "band", hidden: true });
  private readonly tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Answer", hidden: true });
  private readonly body = h("div", { class: "answer-body", role: "tabpanel" });
  readonly element = h("main", { class: "answer", "data-part": "Answer" }, this.band, this.tabs, this.body);
  private result: Result | null = null;
  private isStale = false;
  private changed = "program";
  private tab: Tab = "Execution";
  private chosenModels: string[] | null = null;
  private compared: Result | null = null;
  private repaired: Result | null = null;
  private shown: ExecutionView | null = null;
  /** What can be stepped through; an execution also has lines and relations. */
  steps: Steps | null = null;
  view: ExecutionView | null = null;

  constructor(private readonly state: State, private readonly program: ProgramPane, private readonly handlers: AnswerHandlers) {
    for (const [n, tab] of TABS.entries()) {
      this.tabs.append(h("button", { class: "tab", role: "tab", id: `tab-${tab}`, "data-tab": tab, title: `${n + 1}`, onclick: () => this.showTab(tab) }, tab));
    }
    this.tabs.addEventListener("keydown", (event) => this.moveTab(event));
    new ResizeObserver(() => this.tab === "Execution" && this.view?.show()).observe(this.body);
  }

  get hasResult(): boolean {
    return this.result !== null;
  }

  // What happens to an answer.

  /** Shows what a run has found. */
  show(result: Result): void {
    this.result = result;
    this.isStale = false;
    this.compared = this.repaired = null;
    result.errors?.errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    if (result.errors) {
      this.program.showProblems(result.errors.errors);
      this.showTab("Report");
    } else this.showTab(this.tab === "Compare" || this.tab === "Repair" || (result.answer && (result.answer.drawing || hasEvidence(result.answer))) ? "Execution" : result.answer?.outcomes?.length ? "Outcomes" : "Report");
  }

  /** The answer is no longer about what is asked. */
  makeStale(changed: "program" | "question"): void {
    if (!this.result || this.isStale) return;
    this.isStale = true;
    this.changed = changed;
    if (!this.band.hidden) this.drawBand();
    this.markSource();
  }

  showRunning(asked: Asked, told: Progress): void {
    const limit = this.seconds;
    this.showBand({ verdict: "running", word: "Running", headline: `${asked.name}${asked.model ? ` under ${asked.model}` : ""}`, guarantee: "No violation so far. membar reports HOLDS only when the search is complete." });
    this.tabs.hidden = false;
    this.tabs.querySelectorAll<HTMLButtonElement>(".tab").forEach((tab) => disable(tab, "While a check runs, there is no answer to show"));
    const rows = told.text ? told.text.split(/, (?=\d|perhaps)/) : [];
    this.fill(h("section", { class: "running" }, h("div", { class: "clock" }, `${Math.floor(told.seconds)} s`),
      h("progress", { max: String(limit), value: String(told.seconds), "aria-label": "Time" }), h("p", { class: "quiet" }, `of at most ${limit} s. How much remains is unknown.`),
      h("ul", { class: "counts" }, ...rows.map((row) => h("li", {}, row))), h("p", {}, "Cancel keeps what was found so far. The verdict is then UNKNOWN.")));
  }

  /** Shows something else in the place of the answer, such as the examples. */
  showInstead(element: HTMLElement): void {
    this.band.hidden = this.tabs.hidden = true;
    this.body.className = "answer-body";
    this.fill(element);
    this.markSource();
  }

  /** Shows the last answer again, in the place of what was shown instead; whether there is one. */
  restore(): boolean {
    if (this.result) this.showTab(this.tab);
    return this.result !== null;
  }

  /** The next run shows an execution, whatever is shown now. */
  leaveTab(): void {
    this.tab = "Execution";
  }

  private get seconds(): number {
    return seconds(this.state.options["--limit"]) ?? this.handlers.contents().seconds;
  }

  // The verdict.

  private showBand(told: Band & { next?: { words: string; options: Record<string, string> } }, notes = 0): void {
    this.band.hidden = false;
    const stale = this.isStale && told.verdict !== "running";
    const next = told.next;
    const button = stale ? h("button", { class: "small-button", onclick: () => this.handlers.run() }, "Run again")
      : next ? h("button", { class: "small-button", onclick: () => {
          Object.assign(this.state.options, next.options);
          this.handlers.changedQuestion();
          this.handlers.run();
        } }, next.words) : "";
    const shown = stale ? { ...told, headline: "before your last change", guarantee: `The ${this.changed} has changed since this answer.` } : told;
    fillBand(this.band, shown, button, notes && !stale ? h("button", { class: "text-button", onclick: () => this.showTab("Report") }, plural(notes, "note")) : "");
    this.band.classList.toggle("stale", stale);
  }

  private drawBand(): void {
    const { result } = this;
    if (!result) return;
    if (this.tab === "Compare" && this.compared?.columns && !this.isStale) this.showBand(compareBand(this.compared.columns));
    else if (result.errors) this.showBand({ verdict: "not-checked", word: "NOT CHECKED", headline: errorHeadline(result.errors.errors), guarantee: "Correct it and run again." });
    else if (result.answer) this.showBand(tell(result.answer, this.state.options, this.seconds), result.answer.notes.length);
    else this.showBand({ verdict: "unknown", word: "UNKNOWN", headline: sentence(result.ended ?? ""), guarantee: "Nothing was established." });
  }

  // The tabs.

  showTab(tab: Tab): void {
    this.tab = tab;
    this.tabs.hidden = false;
    const isWrong = Boolean(this.result?.errors);
    for (const button of this.tabs.querySelectorAll<HTMLButtonElement>(".tab")) {
      disable(button, isWrong && button.dataset.tab !== "Report" ? "The program was not checked: correct it first" : "", `${TABS.indexOf(button.dataset.tab as Tab) + 1}`);
      button.setAttribute("aria-selected", String(button.dataset.tab === tab));
      button.tabIndex = button.dataset.tab === tab ? 0 : -1;
    }
    this.body.setAttribute("aria-labelledby", `tab-${tab}`);
    this.body.className = `answer-body body-${tab.toLowerCase()}`;
    this.drawBand();
    const { result } = this;
    switch (tab) {
      case "Execution":
        this.showExecution();
        break;
      case "Outcomes":
        this.fill(result?.answer ? outcomesTab(result.answer, this.outcomeHandlers()) : "");
        break;
      case "Compare":
        void this.showCompare();
        break;
      case "Repair":
        void this.showRepair(false);
        break;
      case "Report":
        this.showReport();
    }
    this.markSource();
  }

  /** Chooses a tab by its number, if it can be chosen. */
  chooseTab(number: number): void {
    this.tabs.querySelector<HTMLButtonElement>(`[data-tab=${TABS[number]}]`)?.click();
  }

  private moveTab(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length];
    this.chooseTab(TABS.indexOf(next));
    this.tabs.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus();
  }

  /** Shows something below the tabs that cannot be stepped through. */
  private fill(...parts: (HTMLElement | string)[]): void {
    this.steps = this.view = null;
    this.body.replaceChildren(...parts);
  }

  private say(words: string): void {
    this.fill(h("p", { class: "empty", role: "status" }, words));
    this.markSource();
  }

  /** Where the keyboard goes when it leaves the editor. */
  focus(): boolean {
    const found = this.body.querySelector<HTMLElement>(".slider") ?? this.body.querySelector<HTMLElement>("button, input");
    found?.focus();
    return found !== null;
  }

  get search(): HTMLElement | null {
    return this.body.querySelector<HTMLElement>(".search");
  }

  private showExecution(): void {
    const { result } = this;
    if (result?.answer && hasEvidence(result.answer)) this.showEvidence(result.answer).catch(() => this.say("membar serve did not answer. Choose Execution again to see what was found."));
    else if (result?.answer?.drawing) this.showDrawing(result.answer.drawing);
    else this.say(result?.answer?.verdict === "holds" ? "No execution is needed to show this. Outcomes lists what the program can do, with an execution for each." : sentence(result?.ended ?? "There is no execution to show."));
  }

  /** What shows an answer besides an execution; most people never see it, so that it is a file of its own. */
  private async showEvidence(answer: Answer): Promise<void> {
    const { ProcessRunView, historyView, proofView }: typeof import("./evidence") = await import("./evidence.js" as string);
    if (this.result?.answer !== answer || this.tab !== "Execution") return; // looked at something else meanwhile
    const { drawing, history, witness } = answer;
    const run = witness?.format === "membar-run" ? new ProcessRunView(witness) : null;
    const execution = !run && history && drawing ? h("button", { class: "small-button", onclick: () => this.showDrawing(drawing) }, "Show the execution") : "";
    this.fill(history ? historyView(history) : "", proofView(answer, {}) ?? "", run?.element ?? "", execution);
    this.steps = run;
    run?.show();
  }

  private showDrawing(drawing: DrawingData): void {
    if (!drawing.events.some((event) => event.thread >= 0)) {
      this.say("This execution has no accesses to shared memory.");
      return;
    }
    // Whoever has looked at another tab comes back to the same step.
    this.shown = this.shown?.data === drawing ? this.shown : new ExecutionView(drawing, {
      stepped: () => this.markSource(),
      hovered: (lines) => this.markSource(lines),
    });
    this.view = this.steps = this.shown;
    this.body.className = "answer-body body-execution";
    this.body.replaceChildren(this.view.element);
    this.view.show();
  }

  private showExecutionOf(drawing: DrawingData): void {
    this.showTab("Execution");
    this.showDrawing(drawing);
  }

  private outcomeHandlers(): OutcomeHandlers {
    return {
      explain: (outcome, model) => this.explain(outcome, model),
      show: (drawing) => this.showExecutionOf(drawing),
      markCycle: (lines) => this.markSource([], lines),
    };
  }

  private async explain(outcome: Outcome, model: string): Promise<Explanation> {
    const result = await this.handlers.ask("explain", this.state.modelText ? { outcome } : { model, outcome });
    if (result?.errors) throw new Error(result.errors.errors[0]?.message ?? "");
    if (!result?.explanation) throw new Error(result?.ended ?? "There is no answer.");
    return result.explanation;
  }

  /** The models to compare: those chosen, or some processors and the one of the language. */
  private get models(): string[] {
    return this.chosenModels ?? [...COMPARED, OF_RC20.includes(this.state.ending) ? "rc20" : "rc11"];
  }

  private async showCompare(): Promise<void> {
    if (!this.compared || this.isStale) {
      this.say("Comparing…");
      const result = await this.handlers.ask("compare", { model: undefined, model_text: undefined, models: this.models });
      if (this.tab !== "Compare") return;
      if (!result?.columns) return this.say(sentence(result?.errors?.errors[0]?.message ?? result?.ended ?? "There is no comparison."));
      this.compared = result;
    }
    this.drawBand();
    const contents = this.handlers.contents();
    this.fill(compareTab(this.compared.columns as Answer[], this.models, contents.models.map((model) => model.name), contents.most_models, {
      setModels: (models) => {
        this.chosenModels = models;
        this.compared = null;
        void this.showCompare();
      },
      showFailure: (model) => void this.showFailure(model),
      choose: (outcome, model, isPossible) => void this.chooseCell(outcome, model, isPossible),
    }));
  }

  /** Shows the execution that violates the program under another model. */
  private async showFailure(model: string): Promise<void> {
    const result = await this.handlers.ask("check", { model, model_text: undefined });
    if (result?.answer?.drawing) this.showExecutionOf(result.answer.drawing);
    else if (result) this.handlers.notify(sentence(result.ended ?? "There is no execution to show."));
  }

  private async chooseCell(outcome: Outcome, model: string, isPossible: boolean): Promise<void> {
    try {
      if (isPossible) {
        const found = await this.explain(outcome, model);
        if (found.drawing) this.showExecutionOf(found.drawing);
      } else {
        const place = h("div", { class: "explanation", "aria-live": "polite" }, h("p", { class: "empty" }, "Searching…"));
        this.body.querySelector(".explanation")?.remove();
        this.body.append(place);
        place.replaceChildren(explanation(await this.explain(outcome, model), model, this.outcomeHandlers()));
        place.scrollIntoView({ block: "nearest" });
      }
    } catch (problem) {
      this.handlers.notify(sentence((problem as Error).message));
    }
  }

  private async showRepair(weaken: boolean): Promise<void> {
    if (!this.repaired || this.isStale || weaken) {
      const words = weaken ? "Looking for what is stronger than needed…" : "Looking for the cheapest repair…";
      this.say(words);
      const place = this.body.firstElementChild;
      const result = await this.handlers.ask("repair", { weaken }, (told) => {
        if (place && told.text) place.textContent = `${words} ${told.text}`;
      });
      if (this.tab !== "Repair") return;
      if (!result?.repair) return this.say(sentence(result?.errors?.errors[0]?.message ?? result?.ended ?? "No repair was looked for."));
      this.repaired = result;
    }
    const { repair, repaired } = this.repaired;
    this.fill(repairTab(repair!, repaired ?? null, this.program.text, this.state.program.name, repair!.model ?? this.result?.answer?.model ?? "", {
      apply: (text) => {
        this.program.setText(text);
        this.leaveTab();
        this.handlers.run();
      },
      weaken: () => void this.showRepair(true),
      show: (drawing) => this.showExecutionOf(drawing),
    }));
  }

  private showReport(): void {
    const { result } = this;
    if (!result) return;
    const options = Object.entries(this.state.options).filter(([, value]) => value.trim()).map(([name, value]) => ` ${name} ${/^[\w=,.:-]+$/.test(value) ? value : `'${value}'`}`).join("");
    const model = this.state.modelText ? OWN_MODEL : this.state.model;
    const command = `membar check ${this.state.program.name}${model ? ` --model ${model}` : ""}${options}`;
    const parts: HTMLElement[] = result.errors ? [block("Error", result.errors.text, true)] : [];
    if (result.answer) parts.push(...details(result.answer, { text: result.text, svg: result.svg, command }));
    else if (result.ended) parts.push(block("Text", result.ended, true));
    this.fill(h("section", { class: "report" }, ...parts));
  }

  // The lines of the program that an answer is about.

  markSource(outlined: number[] = [], cycle: number[] = []): void {
    const view = this.isStale ? null : this.view;
    const here = view?.currentLine;
    const now = here?.file ? undefined : here;
    const { answer, errors } = this.isStale ? {} : (this.result ?? {});
    this.program.mark({
      now: now?.line, span: now?.span, reveal: outlined.length === 0, waiting: view?.waitingLines ?? [], outlined, cycle,
      fails: errors ? undefined : answer?.drawing?.failing_line,
      problems: errors ? errors.errors.flatMap((one) => (isOfModel(one) ? [] : one.line ?? [])) : [],
    }, now?.thread);
  }

  outlineLine(line: number | null): void {
    if (!this.isStale) this.view?.outlineLine(line);
  }

  goToLine(line: number): void {
    const step = this.isStale ? undefined : this.view?.stepOfLine(line);
    if (step !== undefined && this.tab === "Execution") this.view!.go(step);
  }
}

/** Whether a history, a proof or a run of processes shows an answer. */
function hasEvidence({ discharged, history, obligation, witness }: Answer): boolean {
  return Boolean(history || obligation || discharged?.length || witness?.format === "membar-run");
}

function errorHeadline(errors: InputProblem[]): string {
  const found = errors.find((error) => error.line);
  const count = errors.length > 1 ? `${errors.length} errors, the first` : "an error";
  if (found) return `${isOfModel(found) ? "Your model" : "The program"} has ${count} at line ${found.line}`;
  return sentence(errors[0]?.message ?? "The question has an error");
}

/** The time of `time=10s,memory=2G`, in seconds. */
function seconds(limit: string | undefined): number | undefined {
  const found = limit?.match(/time=([\d.]+)\s*(ms|s|min|m|h)?/);
  return found ? Number(found[1]) * { ms: 0.001, s: 1, min: 60, m: 60, h: 3600 }[(found[2] ?? "s") as "s"]! : undefined;
}
