// The keyboard: what each key does, wherever the focus is.
import type { AnswerPane } from "./answer";
import type { Campaign } from "./campaign";
import { h } from "./dom";

const ROWS: [string, string][] = [
  ["Ctrl Enter", "run"], ["Esc", "cancel, close a menu, leave the editor"], ["← →", "step"], ["Home End", "first and last step"], ["Shift ← →", "previous or next read that misses a write"],
  ["F8, Shift F8", "step, from anywhere"], ["1 – 5", "tabs"], ["e", "editor"], ["m c b", "model, check, bounds"], ["r, then p r c f d", "show or hide a relation"], ["/", "search examples, or tests of a campaign"], ["↑ ↓ Enter", "in lists: choose, open"], ["?", "this list"],
];
const RELATIONS: Record<string, string> = { p: "po", r: "rf", c: "co", f: "fr", d: "depends" };

export interface KeyHandlers {
  run(): void;
  /** Cancels, closes or leaves what is open. */
  escape(): void;
  focusEditor(): void;
  search(): void;
  isRunning(): boolean;
  openMenu(name: "model" | "check" | "bounds"): void;
  campaign(): Campaign | null;
}

export class Keys {
  readonly dialog = h("dialog", { class: "keys", "aria-label": "Keys" });
  private awaitsRelation = false;

  constructor(private readonly answer: AnswerPane, private readonly handlers: KeyHandlers) {
    this.dialog.append(h("h2", {}, "Keys"), h("dl", {}, ...ROWS.flatMap(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])), h("button", { class: "small-button", onclick: () => this.dialog.close() }, "Close"));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented || this.dialog.open) return;
    const target = event.target as HTMLElement;
    const isText = target.closest?.(".cm-editor, textarea, input:not([type=range]):not([type=checkbox]), select") !== null;
    const isPlain = !isText && !event.ctrlKey && !event.metaKey && !event.altKey;
    const campaign = this.handlers.campaign();
    const action = campaign ? this.inCampaign(campaign, event, isPlain) : (this.always(event) ?? (isPlain ? this.outsideText(event) : undefined));
    if (!action) return;
    event.preventDefault();
    action();
  }

  private inCampaign(campaign: Campaign, { key }: KeyboardEvent, isPlain: boolean): (() => void) | undefined {
    if (key === "Escape") return () => void campaign.escape();
    if ((key === "ArrowDown" || key === "ArrowUp") && (isPlain || campaign.isSearching)) return () => campaign.move(key);
    return isPlain ? { "/": () => campaign.focusSearch(), "?": () => this.dialog.showModal() }[key] : undefined;
  }

  private always(event: KeyboardEvent): (() => void) | undefined {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return () => this.handlers.run();
    if (event.key === "F8") return () => this.step(event.shiftKey ? -1 : 1);
    return event.key === "Escape" ? () => this.handlers.escape() : undefined;
  }

  private outsideText({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const { answer, handlers } = this;
    if (this.awaitsRelation) {
      this.awaitsRelation = false;
      return () => RELATIONS[key] && answer.view?.toggle(RELATIONS[key]);
    }
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (shiftKey ? answer.view?.goStrange(-1) : this.step(-1)),
      ArrowRight: () => (shiftKey ? answer.view?.goStrange(1) : this.step(1)),
      Home: () => answer.steps?.go(0),
      End: () => answer.steps?.go(answer.steps.length),
      e: () => handlers.focusEditor(),
      m: () => handlers.openMenu("model"),
      c: () => handlers.openMenu("check"),
      b: () => handlers.openMenu("bounds"),
      r: () => (this.awaitsRelation = true),
      "/": () => handlers.search(),
      "?": () => this.dialog.showModal(),
    };
    const isTab = /^[1-5]$/.test(key) && answer.hasResult && !handlers.isRunning();
    return isTab ? () => answer.chooseTab(Number(key) - 1) : actions[key];
  }

  private step(by: number): void {
    const { steps } = this.answer;
    steps?.go(steps.step + by);
  }
}
