// The program beside an answer, to be read only, with the marks that the execution puts on its lines.
import { h } from "./dom";
import type { EditorMarks } from "./text";

export interface ListingHandlers {
  hoverLine(line: number | null): void;
  clickLine(line: number): void;
}

/** Characters that change the direction of text, or are invisible: a program may hide behind them. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

/** A text in which nothing is invisible. */
export function visible(text: string): (Node | string)[] {
  return text.split(new RegExp(`(${HIDDEN.source})`)).filter(Boolean).map((part) =>
    part.length === 1 && HIDDEN.test(part) ? h("span", { class: "hidden-character", title: "an invisible character" }, `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`) : part);
}

export class Listing {
  readonly element: HTMLElement;
  private readonly lines: { row: HTMLElement; sign: HTMLElement; text: HTMLElement; from: number; words: string }[] = [];
  private spanned = -1;

  constructor(text: string, handlers: ListingHandlers) {
    this.element = h("div", { class: "listing", role: "region", "aria-label": "Program", tabindex: "0" });
    let from = 0;
    text.replace(/\n$/, "").split("\n").forEach((words, n) => {
      const sign = h("span", { class: "signs" });
      const code = h("span", { class: "listed" }, ...visible(words.replace(/\r$/, "")));
      const row = h("div", { class: "listing-line", onmouseenter: () => handlers.hoverLine(n + 1), onmouseleave: () => handlers.hoverLine(null), onclick: () => handlers.clickLine(n + 1) }, h("span", { class: "line-number" }, String(n + 1)), sign, code);
      this.lines.push({ row, sign, text: code, from, words });
      this.element.append(row);
      from += [...words].length + 1;
    });
  }

  mark(marks: EditorMarks): void {
    this.lines.forEach((line, n) => {
      const is = (numbers: number[] | undefined): boolean => numbers?.includes(n + 1) ?? false;
      line.row.className = `listing-line${marks.now === n + 1 ? " line-now" : ""}${is(marks.outlined) ? " line-outlined" : ""}${is(marks.cycle) ? " line-cycle" : ""}`;
      const sign = marks.fails === n + 1 ? h("span", { class: "sign", title: "This fails" }, "✕") : is(marks.waiting) ? h("span", { class: "sign waits", title: "A store of this line is in a store buffer" }) : "";
      line.sign.replaceChildren(sign);
    });
    this.underline(marks);
    if (marks.reveal && marks.now) this.lines[marks.now - 1]?.row.scrollIntoView({ block: "nearest" });
  }

  /** Underlines what is performed now; `span` counts characters of the whole text. */
  private underline(marks: EditorMarks): void {
    const before = this.lines[this.spanned];
    if (before) before.text.replaceChildren(...visible(before.words));
    this.spanned = -1;
    const line = marks.now === undefined ? undefined : this.lines[marks.now - 1];
    if (!line || !marks.span) return;
    const characters = [...line.words];
    const part = (start: number, end?: number): (Node | string)[] => visible(characters.slice(start, end).join(""));
    const [start, end] = [marks.span[0] - line.from, marks.span[1] - line.from];
    if (start < 0 || end > characters.length || start >= end) return;
    line.text.replaceChildren(...part(0, start), h("span", { class: "span-now" }, ...part(start, end)), ...part(end));
    this.spanned = marks.now! - 1;
  }
}
