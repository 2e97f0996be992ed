// The verdict, and what it guarantees, in words.
import { plural } from "./dom";
import type { Answer } from "./types";

export interface Told {
  verdict: string;
  word: string;
  headline: string;
  guarantee: string;
  /** What to try next: its words, and the options to run again with. */
  next?: { words: string; options: Record<string, string> };
}

const WORDS: Record<string, string> = { holds: "HOLDS", "holds-within": "HOLDS WITHIN", violated: "VIOLATED", unknown: "UNKNOWN" };
const MEANINGS: Record<string, string> = {
  assertions: "assertions hold",
  races: "no data races",
  memory: "no memory errors",
  locks: "locks are used correctly",
  deadlock: "no deadlock",
  termination: "every wait ends",
  exits: "the process ends with 0",
  condition: "the condition is satisfied",
  errors: "no error state is reached",
  claims: "the formula is true of all runs",
  linearizability: "linearizable",
};

export function tell(answer: Answer, options: Record<string, string>, seconds: number): Told {
  const verdict = answer.verdict ?? "unknown";
  const told: Told = { verdict, word: answer.verdict ? WORDS[verdict] : "EXPLORED", headline: "", guarantee: "" };
  const unchecked = answer.unchecked.length ? ` Not checked: ${answer.unchecked.join(", ")}.` : "";
  switch (verdict) {
    case "violated":
      told.headline = violated(answer);
      told.guarantee = guaranteeOfViolation(answer);
      break;
    case "holds":
      told.headline = holds(answer);
      told.guarantee = answer.guarantee.startsWith("all ")
        ? `**membar explored every execution that ${answer.model} allows.**${answer.notes.some((note) => /truncated/.test(note)) ? "" : " No loop was truncated."}${unchecked}`
        : `${sentence(answer.guarantee)}.${unchecked}`;
      break;
    case "holds-within":
      told.headline = answer.bound ?? "";
      told.guarantee = `Every execution within the bound is correct. ${/buffer/.test(answer.bound ?? "") ? "Fuller buffers" : "Longer runs"} were not explored.${unchecked}`;
      told.next = nextBound(answer, options);
      break;
    default:
      told.headline = sentence((answer.reason ?? "").replace(/^interrupted \(Ctrl-C\)/, "cancelled"));
      told.guarantee = unknown(answer) + unchecked;
      if (/time limit/.test(answer.reason ?? "")) {
        const longer = Math.min(600, Math.round(5 * seconds));
        told.next = { words: `Try ${longer} s`, options: { "--limit": `time=${longer}s` } };
      }
  }
  return told;
}

function violated(answer: Answer): string {
  const message = answer.findings.find((item) => item.property === answer.property)?.reason || (answer.witness && "message" in answer.witness ? answer.witness.message : "") || "";
  const assertion = message.match(/^(.*) fails \((?:line )?(.*?)\)$/);
  if (assertion) return `\`${assertion[1]}\` fails at ${/^\d+$/.test(assertion[2]) ? "line " : ""}${assertion[2]} under ${answer.model}`;
  if (answer.witness?.format === "membar-run") return `${plural(answer.witness.processes, "process", "processes")} reach an unsafe state under ${answer.model}`;
  if (answer.history) return `No order of the calls explains a history under ${answer.model}`;
  if (answer.property === "condition") return `The condition is not satisfied under ${answer.model}`;
  return `${sentence(message || answer.property)} under ${answer.model}`;
}

function guaranteeOfViolation(answer: Answer): string {
  const shown = answer.drawing || answer.witness ? " This execution was confirmed by an independent replay." : "";
  if (answer.guarantee.startsWith("all ")) {
    return shown ? `membar explored every execution that ${answer.model} allows.${shown}` : `membar explored every execution that ${answer.model} allows, and none has the outcome.`;
  }
  return `The search stopped at the first violation.${shown}`;
}

function holds(answer: Answer): string {
  const checked = answer.findings.filter((item) => item.verdict === "holds" && !item.warning).map((item) => item.property);
  if (checked.length === 1 && checked[0] === "condition") {
    const shown = answer.drawing ? "an execution shows it" : "no execution contradicts it";
    return `The condition is satisfied under ${answer.model}: ${shown}`;
  }
  return sentence(checked.map((name) => MEANINGS[name] ?? name).join(", "));
}

function unknown(answer: Answer): string {
  const undefinedWord = answer.reason?.match(/does not define/);
  if (undefinedWord) return "Choose a model that defines it, or change the program.";
  const counted = answer.statistics.executions ?? answer.statistics.classes;
  const states = answer.statistics.states;
  if (counted) return `membar explored ${plural(counted, "execution")} and found no violation. This is not a proof.`;
  if (states) return `membar explored ${plural(states, "state")} and found no violation. This is not a proof.`;
  return "Nothing was established.";
}

function nextBound(answer: Answer, options: Record<string, string>): Told["next"] {
  if (/buffer/.test(answer.bound ?? "")) return { words: "Try buffers of any length", options: { "--buffers": "unbounded" } };
  const now = Number(options["--unroll"] || options["--max-unroll"] || answer.bound?.match(/\d+/)?.[0] || 4);
  return { words: `Try ${2 * now}`, options: { "--unroll": "", "--max-unroll": String(2 * now) } };
}

/** A text with a capital at its beginning. */
export function sentence(text: string): string {
  return text && /^[a-z]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}
