// What the page needs of an editor; a plain text area until the real one is loaded.
import { h } from "./dom";
import type { InputProblem } from "./types";

export interface EditorMarks {
  now?: number;
  span?: [number, number];
  reveal?: boolean;
  waiting?: number[];
  fails?: number;
  outlined?: number[];
  cycle?: number[];
  problems?: number[];
}

export interface EditorHandlers {
  change(): void;
  run(): void;
  leave(): void;
  hoverLine(line: number | null): void;
  clickLine(line: number): void;
}

export interface ProgramEditor {
  readonly text: string;
  setText(text: string): void;
  setName(name: string): void;
  mark(marks: EditorMarks): void;
  showProblems(problems: InputProblem[]): void;
  goTo(line: number): void;
  focus(): void;
  remove(): void;
}

export function textArea(parent: HTMLElement, text: string, handlers: EditorHandlers): ProgramEditor {
  const area = h("textarea", { class: "plain-editor", "aria-label": "Program", spellcheck: "false", placeholder: "Paste a program here, or drop a file." });
  area.value = text;
  area.addEventListener("input", () => handlers.change());
  parent.append(area);
  return {
    get text() {
      return area.value;
    },
    setText: (value) => void (area.value = value),
    setName: () => undefined,
    mark: () => undefined,
    showProblems: () => undefined,
    goTo: () => area.focus(),
    focus: () => area.focus(),
    remove: () => area.remove(),
  };
}

/** Where a place that is counted in characters, as the server counts, is in a string of JavaScript. */
export function inUnits(text: string, characters: number): number {
  if (!/[\ud800-\udbff]/.test(text)) return characters;
  let units = 0;
  for (let n = 0; n < characters && units < text.length; n++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}
