// A memory model of the user's own, in cat, below the program.
import { h } from "./dom";
import { type EditorHandlers, type ProgramEditor, textArea } from "./text";
import type { InputProblem } from "./types";

export const OWN_MODEL = "own.cat"; // as the server calls it
const FIRST = "(* Coherence only: each location on its own is sequentially consistent. *)\nacyclic po-loc | rf | co | fr as coherence\nempty rmw & (fre ; coe) as atomicity\n";

/** Whether a mistake is in the model, and not in the program. */
export function isOfModel(problem: InputProblem): boolean {
  return problem.file === OWN_MODEL;
}

export class OwnModel {
  private readonly code = h("div", { class: "code" });
  readonly element = h("section", { class: "own-model", "aria-label": "Your own model", hidden: true },
    h("div", { class: "program-head" }, h("strong", {}, OWN_MODEL), h("span", { class: "language" }, "your model, in cat"), h("span", { class: "spring" }),
      h("button", { class: "small-button", onclick: () => this.closed() }, "Close")),
    this.code);
  private editor: ProgramEditor;
  private create: typeof textArea = textArea;

  constructor(private readonly handlers: EditorHandlers, private readonly closed: () => void) {
    this.editor = textArea(this.code, "", handlers);
  }

  /** Takes the real editor, once it is loaded. */
  upgrade(create: (parent: HTMLElement, text: string, name: string, handlers: EditorHandlers) => ProgramEditor): void {
    this.create = (parent, text, handlers) => create(parent, text, OWN_MODEL, handlers);
    const { text } = this.editor;
    this.editor.remove();
    this.editor = this.create(this.code, text, this.handlers);
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** The model; "" if none is being written. */
  get text(): string {
    return this.isOpen ? this.editor.text : "";
  }

  /** Shows a model, or the one that was closed before, or one to begin with. */
  open(text: string): void {
    this.element.hidden = false;
    this.editor.setText(text || this.editor.text || FIRST);
  }

  close(): void {
    this.element.hidden = true;
  }

  focus(): void {
    this.editor.focus();
  }

  goTo(line: number): void {
    this.editor.goTo(line);
  }

  showProblems(problems: InputProblem[]): void {
    this.editor.showProblems(problems.filter(isOfModel));
  }
}
