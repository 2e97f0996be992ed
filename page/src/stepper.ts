// Buttons and slider that go through the steps of a run.
import { h } from "./dom";

export interface StepMarks {
  /** The steps, from 1, at which a read misses a write. */
  strange?: number[];
  fails?: number;
  /** The number of steps before those that are repeated forever. */
  cycle?: number;
}

export class Stepper {
  readonly element: HTMLElement;
  step = 0;
  private readonly slider = h("input", { type: "range", min: "0", "aria-label": "Step", class: "slider" });
  private readonly counter = h("div", { class: "counter" });

  constructor(readonly length: number, marks: StepMarks, private readonly stepped: (step: number) => void, ...more: HTMLElement[]) {
    this.slider.max = String(length);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const button = (label: string, sign: string, by: number): HTMLElement =>
      h("button", { class: "step-button", "aria-label": label, onclick: () => this.go(this.step + by) }, sign);
    this.element = h("div", { class: "stepper" }, button("Previous step", "◀", -1), button("Next step", "▶", 1), h("div", { class: "track" }, this.ticks(marks), this.slider), this.counter, ...more);
  }

  go(step: number): void {
    this.step = Math.max(0, Math.min(this.length, step));
    this.slider.value = String(this.step);
    this.slider.style.setProperty("--done", this.part(this.step));
    this.counter.replaceChildren("Step ", h("strong", {}, String(this.step)), ` of ${this.length}`);
    this.stepped(this.step);
  }

  /** What screen readers say of the step. */
  say(words: string): void {
    this.slider.setAttribute("aria-valuetext", words);
  }

  private part(step: number): string {
    return `${this.length ? (100 * step) / this.length : 0}%`;
  }

  private ticks({ strange = [], fails, cycle }: StepMarks): HTMLElement {
    const ticks = h("div", { class: "ticks", "aria-hidden": "true" });
    if (cycle !== undefined && cycle < this.length) ticks.append(h("span", { class: "again", style: `left:${this.part(cycle)};right:0` }, h("i", {}, "again and again")));
    for (let step = 0; step <= this.length; step++) {
      if (this.length > 80 && !strange.includes(step) && fails !== step) continue;
      ticks.append(h("span", { class: "tick", style: `left:${this.part(step)}` }, strange.includes(step) ? h("b", {}, "fr") : fails === step ? h("i", {}, "✕") : ""));
    }
    return ticks;
  }
}
