// The page: a program on the left, the answer on the right.
import { type Band, fillBand } from "./band";
import type { Campaign } from "./campaign";
import { compareBand, compareTab } from "./compare";
import { block, details } from "./details";
import { copyText, h, plural, rich, verdictIcon } from "./dom";
import { ProcessRunView, type Steps, historyView, proofView } from "./evidence";
import { ExecutionView } from "./execution";
import { gallery } from "./gallery";
import { Menu, boundsMenu, checkMenu, modelMenu, shareMenu } from "./menus";
import { OWN_MODEL, OwnModel, isOfModel } from "./own_model";
import { type OutcomeHandlers, explanation, outcomesTab } from "./outcomes";
import { repairTab } from "./repair";
import { type Asked, Job, type Progress, Refused, ServerLost, contents as loadContents, isAlive } from "./server";
import { decode } from "./share";
import { State, guessEnding } from "./state";
import { type EditorHandlers, type ProgramEditor, textArea } from "./text";
import { theme } from "./theme";
import type { Answer, Contents, DrawingData, Example, Explanation, InputProblem, Outcome, Result } from "./types";
import { tell } from "./words";

const TABS = ["Execution", "Outcomes", "Compare", "Repair", "Report"] as const;
type Tab = (typeof TABS)[number];
const COMPARED = ["sc", "x86-tso", "pso", "armv8", "power"];
const OF_CPP = [".cpp", ".cc", ".cxx", ".C", ".rs"]; // and of Rust
const NEEDS_COMPILER = [".c", ...OF_CPP];
const DAMAGED = "This link is damaged: there is no program in it. Ask for it again, or for the file.";
const LATE = 300; // milliseconds before a run shows that it runs
/** As many characters as the server takes. */
const LONGEST_TEXT = 200_000;

class App {
  private readonly state = new State();
  private contents!: Contents;
  private editor!: ProgramEditor;
  private job: Job | null = null;
  private result: Result | null = null;
  private isStale = false;
  private changed = "program";
  private tab: Tab = "Execution";
  private view: ExecutionView | null = null;
  private steps: Steps | null = null;
  private chosenModels: string[] | null = null;
  private compared: Result | null = null;
  private repaired: Result | null = null;
  private explained: { outcome: Outcome; model: string } | null = null;
  private syntax = 0;
  private syntaxJob: Job | null = null;
  private pressedRelation = false;
  private ignoreClicks = 0;

  private readonly examplesButton = h("button", { class: "nav-button", onclick: () => {
    this.leaveCampaign();
    this.showGallery();
  } }, "Examples");
  private readonly campaignButton = campaignButton("nav-button nav-campaign");
  private campaign: Campaign | null = null;
  private readonly runButton = h("button", { class: "run", onclick: () => this.pressRun() });
  private readonly fileName = h("input", { class: "file-name", "aria-label": "File name", spellcheck: "false", autocomplete: "off" });
  private readonly language = h("span", { class: "language" });
  private readonly where = h("span", { class: "where", hidden: true });
  private readonly code = h("div", { class: "code" });
  private readonly problems = h("div", { class: "problems", hidden: true, role: "status" });
  private readonly band = h("header", { class: "band", hidden: true });
  private readonly tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Answer", hidden: true });
  private readonly body = h("div", { class: "answer-body", role: "tabpanel" });
  private readonly answer = h("main", { class: "answer" }, this.band, this.tabs, this.body);
  private readonly program = h("section", { class: "program", "aria-label": "Program" });
  private readonly notice = h("div", { class: "notice", role: "alert", hidden: true });
  private readonly ownModel = new OwnModel({ change: () => this.changedModel(), run: () => void this.run(), leave: () => this.escape(), hoverLine: () => undefined, clickLine: () => undefined }, () => this.closeModel());
  private readonly segments = h("div", { class: "segments" });
  private readonly keys = h("dialog", { class: "keys" });
  private menus!: { model: Menu; check: Menu; bounds: Menu; share: Menu };

  async start(): Promise<void> {
    this.state.load();
    const isLink = /^#p=/.test(location.hash);
    const shared = await decode(location.hash);
    if (shared) this.state.adopt(shared);
    if (shared) this.state.save(false); // what was being written here is still there in a new tab
    if (isLink) history.replaceState(null, "", location.pathname);
    theme(null);
    this.build();
    this.loadEditor();
    try {
      this.contents = await loadContents();
    } catch (problem) {
      this.problem(problem);
      return;
    }
    this.refreshMenus();
    this.showGallery();
    window.addEventListener("hashchange", () => void this.openAddress());
    if (shared) void this.run();
    else if (isLink) this.notify(DAMAGED);
    if (isCampaign()) await this.showCampaign();
  }

  // The campaign, in the place of program and answer.

  private async openAddress(): Promise<void> {
    if (isCampaign()) return this.showCampaign();
    this.hideCampaign();
    return this.openShared();
  }

  private async showCampaign(): Promise<void> {
    if (!this.campaign) {
      const loaded: typeof import("./campaign") = await import("./campaign.js" as string);
      await new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: "/static/campaign.css", onload: done, onerror: done })));
      this.campaign ??= new loaded.Campaign({
        contents: () => this.contents,
        notify: (words) => this.notify(words),
        open: (name, text, model, modelText) => void this.openTest(name, text, model, modelText),
      });
      this.notice.after(this.campaign.element);
    }
    if (!isCampaign()) return;
    document.body.classList.add("shows-campaign");
    document.querySelector(".bar")?.classList.remove("shows-more");
    this.campaign.element.hidden = false;
    this.campaignButton.classList.add("chosen");
    this.campaignButton.setAttribute("aria-current", "page");
    this.examplesButton.classList.remove("chosen");
    await this.campaign.show();
  }

  private hideCampaign(): void {
    if (!this.campaign) return;
    this.campaign.hide();
    this.campaign.element.hidden = true;
    document.body.classList.remove("shows-campaign");
    this.campaignButton.classList.remove("chosen");
    this.campaignButton.removeAttribute("aria-current");
  }

  private leaveCampaign(): void {
    if (!isCampaign()) return;
    history.pushState(null, "", location.pathname);
    this.hideCampaign();
  }

  private async openTest(name: string, text: string, model: string, modelText: string): Promise<void> {
    history.pushState(null, "", location.pathname);
    this.hideCampaign();
    this.openProgram(name, text, model, modelText);
    await this.run();
  }


  private async openShared(): Promise<void> {
    if (!/^#p=/.test(location.hash)) return;
    const shared = await decode(location.hash);
    history.replaceState(null, "", location.pathname);
    if (!shared) return this.notify(DAMAGED);
    this.openProgram(shared.name, shared.text, shared.model ?? "", shared.modelText ?? "", shared.options);
    void this.run();
  }

  private build(): void {
    const handlers = { changed: () => this.changedQuestion(), writeModel: () => this.writeModel() };
    const known = (): Contents => this.contents;
    this.menus = { model: modelMenu(this.state, known, handlers), check: checkMenu(this.state, known, handlers), bounds: boundsMenu(this.state, known, handlers), share: shareMenu(this.state) };
    const themeButton = h("button", { class: "theme", "aria-label": "Light or dark", title: "Light or dark", onclick: () => theme("toggle") }, "◐");
    const more = h("button", { class: "more", "aria-label": "More", "aria-expanded": "false", onclick: () => {
      bar.classList.toggle("shows-more");
      more.setAttribute("aria-expanded", String(bar.classList.contains("shows-more")));
    } }, "⋯");
    const bar = h("nav", { class: "bar", "aria-label": "membar" }, h("span", { class: "brand" }, "membar"), this.examplesButton, this.campaignButton, h("span", { class: "spring" }),
      this.menus.model.element, h("div", { class: "further" }, campaignButton("small-button more-campaign"), this.menus.check.element, this.menus.bounds.element, this.menus.share.element, this.campaignShare(), themeButton), more, this.runButton);
    this.setRun(false);
    this.fileName.value = this.state.program.name;
    this.fileName.addEventListener("change", () => this.rename(this.fileName.value));
    this.program.append(h("div", { class: "program-head" }, this.fileName, this.language, this.where), this.code, this.ownModel.element, this.problems);
    for (const [name, target] of [["Program", this.program], ["Answer", this.answer]] as const) {
      this.segments.append(h("button", { class: "segment", "data-segment": name, onclick: () => this.showSegment(name) }, name));
      target.setAttribute("data-part", name);
    }
    for (const [n, tab] of TABS.entries()) {
      this.tabs.append(h("button", { class: "tab", role: "tab", id: `tab-${tab}`, "data-tab": tab, title: `${n + 1}`, onclick: () => this.showTab(tab) }, tab));
    }
    this.tabs.addEventListener("keydown", (event) => this.moveTab(event));
    const splitter = this.splitter();
    document.getElementById("before")?.remove(); // what was painted while this was loaded
    document.body.append(bar, this.notice, this.segments, h("div", { class: "columns" }, this.program, splitter, this.answer), this.keys);
    this.editor = textArea(this.code, this.state.program.text, this.editorHandlers());
    this.showSegment("Program");
    this.showLanguage();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => void this.drop(event));
    new ResizeObserver(() => this.tab === "Execution" && this.view?.show()).observe(this.body);
  }

  private campaignShare(): HTMLElement {
    return h("button", { class: "small-button campaign-share", hidden: false, title: "Copy a link to these tests; it opens where membar serve shows the same store", onclick: () => {
      void copyText(this.campaign?.address ?? "").then(() => this.notify("The link was copied. It opens where membar serve shows the same store."));
      setTimeout(() => this.notice.textContent?.startsWith("The link was copied") && this.notify(""), 4000);
    } }, "Share");
  }

  private splitter(): HTMLElement {
    const set = (part: number): void => document.documentElement.style.setProperty("--program", `${Math.max(18, Math.min(78, part))}%`);
    const kept = Number(localStorage.getItem("membar-split"));
    if (kept) set(kept);
    const splitter = h("div", { class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the program" });
    const now = (): number => (100 * this.program.getBoundingClientRect().width) / innerWidth;
    const keep = (): void => localStorage.setItem("membar-split", String(Math.round(now())));
    splitter.addEventListener("pointerdown", (event) => {
      splitter.setPointerCapture(event.pointerId);
      splitter.onpointermove = (move) => set((100 * move.clientX) / innerWidth);
      splitter.onpointerup = () => {
        splitter.onpointermove = null;
        keep();
      };
    });
    splitter.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      set(now() + by);
      keep();
    });
    splitter.addEventListener("dblclick", () => document.body.classList.toggle("program-hidden"));
    return splitter;
  }

  private editorHandlers(): EditorHandlers {
    return {
      change: () => this.changedText(),
      run: () => void this.run(),
      leave: () => this.escape(),
      hoverLine: (line) => this.isStale || this.view?.outlineLine(line),
      clickLine: (line) => {
        const step = this.isStale ? undefined : this.view?.stepOfLine(line);
        if (step !== undefined && this.tab === "Execution") this.view!.go(step);
      },
    };
  }

  private loadEditor(): void {
    void import("./editor.js" as string).then((loaded: typeof import("./editor")) => {
      const hadFocus = this.code.contains(document.activeElement);
      const text = this.editor.text;
      this.editor.remove();
      this.editor = loaded.create(this.code, text, this.state.program.name, this.editorHandlers());
      if (hadFocus) this.editor.focus();
      this.ownModel.upgrade(loaded.create);
      this.markSource();
    });
  }

  // What is asked.

  private changedText(): void {
    const text = this.editor.text;
    const isPasted = !this.state.program.text.trim() && text.trim().length > 20;
    this.state.program.text = text;
    const ending = isPasted || /^untitled\./.test(this.state.program.name) ? guessEnding(text) : null;
    if (ending && ending !== this.state.ending) this.rename(this.state.program.name.replace(/\.[^.]*$/, "") + ending);
    this.state.save();
    this.makeStale();
    this.expectSyntax();
  }

  /** Looks for mistakes once nobody has typed for half a second. */
  private expectSyntax(): void {
    this.problems.hidden = true;
    clearTimeout(this.syntax);
    this.syntax = window.setTimeout(() => void this.checkSyntax(), 500);
  }

  private writeModel(): void {
    this.ownModel.open(this.state.modelText);
    this.changedModel();
    this.showSegment("Program");
    this.ownModel.focus();
  }

  private closeModel(): void {
    this.state.modelText = "";
    this.ownModel.close();
    this.changedQuestion();
    this.editor.focus();
  }

  private changedModel(): void {
    this.state.modelText = this.ownModel.text;
    this.changedQuestion();
    this.expectSyntax();
  }

  private changedQuestion(): void {
    this.state.save();
    this.refreshMenus();
    this.makeStale("question");
  }

  private rename(name: string): void {
    const known = this.contents?.languages.map((language) => language.ending) ?? [".c"];
    let clean = name.trim().replace(/[^\w.+-]/g, "-").replace(/^[.+-]+/, "").slice(0, 80) || "untitled.c";
    if (!known.some((ending) => clean.endsWith(ending))) clean += this.state.ending && known.includes(this.state.ending) ? this.state.ending : ".c";
    this.state.program.name = clean;
    this.fileName.value = clean;
    this.editor.setName(clean);
    this.state.save();
    this.showLanguage();
  }

  private showLanguage(): void {
    const found = this.contents?.languages.find((language) => language.ending === this.state.ending);
    const dialect = this.state.ending === ".litmus" ? this.state.program.text.match(/^\s*(\w+)/)?.[1] : "";
    this.language.textContent = [dialect, found?.name].filter(Boolean).join(" ");
    const off = this.contents?.off[this.state.ending];
    this.notify(off ?? "");
  }

  private refreshMenus(): void {
    const { options } = this.state;
    if (this.state.modelText && this.ownModel.text !== this.state.modelText) this.ownModel.open(this.state.modelText);
    else if (!this.state.modelText && this.ownModel.text.trim()) this.ownModel.close();
    this.menus.model.setValue(this.state.modelText ? OWN_MODEL : this.state.model || "automatic");
    const also = ["--error", "--ltl", "--threads", "--client"].filter((name) => options[name]?.trim()).length;
    const properties = options["--property"]?.split(",").filter(Boolean) ?? [];
    this.menus.check.setValue((properties.length ? properties.join(", ") : "everything") + (also ? ` + ${also}` : ""));
    const bounds = [options["--buffers"] && `buffers ≤ ${options["--buffers"]}`, (options["--unroll"] || options["--max-unroll"]) && `loops ≤ ${options["--unroll"] || options["--max-unroll"]}`, options["-D"], options["--limit"]?.replace(/time=/, "")].filter(Boolean);
    this.menus.bounds.setValue(bounds.join(", ") || "automatic");
    this.showLanguage();
  }

  private asked(kind: Asked["kind"], more: Partial<Asked> = {}): Asked {
    const options = Object.fromEntries(Object.entries(this.state.options).filter(([, value]) => value.trim()));
    const own = this.state.modelText ? { model_text: this.state.modelText } : this.state.model ? { model: this.state.model } : {};
    return { kind, name: this.state.program.name, text: this.editor.text, ...own, options, ...more };
  }

  /** The models to compare: those chosen, or some processors and the one of the language. */
  private get models(): string[] {
    return this.chosenModels ?? [...COMPARED, OF_CPP.includes(this.state.ending) ? "rc20" : "rc11"];
  }

  private async checkSyntax(): Promise<void> {
    const isLeftOut = !this.editor.text.trim() || [...NEEDS_COMPILER, ".obj"].includes(this.state.ending);
    if (this.job || (isLeftOut && !this.state.modelText)) return;
    this.syntaxJob?.drop();
    const job = (this.syntaxJob = new Job(this.asked("syntax", { options: {} })));
    try {
      const result = await job.result;
      if (this.syntaxJob === job && !this.job) this.showProblems(result.errors?.errors ?? []);
    } catch {
      // the next run will say it
    }
  }

  /** Shows mistakes in the text that they are in. */
  private showProblems(problems: InputProblem[]): void {
    this.editor.showProblems(problems.filter((one) => !isOfModel(one)));
    this.ownModel.showProblems(problems);
  }

  // Running.

  private pressRun(): void {
    if (this.job && performance.now() < this.ignoreClicks) return; // a double click does not cancel
    if (this.job) this.cancel();
    else void this.run();
  }

  private setRun(isRunning: boolean): void {
    this.runButton.replaceChildren(isRunning ? "Cancel" : "Run", h("kbd", {}, isRunning ? "Esc" : "Ctrl ⏎"));
    this.runButton.classList.toggle("cancel", isRunning);
  }

  private cancel(): void {
    this.job?.cancel();
  }

  private async ask(asked: Asked, shown: (told: Progress) => void = () => undefined): Promise<Result | null> {
    this.job?.drop();
    this.syntaxJob?.drop();
    const job = (this.job = new Job(asked, shown));
    this.ignoreClicks = performance.now() + 400;
    this.setRun(true);
    try {
      const result = await job.result;
      return this.job === job ? result : null;
    } catch (problem) {
      if (this.job === job) this.problem(problem);
      return null;
    } finally {
      if (this.job === job) {
        this.job = null;
        this.setRun(false);
      }
    }
  }

  async run(): Promise<void> {
    if (!this.contents) return;
    const { length } = this.editor.text;
    if (!this.editor.text.trim()) {
      this.notify("There is no program yet: type one, paste one, or choose an example.");
      return;
    }
    if (length > LONGEST_TEXT) {
      const [has, most] = [length, LONGEST_TEXT].map((number) => number.toLocaleString("en"));
      this.notify(`The program has ${has} characters; the page takes at most ${most}. Use membar check in a terminal.`);
      return;
    }
    Menu.open?.close();
    this.notify("");
    this.showProblems([]);
    this.problems.hidden = true;
    const asked = this.asked("check");
    let told: Progress = { seconds: 0, text: "" };
    const late = window.setTimeout(() => this.showRunning(asked, told), LATE);
    const result = await this.ask(asked, (progress) => {
      told = progress;
      if (progress.seconds * 1000 > LATE) this.showRunning(asked, told);
    });
    clearTimeout(late);
    if (!result) {
      if (!this.job) this.restore();
      return;
    }
    this.result = result;
    this.isStale = false;
    this.compared = this.repaired = null;
    this.explained = null;
    if (result.errors) this.showErrors(result.errors.errors, result.errors.text);
    else {
      this.showSegment("Answer");
      this.showTab(this.tab === "Compare" || this.tab === "Repair" ? "Execution" : hasEvidence(result.answer) ? "Execution" : result.answer?.outcomes?.length ? "Outcomes" : "Report");
    }
  }

  private showRunning(asked: Asked, told: Progress): void {
    if (!this.job) return;
    const limit = seconds(this.state.options["--limit"]) ?? this.contents.seconds;
    this.showBand({ verdict: "running", word: "Running", headline: `${asked.name}${asked.model ? ` under ${asked.model}` : ""}`, guarantee: "No violation so far. membar reports HOLDS only when the search is complete." });
    this.showSegment("Answer");
    this.tabs.hidden = false;
    this.tabs.querySelectorAll<HTMLButtonElement>(".tab").forEach((tab) => (tab.disabled = true));
    const rows = told.text ? told.text.split(/, (?=\d|perhaps)/) : [];
    this.body.replaceChildren(h("section", { class: "running" }, h("div", { class: "clock" }, `${Math.floor(told.seconds)} s`),
      h("progress", { max: String(limit), value: String(told.seconds), "aria-label": "Time" }), h("p", { class: "quiet" }, `of at most ${limit} s. How much remains is unknown.`),
      h("ul", { class: "counts" }, ...rows.map((row) => h("li", {}, row))), h("p", {}, "Cancel keeps what was found so far. The verdict is then UNKNOWN.")));
  }

  private restore(): void {
    if (this.result) this.showTab(this.tab);
    else this.showGallery();
  }

  // What is shown.

  private showBand(told: Band & { next?: { words: string; options: Record<string, string> } }, notes = 0): void {
    this.band.hidden = false;
    const stale = this.isStale && told.verdict !== "running";
    const next = told.next;
    const button = stale ? h("button", { class: "small-button", onclick: () => void this.run() }, "Run again")
      : next ? h("button", { class: "small-button", onclick: () => {
          Object.assign(this.state.options, next.options);
          this.changedQuestion();
          void this.run();
        } }, next.words) : "";
    const shown = stale ? { ...told, headline: "before your last change", guarantee: `The ${this.changed} has changed since this answer.` } : told;
    fillBand(this.band, shown, button, notes && !stale ? h("button", { class: "text-button", onclick: () => this.showTab("Report") }, plural(notes, "note")) : "");
    this.band.classList.toggle("stale", stale);
  }

  private makeStale(changed = "program"): void {
    if (!this.result || this.isStale) return;
    this.isStale = true;
    this.changed = changed;
    this.where.hidden = true;
    if (!this.band.hidden) this.drawBand();
    this.markSource();
  }

  private drawBand(): void {
    const { result } = this;
    if (!result) return;
    if (this.tab === "Compare" && this.compared?.columns && !this.isStale) this.showBand(compareBand(this.compared.columns));
    else if (result.errors) this.showBand({ verdict: "not-checked", word: "NOT CHECKED", headline: errorHeadline(result.errors.errors), guarantee: "Correct it and run again." });
    else if (result.answer) this.showBand(tell(result.answer, this.state.options, seconds(this.state.options["--limit"]) ?? this.contents.seconds), result.answer.notes.length);
    else this.showBand({ verdict: "unknown", word: "UNKNOWN", headline: capital(result.ended ?? ""), guarantee: "Nothing was established." });
  }

  private showGallery(): void {
    this.band.hidden = this.tabs.hidden = true;
    this.view = null;
    this.where.hidden = true;
    this.markSource();
    this.examplesButton.classList.add("chosen");
    this.body.className = "answer-body";
    this.body.replaceChildren(gallery(this.contents, (example) => this.openExample(example)));
    if (this.editor.text.trim() && innerWidth < 900 && this.result) this.showSegment("Answer");
  }

  private openExample(example: Example): void {
    const violated = ["x86-tso", ...Object.keys(example.expected)].find((model) => example.expected[model] === "VIOLATED" && model !== "sc");
    this.openProgram(example.name, example.text, this.state.modelText ? "" : violated ?? "");
    this.tab = "Execution";
    void this.run();
  }

  private openProgram(name: string, text: string, model: string, modelText = "", options: Record<string, string> = {}): void {
    this.state.adopt({ name, text, model, modelText, options });
    this.fileName.value = name;
    this.editor.setName(name);
    this.editor.setText(text);
    this.state.save();
    this.refreshMenus();
  }

  showTab(tab: Tab): void {
    this.tab = tab;
    this.examplesButton.classList.remove("chosen");
    this.tabs.hidden = false;
    const isWrong = Boolean(this.result?.errors);
    for (const button of this.tabs.querySelectorAll<HTMLButtonElement>(".tab")) {
      button.disabled = isWrong && button.dataset.tab !== "Report";
      button.setAttribute("aria-selected", String(button.dataset.tab === tab));
      button.tabIndex = button.dataset.tab === tab ? 0 : -1;
    }
    this.body.setAttribute("aria-labelledby", `tab-${tab}`);
    this.body.className = `answer-body body-${tab.toLowerCase()}`;
    this.drawBand();
    const { result } = this;
    this.steps = null;
    if (tab !== "Execution") this.view = null;
    switch (tab) {
      case "Execution":
        if (result?.answer && this.showEvidence(result.answer)) break;
        if (result?.answer?.drawing) this.showDrawing(result.answer.drawing);
        else this.say(result?.answer?.verdict === "holds" ? "No execution is needed to show this. Outcomes lists what the program can do, with an execution for each." : result?.ended ?? "There is no execution to show.");
        break;
      case "Outcomes":
        this.body.replaceChildren(result?.answer ? outcomesTab(result.answer, this.outcomeHandlers()) : "");
        if (this.explained) void this.explainAgain();
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
    if (tab !== "Execution") this.markSource();
  }

  private say(words: string): void {
    this.view = null;
    this.where.hidden = true;
    this.body.replaceChildren(h("p", { class: "empty" }, words));
    this.markSource();
  }

  /** What shows an answer besides an execution; whether there is such a thing. */
  private showEvidence(answer: Answer): boolean {
    const { history, witness } = answer;
    const parts: HTMLElement[] = history ? [historyView(history)] : [];
    const proof = proofView(answer, {});
    if (proof) parts.push(proof);
    if (witness?.format === "membar-run") {
      this.steps = new ProcessRunView(witness);
      parts.push(this.steps.element);
    } else if (history && answer.drawing) {
      const { drawing } = answer;
      parts.push(h("button", { class: "small-button", onclick: () => this.showDrawing(drawing) }, "Show the execution"));
    }
    if (!parts.length) return false;
    this.view = null;
    this.body.replaceChildren(...parts);
    this.steps?.show();
    this.markSource();
    return true;
  }

  private showDrawing(drawing: DrawingData): void {
    if (!drawing.events.some((event) => event.thread >= 0)) {
      this.say("This execution has no accesses to shared memory.");
      return;
    }
    this.view = this.steps = new ExecutionView(drawing, {
      stepped: () => this.markSource(),
      hovered: (lines) => this.markSource(lines),
    });
    this.body.className = "answer-body body-execution";
    this.body.replaceChildren(this.view.element);
    this.view.show();
  }

  private showExecutionOf(drawing: DrawingData): void {
    this.showTab("Execution");
    this.showDrawing(drawing);
  }

  private markSource(outlined: number[] = [], cycle: number[] = []): void {
    if (!this.editor) return;
    const view = this.isStale ? null : this.view;
    const now = view?.currentLine?.file ? undefined : view?.currentLine;
    const drawing = this.result?.answer?.drawing;
    this.where.hidden = !now;
    if (now) this.where.replaceChildren(h("strong", {}, now.thread), ` at line ${now.line}`);
    this.editor.mark({
      now: now?.line, span: now?.span, reveal: outlined.length === 0, waiting: view?.waitingLines ?? [], outlined, cycle,
      fails: this.isStale || this.result?.errors || !this.result?.answer ? undefined : drawing?.failing_line,
      problems: this.result?.errors && !this.isStale ? this.result.errors.errors.flatMap((one) => (isOfModel(one) ? [] : one.line ?? [])) : [],
    });
  }

  private showErrors(errors: InputProblem[], text: string): void {
    this.result = { kind: "check", errors: { errors, text } };
    this.showProblems(errors);
    const where = (problem: InputProblem): string => (problem.line ? `${isOfModel(problem) ? `${OWN_MODEL}, line` : "Line"} ${problem.line}, column ${problem.column}` : "Question");
    const go = (problem: InputProblem): void => {
      if (problem.line) (isOfModel(problem) ? this.ownModel : this.editor).goTo(problem.line);
    };
    const one = (problem: InputProblem): HTMLElement => h("button", { class: "problem", onclick: () => go(problem) }, verdictIcon("violated", 16), h("strong", {}, where(problem)), h("span", {}, ...rich(capital(problem.message))), h("code", {}, problem.code));
    this.problems.replaceChildren(h("h3", {}, plural(errors.length, "problem")), ...errors.slice(0, 20).map(one));
    this.problems.hidden = false;
    this.showTab("Report");
  }

  private outcomeHandlers(): OutcomeHandlers {
    return {
      explain: (outcome, model) => this.explain(outcome, model),
      show: (drawing) => this.showExecutionOf(drawing),
      markCycle: (lines) => this.markSource([], lines),
    };
  }

  private async explain(outcome: Outcome, model: string): Promise<Explanation> {
    const own = this.state.modelText ? {} : { model };
    const result = await this.ask(this.asked("explain", { ...own, outcome }));
    if (result?.errors) throw new Error(result.errors.errors[0]?.message ?? "");
    if (!result?.explanation) throw new Error(result?.ended ?? "There is no answer.");
    return result.explanation;
  }

  private async explainAgain(): Promise<void> {
    const asked = this.explained;
    const place = this.body.querySelector(".explanation");
    if (!asked || !place) return;
    this.explained = null;
    place.replaceChildren(h("p", { class: "empty" }, "Searching…"));
    try {
      place.replaceChildren(explanation(await this.explain(asked.outcome, asked.model), asked.model, this.outcomeHandlers()));
    } catch (problem) {
      place.replaceChildren(h("p", { class: "empty" }, (problem as Error).message));
    }
  }

  private async showCompare(): Promise<void> {
    if (!this.compared || this.isStale) {
      this.say("Comparing…");
      const options = { ...this.state.options };
      const result = await this.ask(this.asked("compare", { model: undefined, model_text: undefined, models: this.models, options }));
      if (this.tab !== "Compare") return;
      if (!result?.columns) {
        this.say(result?.errors?.errors[0]?.message ?? capital(result?.ended ?? "There is no comparison."));
        return;
      }
      this.compared = result;
    }
    this.drawBand();
    const all = this.contents.models.map((model) => model.name);
    this.body.replaceChildren(compareTab(this.compared.columns as Answer[], this.models, all, this.contents.most_models, {
      setModels: (models) => {
        this.chosenModels = models;
        this.compared = null;
        void this.showCompare();
      },
      choose: (outcome, model, isPossible) => void this.chooseCell(outcome, model, isPossible),
    }));
  }

  private async chooseCell(outcome: Outcome, model: string, isPossible: boolean): Promise<void> {
    try {
      if (isPossible) {
        const found = await this.explain(outcome, model);
        if (found.drawing) this.showExecutionOf(found.drawing);
      } else {
        const place = h("div", { class: "explanation" }, h("p", { class: "empty" }, "Searching…"));
        this.body.querySelector(".explanation")?.remove();
        this.body.append(place);
        place.replaceChildren(explanation(await this.explain(outcome, model), model, this.outcomeHandlers()));
        place.scrollIntoView({ block: "nearest" });
      }
    } catch (problem) {
      this.notify((problem as Error).message);
    }
  }

  private async showRepair(weaken: boolean): Promise<void> {
    if (!this.repaired || this.isStale || weaken) {
      this.say(weaken ? "Looking for what is stronger than needed…" : "Looking for the cheapest repair…");
      const place = this.body.firstElementChild;
      const result = await this.ask(this.asked("repair", { weaken }), (told) => {
        if (place && told.text) place.textContent = `Looking for the cheapest repair… ${told.text}`;
      });
      if (this.tab !== "Repair") return;
      if (!result?.repair) {
        this.say(result?.errors?.errors[0]?.message ?? capital(result?.ended ?? "No repair was looked for."));
        return;
      }
      this.repaired = result;
    }
    const { repair, repaired } = this.repaired;
    this.body.replaceChildren(repairTab(repair!, repaired ?? null, this.editor.text, this.state.program.name, repair!.model ?? this.result?.answer?.model ?? "", {
      apply: (text) => {
        this.editor.setText(text);
        this.tab = "Execution";
        void this.run();
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
    this.body.replaceChildren(h("section", { class: "report" }, ...parts));
  }

  // Keys, segments, notices.

  private showSegment(name: "Program" | "Answer"): void {
    document.body.setAttribute("data-segment", name);
    this.segments.querySelectorAll(".segment").forEach((button) => button.setAttribute("aria-pressed", String(button.getAttribute("data-segment") === name)));
    if (name === "Answer" && this.tab === "Execution") this.view?.show();
  }

  private notify(words: string): void {
    this.notice.hidden = !words;
    this.notice.textContent = words;
  }

  private problem(problem: unknown): void {
    if (problem instanceof ServerLost) {
      this.notify("membar serve has stopped. Start it again; your program is kept here.");
      void this.awaitServer();
    } else if (problem instanceof Refused) this.notify(problem.message);
    else if (!(problem instanceof DOMException)) this.notify(String(problem));
  }

  private async awaitServer(): Promise<void> {
    while (!(await isAlive())) await new Promise((done) => setTimeout(done, 1000));
    try {
      this.contents = await loadContents();
      this.notify("membar serve runs again.");
      setTimeout(() => this.notice.textContent === "membar serve runs again." && this.notify(""), 3000);
    } catch (problem) {
      this.problem(problem); // it has another key now: its new address must be opened
    }
  }

  private async drop(event: DragEvent): Promise<void> {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    if (file.size > this.contents.longest) return this.notify(`${file.name} is too large for the page.`);
    const text = await file.text();
    this.rename(file.name);
    this.editor.setText(text);
  }

  private escape(): void {
    if (this.job) this.cancel();
    else if (Menu.open) Menu.open.close();
    else (this.body.querySelector<HTMLElement>(".slider") ?? this.body.querySelector<HTMLElement>("button, input") ?? this.runButton).focus();
  }

  private moveTab(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length];
    this.showTab(next);
    this.tabs.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus();
  }

  private key(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const isText = target.closest?.(".cm-editor, textarea, input:not([type=range]):not([type=checkbox]), select") !== null;
    if (isCampaign() && this.campaign) {
      const isPlain = !isText && !event.ctrlKey && !event.metaKey && !event.altKey;
      const action = event.key === "Escape" ? () => this.campaign!.escape() : isPlain ? { "/": () => this.campaign!.focusSearch(), "?": () => this.showKeys() }[event.key] : undefined;
      if (action) event.preventDefault();
      action?.();
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.run();
      return;
    }
    if (event.key === "F8") {
      event.preventDefault();
      this.steps?.go(this.steps.step + (event.shiftKey ? -1 : 1));
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.escape();
      return;
    }
    if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.pressedRelation) {
      this.pressedRelation = false;
      const group = { p: "po", r: "rf", c: "co", f: "fr", d: "depends" }[event.key];
      if (group && this.view) this.view.toggle(group);
      return;
    }
    const steps: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? this.view?.goStrange(-1) : this.steps?.go(this.steps.step - 1)),
      ArrowRight: () => (event.shiftKey ? this.view?.goStrange(1) : this.steps?.go(this.steps.step + 1)),
      Home: () => this.steps?.go(0),
      End: () => this.steps?.go(this.steps.length),
      e: () => {
        this.showSegment("Program");
        this.editor.focus();
      },
      m: () => this.menus.model.show(),
      c: () => this.menus.check.show(),
      b: () => this.menus.bounds.show(),
      r: () => (this.pressedRelation = true),
      "/": () => {
        if (!this.body.querySelector(".search")) this.showGallery();
        this.body.querySelector<HTMLElement>(".search")?.focus();
      },
      "?": () => this.showKeys(),
    };
    const action = steps[event.key] ?? (/^[1-5]$/.test(event.key) && this.result && !this.job ? () => this.tabs.querySelector<HTMLButtonElement>(`[data-tab=${TABS[Number(event.key) - 1]}]`)?.click() : undefined);
    if (action) {
      event.preventDefault();
      action();
    }
  }

  private showKeys(): void {
    const rows: [string, string][] = [
      ["Ctrl Enter", "run"], ["Esc", "cancel, close a menu, leave the editor"], ["← →", "step"], ["Home End", "first and last step"], ["Shift ← →", "previous or next read that misses a write"],
      ["F8, Shift F8", "step, from anywhere"], ["1 – 5", "tabs"], ["e", "editor"], ["m c b", "model, check, bounds"], ["r, then p r c f d", "show or hide a relation"], ["/", "search examples, or tests of a campaign"], ["↑ ↓ Enter", "campaign: choose a test, open it"], ["?", "this list"],
    ];
    this.keys.replaceChildren(h("h2", {}, "Keys"), h("dl", {}, ...rows.flatMap(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])), h("button", { class: "small-button", onclick: () => this.keys.close() }, "Close"));
    this.keys.showModal();
  }
}

/** Whether an answer has something to show besides its text. */
function hasEvidence(answer: Answer | undefined): boolean {
  return Boolean(answer && (answer.drawing || answer.history || answer.obligation || answer.discharged || answer.witness));
}

function campaignButton(classes: string): HTMLElement {
  return h("button", { class: classes, onclick: () => (location.hash = "#campaign") }, "Campaign");
}

function isCampaign(): boolean {
  return /^#campaign(\?|$)/.test(location.hash);
}

function errorHeadline(errors: InputProblem[]): string {
  const found = errors.find((error) => error.line);
  if (found && isOfModel(found)) return `Your model has an error at line ${found.line}`;
  return found ? `The program has an error at line ${found.line}` : capital(errors[0]?.message ?? "The question has an error");
}

function capital(text: string): string {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/** The time of `time=10s,memory=2G`, in seconds. */
function seconds(limit: string | undefined): number | undefined {
  const found = limit?.match(/time=([\d.]+)\s*(ms|s|min|m|h)?/);
  return found ? Number(found[1]) * { ms: 0.001, s: 1, min: 60, m: 60, h: 3600 }[(found[2] ?? "s") as "s"]! : undefined;
}

void new App().start();
