// Highlighting of the languages that CodeMirror does not know: keywords, strings, comments; nothing else.
import type { StreamParser } from "@codemirror/language";

interface State {
  comment: string;
}

function words(keywords: string, comments: { open?: string; close?: string; line?: string }): StreamParser<State> {
  const known = new Set(keywords.split(" "));
  return {
    startState: () => ({ comment: "" }),
    token(stream, state) {
      if (state.comment) {
        if (stream.skipTo(state.comment)) {
          stream.match(state.comment);
          state.comment = "";
        } else stream.skipToEnd();
        return "comment";
      }
      if (comments.line && stream.match(comments.line)) {
        stream.skipToEnd();
        return "comment";
      }
      if (comments.open && stream.match(comments.open)) {
        state.comment = comments.close!;
        return "comment";
      }
      if (stream.match(/^"[^"]*"?/)) return "string";
      const word = stream.match(/^[~\w][\w-]*/) as RegExpMatchArray | null;
      if (word) return known.has(word[0]) ? "keyword" : null;
      stream.next();
      return null;
    },
  };
}

const ML = { open: "(*", close: "*)" };
const C = { open: "/*", close: "*/", line: "//" };

export const STREAMS: Record<string, StreamParser<State>> = {
  litmus: words("exists forall ~exists locations filter int atomic_int volatile if else while do for return", ML),
  cat: words("let rec and acyclic irreflexive empty as include show unshow procedure call end fun in match with flag enum instructions default undefined_unless", ML),
  promela: words(
    "active proctype init if fi do od goto break skip else atomic d_step assert printf bit bool byte short int chan mtype of run never accept ltl inline typedef unless timeout true false for select xr xs hidden local show",
    C,
  ),
  dve: words("process byte int state init trans guard effect sync assert system async commit accept channel const", C),
  cubicle: words("type var array proc init unsafe transition requires const invariant bool int real case forall_other exists_other number_procs", ML),
  object: words("object shared local operation invariant abstract step atomic if else while do goto return await and or not true false", C),
  plain: words("", C),
};
