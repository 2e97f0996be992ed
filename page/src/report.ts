// Answers in a file of their own (`--html FILE`): `<script type="application/json" id="membar-sheets">` holds them.
import { type Band, fillBand } from "./band";
import { compareBand, compareTab } from "./compare";
import { block, details } from "./details";
import { h, plural } from "./dom";
import { type Particulars, ProcessRunView, type Steps, historyView, proofView } from "./evidence";
import { ExecutionView } from "./execution";
import { Listing, visible } from "./listing";
import { explanation, outcomesTab } from "./outcomes";
import { repairTab } from "./repair";
import { theme } from "./theme";
import type { Answer, DrawingData, Repair } from "./types";
import { sentence, tell } from "./words";

/** One answer, with the program that it is about. */
interface Sheet extends Particulars {
  file: string;
  source: string;
  /** Other files of the program. */
  files?: { name: string; text: string }[];
  text: string;
  /** Why there is no answer. */
  message?: string;
  /** What else was asked, and why that was refused. */
  problem?: string;
  answer?: Answer;
  columns?: Answer[];
  repair?: Repair;
  repaired?: string | null;
  /** What a replay said of a saved witness. */
  replayed?: { confirmed: boolean; words: string; model?: string; drawing?: DrawingData };
}

interface Tab {
  name: string;
  fill(body: HTMLElement): void;
}

class ReportPage {
  private steps: Steps | null = null;
  private view: ExecutionView | null = null;
  private listing!: Listing;
  private sheet!: Sheet;
  private file = "";
  private shown: Tab[] = [];
  private readonly name = h("span", { class: "file-path" });
  private readonly where = h("span", { class: "where", hidden: true });
  private readonly code = h("div", { class: "code" });
  private readonly band = h("header", { class: "band" });
  private readonly tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Answer" });
  private readonly body = h("div", { class: "answer-body", role: "tabpanel" });

  constructor(private readonly sheets: Sheet[], place: HTMLElement) {
    const chooser = h("select", { class: "sheets", "aria-label": "Answer", onchange: () => this.open(Number(chooser.value)) }, ...sheets.map((sheet, n) => h("option", { value: String(n) }, title(sheet))));
    const bar = h("nav", { class: "bar", "aria-label": "membar" }, h("span", { class: "brand" }, "membar"), sheets.length > 1 ? chooser : "", h("span", { class: "spring" }),
      h("button", { class: "theme", "aria-label": "Light or dark", title: "Light or dark", onclick: () => theme("toggle") }, "◐"));
    const segments = h("div", { class: "segments" }, ...["Program", "Answer"].map((name) => h("button", { class: "segment", "data-segment": name, onclick: () => this.showSegment(name) }, name)));
    const program = h("section", { class: "program", "aria-label": "Program" }, h("div", { class: "program-head" }, this.name, h("span", { class: "spring" }), this.where), this.code);
    place.append(bar, segments, h("div", { class: "columns" }, program, h("div", { class: "splitter" }), h("main", { class: "answer" }, this.band, this.tabs, this.body)));
    document.body.classList.add("one-file");
    this.showSegment("Answer");
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.view?.show()).observe(this.body);
    this.open(0);
  }

  private open(number: number): void {
    const sheet = (this.sheet = this.sheets[number]);
    document.title = title(sheet);
    this.list(sheet.file, sheet.source);
    fillBand(this.band, bandOf(sheet));
    if (sheet.problem) this.band.append(h("pre", { class: "refused", role: "alert" }, ...visible(sheet.problem)));
    this.shown = this.tabsOf(sheet);
    this.tabs.replaceChildren(...this.shown.map((tab, n) => h("button", { class: "tab", role: "tab", title: String(n + 1), onclick: () => this.show(n) }, tab.name)));
    this.show(0);
  }

  /** Shows a file of the program. */
  private list(name: string, text: string): void {
    this.file = name;
    this.name.textContent = name;
    this.listing = new Listing(text, {
      hoverLine: (line) => this.view?.outlineLine(line),
      clickLine: (line) => {
        const step = this.view?.stepOfLine(line);
        if (step !== undefined) this.view!.go(step);
      },
    });
    this.code.replaceChildren(this.listing.element);
  }

  /** Shows the file that a step is in; whether it is there. */
  private listFile(name: string | undefined): boolean {
    const { sheet } = this;
    const wanted = name === undefined ? { name: sheet.file, text: sheet.source } : sheet.files?.find((file) => file.name === name);
    if (wanted && wanted.name !== this.file) this.list(wanted.name, wanted.text);
    return wanted !== undefined;
  }

  private tabsOf(sheet: Sheet): Tab[] {
    const tabs: Tab[] = [];
    const { answer, columns, repair, replayed } = sheet;
    const add = (name: string, fill: (body: HTMLElement) => void): void => void tabs.push({ name, fill });
    if (repair) add("Repair", (body) => body.append(repairTab(repair, sheet.repaired ?? null, sheet.source, sheet.file, repair.model ?? "", { show: (drawing) => this.showDrawing(drawing) })));
    if (columns) {
      add("Compare", (body) => body.append(compareTab(columns, [], [], 0)));
      for (const column of columns) if (column.drawing) add(column.model, () => this.showDrawing(column.drawing!));
    }
    const drawing = answer?.drawing ?? replayed?.drawing;
    const { history, witness } = answer ?? {};
    if (history) add("History", (body) => body.append(historyView(history)));
    if (drawing?.events.some((event) => event.thread >= 0)) add("Execution", () => this.showDrawing(drawing));
    if (witness?.format === "membar-run") add("Run", (body) => this.showRun(body, new ProcessRunView(witness, sheet, (line) => this.mark(line))));
    const proof = answer ? proofView(answer, sheet) : null;
    if (proof) add("Proof", (body) => body.append(proof));
    if (answer?.explanation) add("Why not?", (body) => body.append(explanation(answer.explanation!, answer.model, { show: (found) => this.showDrawing(found), markCycle: (lines) => this.listing.mark({ cycle: lines }) })));
    if (answer?.outcomes?.length) add("Outcomes", (body) => body.append(outcomesTab(answer)));
    add("Report", (body) => body.append(h("section", { class: "report" }, ...(answer ? details(answer, { text: sheet.text }) : [block("Text", sheet.text, true)]))));
    return tabs;
  }

  private show(number: number): void {
    [...this.tabs.children].forEach((tab, n) => {
      tab.setAttribute("aria-selected", String(n === number));
      (tab as HTMLElement).tabIndex = n === number ? 0 : -1;
    });
    this.steps = this.view = null;
    this.where.hidden = true;
    this.listing.mark({});
    this.body.className = "answer-body";
    this.body.replaceChildren();
    this.shown[number].fill(this.body);
  }

  private showDrawing(drawing: DrawingData): void {
    const marked = (outlined: number[] = []): void => {
      if (!this.view) return;
      const now = this.view.currentLine;
      const isListed = !now || this.listFile(now.file);
      this.where.hidden = !now;
      if (now) this.where.replaceChildren(h("strong", {}, now.thread), ` at ${isListed ? "" : `${now.file}, `}line ${now.line}`);
      const isOwn = this.file === this.sheet.file;
      this.listing.mark({ now: isListed ? now?.line : undefined, span: now?.span, reveal: !outlined.length, waiting: isOwn ? this.view.waitingLines : [], outlined: isOwn ? outlined : [], fails: isOwn ? drawing.failing_line : undefined });
    };
    this.view = this.steps = new ExecutionView(drawing, { stepped: () => marked(), hovered: (lines) => marked(lines) });
    this.body.className = "answer-body body-execution";
    this.body.replaceChildren(this.view.element);
    this.view.show();
  }

  private showRun(body: HTMLElement, run: ProcessRunView): void {
    this.steps = run;
    body.append(run.element);
    run.show();
  }

  private mark(line: number | null): void {
    this.listing.mark({ now: line ?? undefined, reveal: true });
  }

  private showSegment(name: string): void {
    document.body.setAttribute("data-segment", name);
    document.querySelectorAll(".segment").forEach((button) => button.setAttribute("aria-pressed", String(button.getAttribute("data-segment") === name)));
    if (name === "Answer") this.view?.show();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("select, textarea")) return;
    const steps: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? this.view?.goStrange(-1) : this.steps?.go(this.steps.step - 1)),
      ArrowRight: () => (event.shiftKey ? this.view?.goStrange(1) : this.steps?.go(this.steps.step + 1)),
      Home: () => this.steps?.go(0),
      End: () => this.steps?.go(this.steps.length),
    };
    const action = steps[event.key] ?? (this.shown[Number(event.key) - 1] ? () => this.show(Number(event.key) - 1) : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function title(sheet: Sheet): string {
  const { word } = bandOf(sheet);
  return `${sheet.file}: ${word}${sheet.answer ? ` under ${sheet.answer.model}` : ""}`;
}

function bandOf(sheet: Sheet): Band {
  const { answer, columns, repair, replayed } = sheet;
  if (columns) return compareBand(columns);
  if (replayed) return { verdict: replayed.confirmed ? "holds" : "violated", word: replayed.confirmed ? "CONFIRMED" : "NOT CONFIRMED", headline: replayed.model ? `by a replay under ${replayed.model}` : "", guarantee: `${sentence(replayed.words)}.` };
  if (repair) return repairBand(repair);
  return answer ? tell(answer, {}, 60) : { verdict: "not-checked", word: "NOT CHECKED", headline: sentence(sheet.message ?? ""), guarantee: "" };
}

function repairBand(repair: Repair): Band {
  const count = repair.changes?.length ?? 0;
  switch (repair.result) {
    case "repaired":
      return { verdict: "holds", word: "REPAIRED", headline: `${plural(count, "change")} under ${repair.model}`, guarantee: `${sentence(repair.guarantee ?? "")}.` };
    case "weakened":
      return { verdict: "holds", word: "WEAKENED", headline: `${plural(count, "change")} under ${repair.model}`, guarantee: `${sentence(repair.guarantee ?? "")}.` };
    case "nothing-to-repair":
    case "nothing-to-weaken":
      return { verdict: "holds", word: repair.result === "nothing-to-repair" ? "NOTHING TO REPAIR" : "NOTHING TO WEAKEN", headline: "", guarantee: "" };
    case "not-repaired":
      return { verdict: "violated", word: "NOT REPAIRED", headline: sentence(repair.reason ?? ""), guarantee: "" };
    default:
      return { verdict: "unknown", word: "UNKNOWN", headline: sentence(repair.reason ?? ""), guarantee: "" };
  }
}

const data = document.getElementById("membar-sheets");
const place = document.getElementById("membar");
if (data?.textContent && place) {
  theme(null);
  place.replaceChildren();
  new ReportPage(JSON.parse(data.textContent) as Sheet[], place);
}
