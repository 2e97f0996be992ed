// The button Run, which is Cancel while something runs, and the one request that the page has under way.
import { h } from "./dom";
import { type Asked, Job, type Progress } from "./server";
import type { Result } from "./types";

const DOUBLE_CLICK = 400; // milliseconds in which a second click does not cancel

export class Runner {
  readonly button = h("button", { class: "run", onclick: () => this.press() });
  private job: Job | null = null;
  private syntaxJob: Job | null = null;
  private ignoreClicks = 0;

  constructor(private readonly run: () => void, private readonly failed: (problem: unknown) => void) {
    this.show();
  }

  get isRunning(): boolean {
    return this.job !== null;
  }

  cancel(): void {
    this.job?.cancel();
  }

  /** The answer to a request, in the place of one that is under way; null if another took its place, or none came. */
  async ask(asked: Asked, shown: (told: Progress) => void = () => undefined): Promise<Result | null> {
    this.job?.drop();
    this.syntaxJob?.drop();
    const job = (this.job = new Job(asked, shown));
    this.ignoreClicks = performance.now() + DOUBLE_CLICK;
    this.show();
    try {
      const result = await job.result;
      return this.job === job ? result : null;
    } catch (problem) {
      if (this.job === job) this.failed(problem);
      return null;
    } finally {
      if (this.job === job) {
        this.job = null;
        this.show();
      }
    }
  }

  /** The mistakes in a text, unless something runs, or begins to; a request that fails says nothing. */
  async askSyntax(asked: Asked): Promise<Result | null> {
    if (this.job) return null;
    this.syntaxJob?.drop();
    const job = (this.syntaxJob = new Job(asked));
    try {
      const result = await job.result;
      return this.syntaxJob === job && !this.job ? result : null;
    } catch {
      return null; // the next run will say it
    }
  }

  private press(): void {
    if (!this.job) this.run();
    else if (performance.now() >= this.ignoreClicks) this.cancel();
  }

  private show(): void {
    this.button.replaceChildren(this.job ? "Cancel" : "Run", h("kbd", {}, this.job ? "Esc" : "Ctrl ⏎"));
    this.button.classList.toggle("cancel", this.job !== null);
  }
}
