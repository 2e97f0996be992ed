// One line above the page: what is wrong, or what was done.
import { h } from "./dom";
import { visible } from "./listing";
import { Refused, ServerLost, isAlive } from "./server";

const BRIEFLY = 4000; // milliseconds

export class Notice {
  readonly element = h("div", { class: "notice", role: "alert", hidden: true });
  private timer = 0;
  private isWaiting = false; // for the server

  /** `regained` is called once the server that was lost is there again. */
  constructor(private readonly regained: () => Promise<void>) {}

  /** Says something until something else is said; "": nothing. */
  say(words: string): void {
    clearTimeout(this.timer);
    this.element.hidden = !words;
    this.element.replaceChildren(...visible(words));
  }

  sayBriefly(words: string): void {
    this.say(words);
    this.timer = window.setTimeout(() => this.say(""), BRIEFLY);
  }

  /** Says why a request was not answered. */
  tell(problem: unknown): void {
    if (problem instanceof ServerLost) {
      this.say("membar serve has stopped. Start it again; your program is kept here.");
      void this.awaitServer();
    } else if (problem instanceof Refused) this.say(problem.message);
    else if (!(problem instanceof DOMException)) this.say(String(problem));
  }

  private async awaitServer(): Promise<void> {
    if (this.isWaiting) return;
    this.isWaiting = true;
    while (!(await isAlive())) await new Promise((done) => setTimeout(done, 1000));
    this.isWaiting = false;
    try {
      await this.regained();
      this.sayBriefly("membar serve runs again.");
    } catch (problem) {
      this.tell(problem); // it has another key now: its new address must be opened
    }
  }
}
