// What is being asked: the program, the model and the options; kept in the browser between visits.

export interface Program {
  name: string;
  text: string;
}

export class State {
  program: Program = { name: "untitled.c", text: "" };
  model = "";
  modelText = "";
  options: Record<string, string> = {};

  save(): void {
    try {
      localStorage.setItem("membar", JSON.stringify({ program: this.program, model: this.model, modelText: this.modelText, options: this.options }));
    } catch {
      // private windows may keep nothing
    }
  }

  load(): void {
    try {
      const saved = JSON.parse(localStorage.getItem("membar") ?? "null");
      if (typeof saved?.program?.text === "string" && typeof saved?.program?.name === "string") Object.assign(this, saved);
    } catch {
      // what was kept is of no use
    }
  }

  get ending(): string {
    return this.program.name.slice(this.program.name.lastIndexOf("."));
  }
}

/** The language of a text that was pasted, by how it begins; the ending of its name. */
export function guessEnding(text: string): string | null {
  const code = text.replace(/\(\*[\s\S]*?\*\)|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").trimStart();
  if (/^\s*(X86|X86_64|PPC|ARM|AArch64|RISCV|MIPS|C|LISA)\b[^\n;{]*\n/.test(code) && /(exists|forall|locations)/.test(code)) return ".litmus";
  if (/^\s*#\s*include\b|\bint\s+main\s*\(/m.test(code)) return ".c";
  if (/\b(proctype|mtype|ltl\s+\w+\s*\{)/.test(code)) return ".pml";
  if (/^\s*object\s+\w+\s*;/m.test(code)) return ".obj";
  if (/^\s*process\s+\w+\s*\{/m.test(code)) return ".dve";
  if (/^\s*transition\s+\w+\s*\(/m.test(code) || /^\s*unsafe\s*\(/m.test(code)) return ".cub";
  return null;
}
