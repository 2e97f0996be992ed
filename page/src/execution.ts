// The execution with its stepper, the sentence of the step, the drawing, the toggles and the table twin.
import { h, rich } from "./dom";
import { Drawing, RELATIONS, groupsIn } from "./drawing";
import { plain } from "./steps";
import { Stepper } from "./stepper";
import type { DrawingData } from "./types";

export interface ExecutionHandlers {
  /** After each step: what the source beside the drawing marks. */
  stepped?(view: ExecutionView): void;
  hovered?(lines: number[]): void;
}

const LARGEST_DRAWING = 200;

export class ExecutionView {
  readonly element: HTMLElement;
  readonly drawing: Drawing;
  private readonly stepper: Stepper;
  private readonly hidden = new Set<string>(["depends"]);
  private outlined = new Set<number>();
  private readonly sentence = h("p", { class: "sentence" });
  private readonly spoken = h("div", { class: "hidden", role: "status" });
  private readonly canvas = h("div", { class: "canvas", tabindex: "-1" });
  private readonly toggles = h("div", { class: "toggles", role: "group", "aria-label": "Relations" });
  private readonly table = h("div", { class: "table-twin", hidden: true });
  private readonly asTable: HTMLButtonElement;
  private speaking = 0;

  constructor(readonly data: DrawingData, private readonly handlers: ExecutionHandlers = {}) {
    this.drawing = new Drawing(data, {
      hover: (events) => this.hover(events),
      choose: (event) => {
        const step = this.drawing.run.performed.get(event);
        if (step !== undefined) this.go(step);
      },
    });
    const run = this.drawing.run;
    this.asTable = h("button", { class: "text-button as-table", "aria-pressed": "false", onclick: () => this.showTable() }, "As a table");
    const fails = data.steps.findIndex((step) => step.action === "fail") + 1;
    this.stepper = new Stepper(run.length, { strange: run.strangeSteps(), fails: fails || undefined, cycle: data.cycle }, (step) => this.stepped(step));
    this.stepper.step = run.firstStep();
    this.element = h("section", { class: "execution", "aria-label": "Execution" }, this.stepper.element, this.sentence, this.spoken, this.canvas, this.table, h("div", { class: "execution-foot" }, this.toggles, this.asTable));
    this.drawToggles();
    if (this.data.events.length > LARGEST_DRAWING) this.showTable();
  }

  /** Draws the current step; the element must be in the document. */
  show(): void {
    this.go(this.step);
  }

  get step(): number {
    return this.stepper.step;
  }

  get length(): number {
    return this.stepper.length;
  }

  go(step: number): void {
    this.stepper.go(step);
  }

  private stepped(step: number): void {
    const sentence = this.drawing.run.sentence(step);
    const said = plain(sentence);
    this.stepper.say(said);
    this.sentence.replaceChildren(...(sentence.now ? [h("mark", {}, ...rich(sentence.now))] : []), ...rich(sentence.rest));
    clearTimeout(this.speaking);
    this.speaking = window.setTimeout(() => (this.spoken.textContent = said), 300);
    this.draw(said);
    this.handlers.stepped?.(this);
  }

  /** The previous or next step at which a read misses something. */
  goStrange(direction: number): void {
    const steps = this.drawing.run.strangeSteps();
    const next = direction > 0 ? steps.find((step) => step > this.step) : [...steps].reverse().find((step) => step < this.step);
    if (next !== undefined) this.go(next);
  }

  toggle(group: string): void {
    if (this.hidden.has(group)) this.hidden.delete(group);
    else this.hidden.add(group);
    this.drawToggles();
    this.show();
  }

  /** Outlines the cards of a line of the source. */
  outlineLine(line: number | null): void {
    const found = new Set(line === null ? [] : this.data.events.filter((event) => event.line === line).map((event) => event.id));
    if (found.size === 0 && this.outlined.size === 0) return;
    this.outlined = found;
    this.draw();
  }

  /** The first step of an event on a line, if there is one. */
  stepOfLine(line: number): number | undefined {
    const found = this.data.events.filter((event) => event.line === line).map((event) => this.drawing.run.performed.get(event.id));
    return found.filter((step) => step !== undefined).sort((a, b) => a - b)[0];
  }

  /** Where the current step is; in another file than the program's own, with the name of that file. */
  get currentLine(): { line: number; thread: string; span?: [number, number]; file?: string } | undefined {
    const step = this.step > 0 ? this.data.steps[this.step - 1] : undefined;
    if (!step) return undefined;
    const thread = this.drawing.run.thread(step.thread);
    if (step.action === "fail" && this.data.failing_line !== undefined) return { line: this.data.failing_line, thread };
    const place = step.action === "fail" && this.data.failing_place ? placed(this.data.failing_place) : undefined;
    if (place) return { ...place, thread };
    const event = step.events.map((id) => this.drawing.run.event(id)).find((one) => one.line !== undefined || one.place);
    if (event?.line !== undefined) return { line: event.line, thread, span: event.span };
    const other = placed(event?.place);
    return other && { ...other, thread };
  }

  get waitingLines(): number[] {
    return [...this.drawing.run.waiting(this.step)].flatMap((id) => this.drawing.run.event(id).line ?? []);
  }

  private hover(events: number[] | null): void {
    const lines = (events ?? []).flatMap((id) => this.drawing.run.event(id).line ?? []);
    this.handlers.hovered?.(lines);
  }

  private draw(said?: string): void {
    if (this.canvas.hidden) return;
    const focused = (document.activeElement as Element | null)?.getAttribute?.("data-event");
    const box = this.canvas.getBoundingClientRect();
    const isNarrow = box.width < 460;
    // As much room between the cards as there is.
    let svg: SVGSVGElement;
    const gaps = [30, 22, 15, 11, 8];
    do {
      const view = { step: this.step, hidden: this.hidden, outlined: this.outlined, isNarrow, gap: gaps.shift() };
      svg = this.drawing.render(view, box.width || 680);
    } while (gaps.length && box.height && Number(svg.getAttribute("height")) > box.height);
    svg.setAttribute("aria-label", said ?? this.canvas.querySelector("svg")?.getAttribute("aria-label") ?? "");
    fit(svg, box.width, box.height);
    this.canvas.replaceChildren(svg);
    if (Number(svg.getAttribute("width")) > box.width) this.canvas.querySelector(".card.now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (focused) this.canvas.querySelector<SVGElement>(`[data-event="${focused}"]`)?.focus({ preventScroll: true });
  }

  private drawToggles(): void {
    const button = (group: string): HTMLElement =>
      h("button", { class: `toggle ${group}`, "aria-pressed": String(!this.hidden.has(group)), title: `Show or hide (r ${RELATIONS[group].key})`, onclick: () => this.toggle(group) },
        h("span", { class: "swatch", "aria-hidden": "true" }), h("b", {}, group === "depends" ? this.dependencyName() : group), h("span", { class: "words" }, RELATIONS[group].words));
    this.toggles.replaceChildren(...groupsIn(this.data).map(button));
  }

  private dependencyName(): string {
    const found = ["addr", "data", "ctrl"].filter((name) => name in this.data.edges);
    return found.length === 1 ? found[0] : "dep";
  }

  private showTable(): void {
    const isShown = this.table.hidden;
    this.table.hidden = !isShown;
    this.canvas.hidden = isShown;
    this.asTable.setAttribute("aria-pressed", String(isShown));
    this.asTable.textContent = isShown ? "As a drawing" : "As a table";
    if (isShown && !this.table.childElementCount) {
      const heads = ["Step", "Thread", "Line", "Action", "Value", "From", "Not seen"];
      this.table.append(h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...this.drawing.rows().map((row) => h("tr", { onclick: () => this.go(row.step) }, ...[String(row.step), row.thread, row.line, row.action, row.value, row.from, row.missed].map((text) => h("td", {}, text)))))));
    }
    if (!isShown) this.show();
  }
}

/** Scales a picture to its place: larger if there is room, never so small that it cannot be read. */
export function fit(svg: SVGSVGElement, width: number, height: number): void {
  const [w, t] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  if (!width || !height) return;
  const scale = Math.max(Math.min(width / w, height / t, 1.4), 0.86);
  svg.setAttribute("width", String(Math.floor(w * scale)));
  svg.setAttribute("height", String(Math.floor(t * scale)));
}

/** `ring.h:12` as a file and a line. */
function placed(place: string | undefined): { file: string; line: number } | undefined {
  const found = place?.match(/^(.*):(\d+)$/);
  return found ? { file: found[1], line: Number(found[2]) } : undefined;
}
