// The editor: CodeMirror 6 with the marks that the execution puts beside the program.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { rust } from "@codemirror/lang-rust";
import { HighlightStyle, StreamLanguage, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, type DecorationSet, EditorView, GutterMarker, WidgetType, drawSelection, gutter, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { rich } from "./dom";
import { type EditorHandlers, type EditorMarks, type ProgramEditor, inUnits } from "./text";
import { STREAMS } from "./languages";
import type { InputProblem } from "./types";
import { sentence } from "./words";

const setMarks = StateEffect.define<EditorMarks>();

class Sign extends GutterMarker {
  constructor(private readonly kind: string, private readonly words: string) {
    super();
  }

  override toDOM(): Node {
    const element = document.createElement("span");
    element.className = `sign ${this.kind}`;
    element.title = this.words;
    element.textContent = this.kind === "fails" ? "✕" : "";
    return element;
  }
}

class Message extends WidgetType {
  constructor(private readonly problem: InputProblem, private readonly replace: () => void) {
    super();
  }

  override eq(other: Message): boolean {
    return other.problem === this.problem;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("div");
    element.className = "problem-line";
    const words = document.createElement("span");
    const { message, expected, help } = this.problem;
    words.append(...rich([sentence(message + (expected ? `: ${expected}` : "")), sentence(help ?? "")].filter(Boolean).join(". ")));
    element.append(words);
    if (this.problem.replacement) {
      const button = document.createElement("button");
      button.textContent = "Replace";
      button.addEventListener("click", this.replace);
      element.append(button);
    }
    return element;
  }
}

const marksField = StateField.define<EditorMarks>({
  create: () => ({}),
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return transaction.docChanged ? {} : marks;
  },
});

const setMessages = StateEffect.define<DecorationSet>();

/** Messages below lines, which stay with their lines when the text changes. */
const messagesField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(messages, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMessages)) return effect.value;
    return messages.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function lineDecorations(state: EditorState): DecorationSet {
  const marks = state.field(marksField);
  const classes = new Map<number, string[]>();
  const add = (line: number | undefined, name: string): void => {
    if (line !== undefined && line >= 1 && line <= state.doc.lines) classes.set(line, [...(classes.get(line) ?? []), name]);
  };
  for (const line of marks.cycle ?? []) add(line, "line-cycle");
  add(marks.now, "line-now");
  for (const line of marks.outlined ?? []) add(line, "line-outlined");
  const builder = new RangeSetBuilder<Decoration>();
  for (const line of [...classes.keys()].sort((a, b) => a - b)) {
    const place = state.doc.line(line);
    builder.add(place.from, place.from, Decoration.line({ class: classes.get(line)!.join(" ") }));
    if (marks.span && marks.now === line && marks.span[1] <= state.doc.length && marks.span[0] >= place.from && marks.span[1] <= place.to && marks.span[0] < marks.span[1]) {
      builder.add(marks.span[0], marks.span[1], Decoration.mark({ class: "span-now" }));
    }
  }
  return builder.finish();
}

const signs = gutter({
  class: "signs",
  lineMarker(view, line) {
    const marks = view.state.field(marksField);
    const number = view.state.doc.lineAt(line.from).number;
    if (marks.fails === number || marks.problems?.includes(number)) return new Sign("fails", marks.fails === number ? "This fails" : "There is an error");
    if (marks.waiting?.includes(number)) return new Sign("waits", "A store of this line is in a store buffer");
    return null;
  },
  lineMarkerChange: (update) => update.transactions.some((one) => one.docChanged || one.effects.some((effect) => effect.is(setMarks))),
  initialSpacer: () => new Sign("waits", ""),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.standard(tags.typeName), tags.modifier, tags.controlKeyword, tags.null, tags.bool], fontWeight: "600" },
  { tag: [tags.string, tags.character], class: "token-string" },
  { tag: [tags.comment], class: "token-comment" },
]);

function languageOf(name: string): Extension {
  const ending = name.slice(name.lastIndexOf("."));
  switch (ending) {
    case ".c": case ".cpp": case ".cc": case ".cxx": case ".C": return cpp();
    case ".rs": return rust();
    case ".pml": case ".prm": case ".promela": return StreamLanguage.define(STREAMS.promela);
    case ".litmus": return StreamLanguage.define(STREAMS.litmus);
    case ".cat": return StreamLanguage.define(STREAMS.cat);
    case ".dve": return StreamLanguage.define(STREAMS.dve);
    case ".cub": return StreamLanguage.define(STREAMS.cubicle);
    case ".obj": return StreamLanguage.define(STREAMS.object);
    default: return StreamLanguage.define(STREAMS.plain);
  }
}

export function create(parent: HTMLElement, text: string, name: string, handlers: EditorHandlers): ProgramEditor {
  const language = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), signs, history(), drawSelection(), highlightSpecialChars(), bracketMatching(), highlightSelectionMatches(), indentUnit.of("  "),
        marksField, EditorView.decorations.compute([marksField], lineDecorations), syntaxHighlighting(colours), language.of(languageOf(name)), messagesField,
        placeholder("Paste a program here, or drop a file."),
        keymap.of([
          { key: "Mod-Enter", run: () => (handlers.run(), true) },
          { key: "Escape", run: () => (handlers.leave(), true) },
          ...searchKeymap.filter((binding) => binding.key !== "Escape" || binding.scope?.includes("search-panel")), ...historyKeymap, ...defaultKeymap.filter((binding) => binding.key !== "Escape" && binding.key !== "Mod-Enter"),
        ]),
        EditorView.contentAttributes.of({ "aria-label": "Program" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) handlers.change();
        }),
        EditorView.domEventHandlers({
          mousemove(event, editor) {
            const at = editor.posAtCoords({ x: event.clientX, y: event.clientY });
            handlers.hoverLine(at === null ? null : editor.state.doc.lineAt(at).number);
          },
          mouseleave: () => handlers.hoverLine(null),
          click(event, editor) {
            const at = editor.posAtCoords({ x: event.clientX, y: event.clientY });
            if (at !== null) handlers.clickLine(editor.state.doc.lineAt(at).number);
          },
        }),
      ],
    }),
  });
  const messages = (list: InputProblem[]): DecorationSet => {
    const found = list.filter((one) => one.line !== undefined && one.line <= view.state.doc.lines).sort((a, b) => a.line! - b.line!);
    return Decoration.set(found.map((one) => Decoration.widget({ widget: new Message(one, () => replaceSpan(one)), block: true, side: 1 }).range(view.state.doc.line(one.line!).to)), true);
  };
  const inEditor = (span: [number, number]): [number, number] => {
    const text = view.state.doc.toString();
    return [inUnits(text, span[0]), inUnits(text, span[1])];
  };
  const replaceSpan = (one: InputProblem): void => {
    if (!one.span || !one.replacement) return;
    const [from, to] = inEditor(one.span);
    if (to <= view.state.doc.length) view.dispatch({ changes: { from, to, insert: one.replacement } });
    view.focus();
  };
  return {
    get text() {
      return view.state.doc.toString();
    },
    setText(value) {
      if (value === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value }, selection: { anchor: 0 }, scrollIntoView: false });
    },
    setName(value) {
      view.dispatch({ effects: language.reconfigure(languageOf(value)) });
    },
    mark(marks) {
      const effects: StateEffect<unknown>[] = [setMarks.of({ ...marks, span: marks.span && inEditor(marks.span) })];
      if (marks.now !== undefined && marks.now <= view.state.doc.lines && marks.reveal) {
        effects.push(EditorView.scrollIntoView(view.state.doc.line(marks.now).from, { y: "nearest", yMargin: 60 }));
      }
      view.dispatch({ effects });
    },
    showProblems(list) {
      const size = view.state.doc.length;
      const found: Diagnostic[] = list.filter((one) => one.span).map((one) => {
        const [from, to] = inEditor(one.span!);
        return { from: Math.min(from, size), to: Math.min(Math.max(to, from + 1), size), severity: "error", message: one.message };
      });
      view.dispatch(setDiagnostics(view.state, found));
      view.dispatch({ effects: [setMessages.of(messages(list)), setMarks.of({ ...view.state.field(marksField), problems: list.flatMap((one) => one.line ?? []) })] });
    },
    goTo(line) {
      if (line < 1 || line > view.state.doc.lines) return;
      const place = view.state.doc.line(line);
      view.dispatch({ selection: { anchor: place.from }, effects: EditorView.scrollIntoView(place.from, { y: "center" }) });
      view.focus();
    },
    focus: () => view.focus(),
    remove: () => view.destroy(),
  };
}
