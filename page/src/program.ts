// The program: its name, its text, the mistakes in it, and a model of the user's own below it.
import { h, plural, rich, verdictIcon } from "./dom";
import { OWN_MODEL, OwnModel, isOfModel } from "./own_model";
import { type State, guessEnding } from "./state";
import { type EditorHandlers, type EditorMarks, type ProgramEditor, textArea } from "./text";
import type { Contents, InputProblem } from "./types";
import { sentence } from "./words";

const PAUSE = 500; // milliseconds after the last key before mistakes are looked for
const OF_COMPILERS = [".c", ".cpp", ".cc", ".cxx", ".C", ".rs"];

export interface ProgramHandlers extends Pick<EditorHandlers, "run" | "leave" | "hoverLine" | "clickLine"> {
  contents(): Contents | undefined;
  /** The text was changed. */
  changed(): void;
  /** The user's own model was changed, opened or closed. */
  changedModel(): void;
  /** The real editor is there, without the marks of the answer. */
  loaded(): void;
  /** Asks for the mistakes in program and model; null: there is no answer. */
  findMistakes(): Promise<InputProblem[] | null>;
  notify(words: string): void;
}

export class ProgramPane {
  readonly element = h("section", { class: "program", "aria-label": "Program", "data-part": "Program" });
  private readonly fileName = h("input", { class: "file-name", "aria-label": "File name", spellcheck: "false", autocomplete: "off" });
  private readonly language = h("span", { class: "language" });
  private readonly where = h("span", { class: "where", hidden: true });
  private readonly code = h("div", { class: "code" });
  private readonly problems = h("div", { class: "problems", hidden: true, role: "status" });
  private readonly ownModel: OwnModel;
  private editor: ProgramEditor;
  private timer = 0;

  constructor(private readonly state: State, private readonly handlers: ProgramHandlers) {
    const { run, leave } = handlers;
    this.ownModel = new OwnModel({ change: () => this.changedModel(), run, leave, hoverLine: () => undefined, clickLine: () => undefined }, () => this.closeModel());
    this.fileName.value = state.program.name;
    this.fileName.addEventListener("change", () => this.rename(this.fileName.value));
    this.element.append(h("div", { class: "program-head" }, this.fileName, this.language, this.where), this.code, this.ownModel.element, this.problems);
    this.editor = textArea(this.code, state.program.text, this.editorHandlers());
    void import("./editor.js" as string).then((loaded: typeof import("./editor")) => this.upgrade(loaded.create));
  }

  /** Takes the real editor, once it is loaded. */
  private upgrade(create: typeof import("./editor").create): void {
    const hadFocus = this.code.contains(document.activeElement);
    const { text } = this.editor;
    this.editor.remove();
    this.editor = create(this.code, text, this.state.program.name, this.editorHandlers());
    if (hadFocus) this.editor.focus();
    this.ownModel.upgrade(create);
    this.handlers.loaded();
  }

  private editorHandlers(): EditorHandlers {
    return { ...this.handlers, change: () => this.changedText() };
  }

  get text(): string {
    return this.editor.text;
  }

  /** Another text in one step that can be undone. */
  setText(text: string): void {
    this.editor.setText(text);
  }

  focus(): void {
    this.editor.focus();
  }

  /** Shows the program that is asked about now. */
  open(): void {
    const { name, text } = this.state.program;
    this.fileName.value = name;
    this.editor.setName(name);
    this.editor.setText(text);
    this.showLanguage();
  }

  rename(name: string): void {
    const known = this.handlers.contents()?.languages.map((language) => language.ending) ?? [".c"];
    let clean = name.trim().replace(/[^\w.+-]/g, "-").replace(/^[.+-]+/, "").slice(0, 76) || "untitled.c";
    if (!known.some((ending) => clean.endsWith(ending))) clean += this.state.ending && known.includes(this.state.ending) ? this.state.ending : ".c";
    this.state.program.name = clean;
    this.fileName.value = clean;
    this.editor.setName(clean);
    this.state.save();
    this.showLanguage();
  }

  private showLanguage(): void {
    const contents = this.handlers.contents();
    const found = contents?.languages.find((language) => language.ending === this.state.ending);
    const dialect = this.state.ending === ".litmus" ? this.state.program.text.match(/^\s*(\w+)/)?.[1] : "";
    this.language.textContent = [dialect, found?.name].filter(Boolean).join(" ");
    const off = contents?.off[this.state.ending];
    if (off) this.handlers.notify(off);
  }

  private changedText(): void {
    const { text } = this.editor;
    const { program } = this.state;
    const isPasted = !program.text.trim() && text.trim().length > 20;
    program.text = text;
    const ending = isPasted || /^untitled\./.test(program.name) ? guessEnding(text) : null;
    if (ending && ending !== this.state.ending) this.rename(program.name.replace(/\.[^.]*$/, "") + ending);
    this.state.save();
    this.handlers.changed();
    this.expectMistakes();
  }

  // A model of the user's own.

  writeModel(): void {
    this.ownModel.open(this.state.modelText);
    this.changedModel();
    this.ownModel.focus();
  }

  /** Shows the model that is asked about now, if it is the user's own. */
  showModel(): void {
    if (this.state.modelText && this.ownModel.text !== this.state.modelText) this.ownModel.open(this.state.modelText);
    else if (!this.state.modelText && this.ownModel.text.trim()) this.ownModel.close();
    this.showLanguage();
  }

  private closeModel(): void {
    this.state.modelText = "";
    this.ownModel.close();
    this.handlers.changedModel();
    this.editor.focus();
  }

  private changedModel(): void {
    this.state.modelText = this.ownModel.text;
    this.handlers.changedModel();
    this.expectMistakes();
  }

  // Mistakes.

  /** Looks for mistakes once nobody has typed for a while; a compiler is not started for that. */
  private expectMistakes(): void {
    this.problems.hidden = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.findMistakes(), PAUSE);
  }

  private async findMistakes(): Promise<void> {
    const isLeftOut = !this.text.trim() || [...OF_COMPILERS, ".obj"].includes(this.state.ending);
    if (isLeftOut && !this.state.modelText) return;
    const found = await this.handlers.findMistakes();
    if (found) this.underline(found);
  }

  /** Underlines mistakes in the text that they are in. */
  private underline(problems: InputProblem[]): void {
    this.editor.showProblems(problems.filter((one) => !isOfModel(one)));
    this.ownModel.showProblems(problems);
  }

  hideProblems(): void {
    clearTimeout(this.timer);
    this.underline([]);
    this.problems.hidden = true;
  }

  /** Underlines mistakes, and lists them below the text. */
  showProblems(problems: InputProblem[]): void {
    this.underline(problems);
    const where = (problem: InputProblem): string => (problem.line ? `${isOfModel(problem) ? `${OWN_MODEL}, line` : "Line"} ${problem.line}, column ${problem.column}` : "Question");
    const go = (problem: InputProblem): void => {
      if (problem.line) (isOfModel(problem) ? this.ownModel : this.editor).goTo(problem.line);
    };
    const one = (problem: InputProblem): HTMLElement => h("button", { class: "problem", onclick: () => go(problem) }, verdictIcon("violated", 16), h("strong", {}, where(problem)), h("span", {}, ...rich(sentence(problem.message))), h("code", {}, problem.code));
    this.problems.replaceChildren(h("h3", {}, plural(problems.length, "problem")), ...problems.slice(0, 20).map(one));
    this.problems.hidden = false;
  }

  // What the answer says about lines.

  mark(marks: EditorMarks, thread?: string): void {
    this.where.hidden = thread === undefined || marks.now === undefined;
    if (!this.where.hidden) this.where.replaceChildren(h("strong", {}, thread), ` at line ${marks.now}`);
    this.editor.mark(marks);
  }
}
