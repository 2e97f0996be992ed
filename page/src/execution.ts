// The execution with its stepper, the sentence of the step, the drawing, the toggles and the table twin.
import { h, rich } from "./dom";
import { Drawing, RELATIONS, groupsIn } from "./drawing";
import { plain } from "./steps";
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
  step: number;
  private readonly hidden = new Set<string>(["depends"]);
  private outlined = new Set<number>();
  private readonly slider = h("input", { type: "range", min: "0", "aria-label": "Step", class: "slider" });
  private readonly ticks = h("div", { class: "ticks", "aria-hidden": "true" });
  private readonly counter = h("div", { class: "counter" });
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
    this.step = run.firstStep();
    this.slider.max = String(run.length);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.asTable = h("button", { class: "step-button as-table", "aria-pressed": "false", "aria-label": "As a table", title: "As a table", onclick: () => this.showTable() }, "▤");
    const button = (label: string, sign: string, by: number): HTMLElement =>
      h("button", { class: "step-button", "aria-label": label, onclick: () => this.go(this.step + by) }, sign);
    this.element = h(
      "section", { class: "execution", "aria-label": "Execution" },
      h("div", { class: "stepper" }, button("Previous step", "◀", -1), button("Next step", "▶", 1), h("div", { class: "track" }, this.ticks, this.slider), this.counter, this.asTable),
      this.sentence, this.spoken, this.canvas, this.table, this.toggles,
    );
    this.drawTicks();
    this.drawToggles();
    if (this.data.events.length > LARGEST_DRAWING) this.showTable();
  }

  /** Draws the current step; the element must be in the document. */
  show(): void {
    this.go(this.step);
  }

  go(step: number): void {
    const run = this.drawing.run;
    this.step = Math.max(0, Math.min(run.length, step));
    this.slider.value = String(this.step);
    this.slider.style.setProperty("--done", `${run.length ? (100 * this.step) / run.length : 0}%`);
    const sentence = run.sentence(this.step);
    const said = plain(sentence);
    this.slider.setAttribute("aria-valuetext", said);
    this.sentence.replaceChildren(...(sentence.now ? [h("mark", {}, ...rich(sentence.now))] : []), ...rich(sentence.rest));
    this.counter.replaceChildren("Step ", h("strong", {}, String(this.step)), ` of ${run.length}`);
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

  get currentLine(): { line: number; thread: string; span?: [number, number] } | undefined {
    const step = this.step > 0 ? this.data.steps[this.step - 1] : undefined;
    const event = step?.events.map((id) => this.drawing.run.event(id)).find((one) => one.line !== undefined);
    if (step?.action === "fail" && this.data.failing_line !== undefined) return { line: this.data.failing_line, thread: this.drawing.run.thread(step.thread) };
    if (!step || event?.line === undefined) return undefined;
    return { line: event.line, thread: this.drawing.run.thread(step.thread), span: event.span };
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
    if (focused) this.canvas.querySelector<SVGElement>(`[data-event="${focused}"]`)?.focus({ preventScroll: true });
  }

  private drawTicks(): void {
    const run = this.drawing.run;
    const strange = new Set(run.strangeSteps());
    this.ticks.replaceChildren();
    for (let step = 0; step <= run.length; step++) {
      const fails = this.data.steps[step - 1]?.action === "fail";
      if (run.length > 80 && !strange.has(step) && !fails) continue;
      this.ticks.append(h("span", { class: "tick", style: `left:${run.length ? (100 * step) / run.length : 0}%` }, strange.has(step) ? h("b", {}, "fr") : fails ? h("i", {}, "✕") : ""));
    }
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
