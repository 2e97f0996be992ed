// What is being asked: the program, the model and the options. Each tab of the browser keeps its own, and a
// new one begins with what was last changed in any.
import { type Shared, asShared } from "./share";

export interface Program {
  name: string;
  text: string;
}

export class State {
  program: Program = { name: "untitled.c", text: "" };
  model = "";
  modelText = "";
  options: Record<string, string> = {};
  private borrowed = "";

  /** Keeps it for this tab, and for new ones unless it is just what somebody else has shared. */
  save(): void {
    const text = this.packed;
    try {
      sessionStorage.setItem("membar", text);
      if (text !== this.borrowed) localStorage.setItem("membar", text);
    } catch {
      // private windows may keep nothing
    }
  }

  private get packed(): string {
    return JSON.stringify({ program: this.program, model: this.model, modelText: this.modelText, options: this.options });
  }

  load(): void {
    try {
      const { program, ...question } = JSON.parse(sessionStorage.getItem("membar") ?? localStorage.getItem("membar") ?? "{}");
      const saved = asShared({ ...program, ...question });
      if (saved) this.adopt(saved);
    } catch {
      // what was kept is of no use
    }
  }

  /** Takes over what somebody has shared. */
  borrow(shared: Shared): void {
    this.adopt(shared);
    this.borrowed = this.packed;
  }

  adopt(shared: Shared): void {
    this.program = { name: shared.name, text: shared.text };
    this.model = shared.model ?? "";
    this.modelText = shared.modelText ?? "";
    this.options = shared.options ?? {};
  }

  get ending(): string {
    return this.program.name.slice(this.program.name.lastIndexOf("."));
  }
}

/** The language of a text that was pasted, by how it begins; the ending of its name. */
export function guessEnding(text: string): string | null {
  const code = text.replace(/\(\*[\s\S]*?\*\)|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").trimStart();
  if (/^\s*(X86|X86_64|PPC|ARM|AArch64|RISCV|MIPS|C|LISA)\b[^\n;{]*\n/.test(code) && /(exists|forall|locations)/.test(code)) return ".litmus";
  if (/\bfn\s+main\s*\(|^\s*use\s+(?:std|loom|core)::/m.test(code)) return ".rs";
  if (/\bstd::|^\s*#\s*include\s*<(?:atomic|thread|mutex|cassert|memory)>|\btemplate\s*</m.test(code)) return ".cpp";
  if (/^\s*#\s*include\b|\bint\s+main\s*\(/m.test(code)) return ".c";
  if (/\b(proctype|mtype|ltl\s+\w+\s*\{)/.test(code)) return ".pml";
  if (/^\s*object\s+\w+\s*;/m.test(code)) return ".obj";
  if (/^\s*process\s+\w+\s*\{/m.test(code)) return ".dve";
  if (/^\s*transition\s+\w+\s*\(/m.test(code) || /^\s*unsafe\s*\(/m.test(code)) return ".cub";
  return null;
}
