// The page: a program on the left, the answer on the right, and the bar above them.
import { AnswerPane } from "./answer";
import { CampaignScreen, isCampaign } from "./campaign_screen";
import { h } from "./dom";
import { gallery } from "./gallery";
import { Keys } from "./keys";
import { Menu, boundsMenu, checkMenu, modelMenu, shareMenu } from "./menus";
import { Notice } from "./notice";
import { OWN_MODEL } from "./own_model";
import { ProgramPane } from "./program";
import { Runner } from "./runner";
import { type Asked, type Progress, Refused, checkQuestion, contents as loadContents } from "./server";
import { type Shared, decode } from "./share";
import { splitter } from "./splitter";
import { State } from "./state";
import { theme } from "./theme";
import type { Contents, Example } from "./types";

const DAMAGED = "This link is damaged: there is no program in it. Ask for it again, or for the file.";
const LATE = 300; // milliseconds before a run shows that it runs
/** As many characters as the server takes. */
const LONGEST_TEXT = 200_000;

class App {
  private readonly state = new State();
  private contents!: Contents;
  private readonly notice = new Notice(async () => void (this.contents = await loadContents()));
  private readonly runner = new Runner(() => void this.run(), (problem) => this.notice.tell(problem));
  private readonly campaign = new CampaignScreen({
    contents: () => this.contents,
    notify: (words) => this.notice.say(words),
    open: (name, text, model, modelText) => {
      this.campaign.leave();
      this.state.adopt({ name, text, model, modelText });
      this.openAndRun();
    },
  }, this.notice);
  private readonly examplesButton = h("button", { class: "nav-button", onclick: () => {
    this.campaign.leave();
    this.showGallery();
  } }, "Examples");
  private readonly segments = h("div", { class: "segments" });
  private program!: ProgramPane;
  private answer!: AnswerPane;
  private menus!: { model: Menu; check: Menu; bounds: Menu; share: Menu };

  async start(): Promise<void> {
    this.state.load();
    theme(null);
    this.build();
    try {
      this.contents = await loadContents();
    } catch (problem) {
      this.notice.tell(problem);
      return;
    }
    this.refreshMenus();
    this.showGallery();
    if (this.program.text.trim()) this.showSegment("Program"); // what was written at the last visit
    window.addEventListener("hashchange", () => void this.openAddress());
    await this.openAddress();
  }

  private build(): void {
    const known = (): Contents => this.contents;
    this.program = new ProgramPane(this.state, {
      contents: known,
      changed: () => this.answer.makeStale("program"),
      changedModel: () => this.changedQuestion(),
      loaded: () => this.answer.markSource(),
      findMistakes: async () => {
        const result = await this.runner.askSyntax(this.asked("syntax", { options: {} }));
        return result && (result.errors?.errors ?? []);
      },
      notify: (words) => this.notice.say(words),
      run: () => void this.run(),
      leave: () => this.escape(),
      hoverLine: (line) => this.answer.outlineLine(line),
      clickLine: (line) => this.answer.goToLine(line),
    });
    this.answer = new AnswerPane(this.state, this.program, {
      contents: known,
      ask: (kind, more, shown) => this.runner.ask(this.asked(kind, more), shown),
      run: () => void this.run(),
      changedQuestion: () => this.changedQuestion(),
      notify: (words) => this.notice.say(words),
    });
    const keys = new Keys(this.answer, {
      run: () => void this.run(),
      escape: () => this.escape(),
      focusEditor: () => {
        this.showSegment("Program");
        this.program.focus();
      },
      search: () => {
        if (!this.answer.search) this.showGallery();
        this.answer.search?.focus();
      },
      isRunning: () => this.runner.isRunning,
      openMenu: (name) => this.menus[name].show(),
      campaign: () => this.campaign.shown,
    });
    for (const name of ["Program", "Answer"] as const) {
      this.segments.append(h("button", { class: "segment", "data-segment": name, onclick: () => this.showSegment(name) }, name));
    }
    document.getElementById("before")?.remove(); // what was painted while this was loaded
    document.body.append(this.bar(), this.notice.element, this.segments, h("div", { class: "columns" }, this.program.element, splitter(this.program.element), this.answer.element), keys.dialog);
    this.showSegment("Program");
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => void this.drop(event));
  }

  private bar(): HTMLElement {
    const known = (): Contents => this.contents;
    const handlers = { changed: () => this.changedQuestion(), writeModel: () => {
      this.showSegment("Program");
      this.program.writeModel();
    } };
    this.menus = { model: modelMenu(this.state, known, handlers), check: checkMenu(this.state, known, handlers), bounds: boundsMenu(this.state, known, handlers), share: shareMenu(this.state) };
    const { model, check, bounds, share } = this.menus;
    const themeButton = h("button", { class: "theme", "aria-label": "Light or dark", title: "Light or dark", onclick: () => theme("toggle") }, "◐");
    const more = h("button", { class: "more", "aria-label": "More", "aria-expanded": "false", onclick: () => {
      bar.classList.toggle("shows-more");
      more.setAttribute("aria-expanded", String(bar.classList.contains("shows-more")));
    } }, "⋯");
    const bar = h("nav", { class: "bar", "aria-label": "membar" }, h("span", { class: "brand" }, "membar"), this.examplesButton, this.campaign.element, h("span", { class: "spring" }),
      model.element, h("div", { class: "further" }, this.campaign.furtherButton, check.element, bounds.element, share.element, this.campaign.share, themeButton), more, this.runner.button);
    return bar;
  }

  // The address: a campaign, or a program that somebody shares.

  private async openAddress(): Promise<void> {
    if (isCampaign()) {
      document.querySelector(".bar")?.classList.remove("shows-more");
      this.examplesButton.classList.remove("chosen");
      return this.campaign.show();
    }
    this.campaign.hide();
    if (!/^#p=/.test(location.hash)) return;
    const shared = await decode(location.hash);
    history.replaceState(null, "", location.pathname);
    if (!shared) return this.notice.say(DAMAGED);
    try {
      await checkQuestion(question("check", shared));
    } catch (problem) {
      if (problem instanceof Refused) this.notice.say(`This link cannot be opened here: ${problem.message}.`);
      else this.notice.tell(problem);
      return;
    }
    this.state.borrow(shared); // what was being written here is still there in a new tab
    this.openAndRun();
  }

  // What is asked.

  /** Shows what is asked now, and asks it. */
  private openAndRun(): void {
    this.state.save();
    this.program.open();
    this.refreshMenus();
    this.answer.leaveTab();
    void this.run();
  }

  private changedQuestion(): void {
    this.state.save();
    this.refreshMenus();
    this.answer.makeStale("question");
  }

  private refreshMenus(): void {
    const { options, model, modelText } = this.state;
    this.program.showModel();
    this.menus.model.setValue(modelText ? OWN_MODEL : model || "automatic");
    const also = ["--error", "--ltl", "--threads", "--client"].filter((name) => options[name]?.trim()).length;
    const properties = options["--property"]?.split(",").filter(Boolean) ?? [];
    this.menus.check.setValue((properties.length ? properties.join(", ") : "everything") + (also ? ` + ${also}` : ""));
    const loops = options["--unroll"] || options["--max-unroll"];
    const bounds = [options["--buffers"] && `buffers ≤ ${options["--buffers"]}`, loops && `loops ≤ ${loops}`, options["-D"], options["--limit"]?.replace(/time=/, "")].filter(Boolean);
    this.menus.bounds.setValue(bounds.join(", ") || "automatic");
  }

  private asked(kind: Asked["kind"], more: Partial<Asked> = {}): Asked {
    const { program, model, modelText, options } = this.state;
    return { ...question(kind, { name: program.name, text: this.program.text, model, modelText, options }), ...more };
  }

  async run(): Promise<void> {
    if (!this.contents) return;
    const { text } = this.program;
    if (!text.trim()) {
      this.notice.say("There is no program yet: type one, paste one, or choose an example.");
      return;
    }
    for (const [what, { length }] of [["program", text], ["model", this.state.modelText]] as const) {
      if (length <= LONGEST_TEXT) continue;
      const [has, most] = [length, LONGEST_TEXT].map((number) => number.toLocaleString("en"));
      this.notice.say(`The ${what} has ${has} characters; the page takes at most ${most}. Use membar check in a terminal.`);
      return;
    }
    Menu.open?.close();
    this.notice.say("");
    this.program.hideProblems();
    const asked = this.asked("check");
    let told: Progress = { seconds: 0, text: "" };
    const show = (): void => {
      if (!this.runner.isRunning) return;
      this.examplesButton.classList.remove("chosen");
      this.answer.showRunning(asked, told);
      this.showSegment("Answer");
    };
    const late = window.setTimeout(show, LATE);
    const result = await this.runner.ask(asked, (progress) => {
      told = progress;
      if (progress.seconds * 1000 > LATE) show();
    });
    clearTimeout(late);
    if (result) {
      this.examplesButton.classList.remove("chosen");
      this.answer.show(result);
      if (!result.errors) this.showSegment("Answer");
    } else if (!this.runner.isRunning && !this.answer.restore()) this.showGallery();
  }

  // What is shown.

  private showGallery(): void {
    this.examplesButton.classList.add("chosen");
    this.answer.showInstead(gallery(this.contents, (example) => this.openExample(example)));
    this.showSegment("Answer");
  }

  private openExample({ name, text, expected }: Example): void {
    const violated = ["x86-tso", ...Object.keys(expected)].find((model) => expected[model] === "VIOLATED" && model !== "sc");
    this.state.adopt({ name, text, model: violated });
    this.openAndRun();
  }

  private showSegment(name: "Program" | "Answer"): void {
    document.body.setAttribute("data-segment", name);
    this.segments.querySelectorAll(".segment").forEach((button) => button.setAttribute("aria-pressed", String(button.getAttribute("data-segment") === name)));
    if (name === "Answer") this.answer.view?.show();
  }

  private async drop(event: DragEvent): Promise<void> {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    if (file.size > this.contents.longest) return this.notice.say(`${file.name} is too large for the page.`);
    const text = await file.text();
    this.program.rename(file.name);
    this.program.setText(text);
  }

  private escape(): void {
    if (this.runner.isRunning) this.runner.cancel();
    else if (Menu.open) Menu.open.close();
    else if (!this.answer.focus()) this.runner.button.focus();
  }
}

/** A program and its question, as the server is asked. */
function question(kind: Asked["kind"], { name, text, model, modelText, options }: Shared): Asked {
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value.trim()));
  return { kind, name, text: wellFormed(text), ...(modelText ? { model_text: wellFormed(modelText) } : model ? { model } : {}), options: given };
}

/** A text without halves of characters, which JSON cannot hold. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

void new App().start();
