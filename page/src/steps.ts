// What each step of a run means, in words. Everything comes from the drawing's own data.
import type { DrawingData, DrawnEvent, DrawnStep } from "./types";
import { sentence } from "./words";

/** A sentence in parts: `now` is marked yellow. */
export interface Sentence {
  now: string;
  rest: string;
}

export class Run {
  readonly events = new Map<number, DrawnEvent>();
  private readonly sources = new Map<number, number>();
  private readonly missed = new Map<number, number[]>();
  /** The step, from 1, at which an event is performed, and at which it reaches memory. */
  readonly performed = new Map<number, number>();
  readonly flushed = new Map<number, number>();

  constructor(readonly data: DrawingData) {
    for (const event of data.events) this.events.set(event.id, event);
    for (const [write, read] of data.edges.rf ?? []) this.sources.set(read, write);
    for (const [read, write] of data.edges.fr ?? []) this.missed.set(read, [...(this.missed.get(read) ?? []), write]);
    data.steps.forEach((step, at) => {
      for (const id of step.events) {
        if (step.action === "flush") this.flushed.set(id, at + 1);
        else if (step.action === "issue") this.performed.set(id, at + 1);
      }
    });
  }

  get length(): number {
    return this.data.steps.length;
  }

  get hasMemory(): boolean {
    return this.data.steps.some((step) => step.memory !== undefined);
  }

  get hasBuffers(): boolean {
    return this.hasMemory && this.data.machine !== "sc";
  }

  event(id: number): DrawnEvent {
    return this.events.get(id)!;
  }

  thread(index: number): string {
    return index < 0 ? "init" : this.data.threads[index];
  }

  source(read: number): DrawnEvent | undefined {
    const id = this.sources.get(read);
    return id === undefined ? undefined : this.events.get(id);
  }

  /** The writes that a read does not see although they were made before it, at some step. */
  notSeen(read: number, step: number): DrawnEvent[] {
    return (this.missed.get(read) ?? [])
      .map((id) => this.event(id))
      .filter((write) => {
        const made = this.performed.get(write.id);
        return made !== undefined && made < step && write.thread !== this.event(read).thread;
      });
  }

  /** The steps at which a read misses a write that was already made. */
  strangeSteps(): number[] {
    return this.data.steps.flatMap((step, at) =>
      step.action === "issue" && step.events.some((id) => this.notSeen(id, at + 1).length > 0) ? [at + 1] : [],
    );
  }

  /** Where the slider begins: at the first strange step, else at the end. */
  firstStep(): number {
    return this.strangeSteps()[0] ?? this.length;
  }

  /** The stores that wait in buffers after a step. */
  waiting(step: number): Set<number> {
    return new Set(step > 0 ? (this.data.steps[step - 1].buffers ?? []).flat() : []);
  }

  sentence(number: number): Sentence {
    const { now, rest } = this.told(number);
    return { now, rest: rest + this.ending(number) };
  }

  /** What is said besides: where the repeated part of a run begins and ends, and what is wrong in the end. */
  private ending(number: number): string {
    const { cycle, message } = this.data;
    const repeats = cycle !== undefined && cycle < this.length;
    const begins = repeats && number === cycle + 1 ? " From this step on, everything repeats." : "";
    if (number !== this.length || !number || this.data.steps[number - 1].action === "fail") return begins;
    const goesOn = cycle === undefined ? "" : repeats ? ` Then it goes back to before step ${cycle + 1}, again and again.` : " After that, nothing reaches shared memory any more.";
    return `${begins}${goesOn}${message ? ` ${sentence(message)}.` : ""}`;
  }

  private told(number: number): Sentence {
    if (number <= 0 || !this.length) return { now: "", rest: "Nothing has happened yet: every location has its initial value." };
    const step = this.data.steps[number - 1];
    const events = step.events.map((id) => this.event(id)).filter((event) => !event.internal);
    const who = `**${this.thread(step.thread)}**`;
    if (step.action === "fail") return this.failure(step, who);
    if (!events.length) return { now: `${who} goes on`, rest: "." };
    if (step.action === "flush") {
      const store = events[0];
      return {
        now: `${who}’s store of \`${name(store)}\` reaches memory`,
        rest: `${at(store)}. From now on all threads see it.`,
      };
    }
    const read = events.find((event) => event.kind === "R");
    const write = events.find((event) => event.kind === "W");
    const memory = lifetime(write ?? read);
    if (memory) return { now: `${who} ${write ? (write.value === "ended" ? "ends the lifetime of" : "begins the lifetime of") : "uses"} \`${memory}\``, rest: `${at((write ?? read)!)}${!write && read?.value === "ended" ? ", which has ended" : ""}.` };
    if (read && write && read.location === write.location) {
      return {
        now: `${who} changes \`${read.location}\` from \`${read.value}\` to \`${write.value}\` in one step`,
        rest: `${at(read)}.${this.missing(read, number)}`,
      };
    }
    if (write) return this.store(step, write, who);
    if (read) return this.read(read, who, number);
    return this.fence(events[0], step, who);
  }

  private store(step: DrawnStep, write: DrawnEvent, who: string): Sentence {
    const now = `${who} stores \`${name(write)}\``;
    if (!this.hasMemory) return { now, rest: `${at(write)}.` };
    if ((step.buffers ?? []).flat().includes(write.id)) {
      return { now, rest: `${at(write)}. The store waits in ${this.thread(step.thread)}’s store buffer; no other thread can see it yet.` };
    }
    return { now, rest: `${at(write)}. It goes to memory at once.` };
  }

  private read(read: DrawnEvent, who: string, number: number): Sentence {
    const source = this.source(read.id);
    let where = "";
    if (this.hasBuffers && source) {
      const before = this.waiting(number);
      where = source.thread === read.thread && before.has(source.id) ? " from its own store buffer" : " from memory";
    }
    let origin = "";
    if (!this.hasMemory && source) {
      origin = source.thread < 0 ? ", the initial value" : source.thread === read.thread ? ", its own store" : `, which **${this.thread(source.thread)}** stored${at(source)}`;
    }
    return { now: `${who} reads \`${name(read)}\`${where}`, rest: `${at(read)}${origin}.${this.missing(read, number)}` };
  }

  private missing(read: DrawnEvent, number: number): string {
    return this.notSeen(read.id, number)
      .map((write) => {
        const who = this.thread(write.thread);
        const seen = ` It does not see the \`${write.value}\` that **${who}** stored${at(write, " at ")}`;
        return this.waiting(number).has(write.id) ? `${seen}: that store is still waiting in ${who}’s store buffer.` : `${seen}${this.reordered(read.id, write.id)}.`;
      })
      .join("");
  }

  /** The accesses of one thread whose order the model does not keep, so that a read misses a write. */
  private reordered(read: number, write: number): string {
    const found = this.data.reordered?.find((one) => one.read === read && one.write === write);
    if (!found) return "";
    const [first, second] = [this.event(found.first), this.event(found.second)];
    const [one, other] = [first, second].map((event) => (event.line !== undefined ? `line ${event.line}` : event.place ?? ""));
    const isApart = one && other && one !== other;
    const lines = first.line !== undefined && second.line !== undefined ? `lines ${first.line} and ${second.line}` : `${one} and ${other}`;
    const words = isApart ? lines : `\`${cardText([first])}\` and \`${cardText([second])}\`${one && one === other ? ` (${one})` : ""}`;
    return `: ${this.data.model ?? "the model"} does not keep ${words} of **${this.thread(first.thread)}** in order`;
  }

  private fence(fence: DrawnEvent, step: DrawnStep, who: string): Sentence {
    const own = step.buffers?.[step.thread] ?? [];
    const tags = fence.tags?.join(" ") || fence.text || "";
    if (this.hasBuffers && !own.length && /MFENCE|FLUSH/.test(tags)) {
      return { now: `${who} waits until its store buffer is empty`, rest: `${at(fence)}.` };
    }
    return { now: `${who} passes the fence \`${fence.text ?? tags}\``, rest: `${at(fence)}.` };
  }

  private failure(step: DrawnStep, who: string): Sentence {
    const message = this.data.message ?? "";
    const assertion = message.match(/^(.*?) fails\b/)?.[1];
    const place = this.data.failing_line ? `line ${this.data.failing_line}` : this.data.failing_place;
    const where = place ? ` (${place})` : "";
    const reads = step.events.map((id) => this.event(id)).map((read) => {
      const source = this.source(read.id);
      const origin = !source || source.thread < 0 ? "the initial value" : `which **${this.thread(source.thread)}** stored${at(source, " at ")}`;
      const memory = lifetime(read);
      if (memory) return `${who} uses \`${memory}\`, whose lifetime **${this.thread(source?.thread ?? -1)}** has ended${source ? at(source, " at ") : ""}`;
      return `${who} has read \`${name(read)}\`, ${origin}`;
    });
    const now = assertion ? `\`${assertion}\` fails` : sentence(message) || "This is where it goes wrong";
    return { now, rest: `${now.endsWith(where) ? "" : where}${reads.length ? `: ${reads.join("; ")}` : ""}.` };
  }
}

/** The memory whose lifetime an event is about. */
function lifetime(event: DrawnEvent | undefined): string | undefined {
  return event?.location?.match(/^lifetime\((.*)\)$/)?.[1];
}

export function name(event: DrawnEvent): string {
  return `${event.location} = ${event.value}`;
}

/** ` (line 5)`, or ` at line 5`. */
export function at(event: DrawnEvent, word = ""): string {
  const where = event.line !== undefined ? `line ${event.line}` : event.place;
  if (!where) return "";
  return word ? `${word}${where}` : ` (${where})`;
}

/** A sentence without its marks, for screen readers. */
export function plain(sentence: Sentence): string {
  return (sentence.now + sentence.rest).replace(/[`*]/g, "");
}

/** What an event does, short enough for a card. */
export function cardText(events: DrawnEvent[]): string {
  const [first, second] = events;
  if (second) return `${first.location}: ${first.value} ⇒ ${second.value}`;
  if (first.kind === "F") return first.text && first.text.length <= 22 ? first.text : (first.tags ?? []).join(" ") || "fence";
  return `${first.location} ${first.kind === "R" ? "→" : "←"} ${first.value}`;
}
