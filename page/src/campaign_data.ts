// The results of a campaign as the server sends them: one character per cell. Filters, counts, order.

/** How a run stands; docs/reference/store.md says what each word means. */
export type RunState = "running" | "complete" | "interrupted" | "failed" | "killed";

export interface RunInfo {
  id: number;
  version: string;
  build: string;
  command: string;
  started: string;
  ended: string | null;
  state: RunState;
  tests: number;
  cells: number;
  answered: number;
}

export interface Overview {
  store: string | null; // null: the server was started without one
  message?: string;
  runs: RunInfo[];
  run?: number;
  started: string;
  last: number;
  models: [string, string][];
  names: string[];
  languages: string[];
  language: string;
  cells: string;
  totals: string;
  reasons: string[];
}

export interface Changes {
  again?: boolean;
  last: number;
  cells: [number, number, string][];
  reasons: string[];
  ended: string | null;
  state: RunState;
  answered: number;
  runs: number;
}

export interface TestDetail {
  path: string;
  name: string;
  language: string;
  text: string;
  answers: { model: string; model_text: string; outcome: string; verdict: string; final_states: number; reason: string; seconds: number; differs: string | null }[];
}

/** Over all tests, whatever is shown. */
export interface Counts {
  unanswered: number;
  reasons: [string, number][];
  unexpected: number;
  changed: number;
  hasWithin: boolean;
  hasUndefined: boolean;
}

/** What is shown of a table; all of it is in the address. */
export interface Filter {
  name: string;
  tests: string;
  family: string;
  differ: [string, string] | null;
  unanswered: string | null; // "": for any reason
  unexpected: boolean;
  changed: boolean;
  sort: string; // "": by name; `time`, or a model; with `-` before it: the other way round
  times: boolean;
}

export const EVERYTHING: Filter = { name: "", tests: "", family: "", differ: null, unanswered: null, unexpected: false, changed: false, sort: "", times: false };

const FIRST_REASON = 0x100;
const FIRST_TIME = 0x5d;
export const [UNKNOWN, ALLOWED, FORBIDDEN, UNDEFINED] = [0, 1, 2, 3];

/** What a cell says: `UNKNOWN` if it has no answer. Forbidden within a bound is forbidden. */
export function outcomeOf(code: number): number {
  switch (code | 32) {
    case 97: return ALLOWED; // a
    case 102: // f
    case 119: return FORBIDDEN; // w
    case 117: return UNDEFINED; // u
    default: return UNKNOWN;
  }
}

export const isUnanswered = (code: number): boolean => code >= FIRST_REASON;
export const isUnexpected = (code: number): boolean => code >= 97 && code <= 122;
export const seconds = (code: number): number => 1e-4 * 1.18 ** (code - FIRST_TIME);

/** MP of MP+dmb.sy+addr, 2+2W of 2+2W+poxxs, W+RWC of W+RWC+poxxs, DETOUR of DETOUR0238. */
export function familyOf(name: string): string {
  const parts = name.split("+");
  let family = parts[0].replace(/(?<=^[A-Za-z])\d+$|\d{2,}$/, "").replace(/-+$/, "") || "numbered";
  for (const part of parts.slice(1)) {
    if (!/^\d?[RW]+C?$/.test(part)) break;
    family += `+${part}`;
  }
  return family;
}

export class Table {
  readonly width: number;
  readonly size: number;
  readonly cells: Uint16Array;
  readonly totals: Uint16Array;
  readonly families: string[];
  readonly language: Uint8Array;
  times: Uint16Array | null = null;
  other: Uint16Array | null = null;
  reasons: string[];
  last: number;
  readonly ofLanguage: Int32Array; // how many tests each language has
  private readonly lower: string[];
  private readonly byName: Uint32Array;
  private readonly rank: Uint32Array; // where a test stands in `byName`

  constructor(readonly data: Overview) {
    this.width = data.models.length;
    this.size = data.names.length;
    this.cells = codes(data.cells);
    this.totals = codes(data.totals);
    this.reasons = data.reasons;
    this.last = data.last;
    this.families = data.names.map(familyOf);
    this.lower = data.names.map((name) => name.toLowerCase());
    this.language = Uint8Array.from(data.language, (character) => character.charCodeAt(0) - 65);
    const order = [...data.names.keys()];
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    const familyRank = new Map([...new Set(this.families)].sort(compare).map((family, n) => [family, n]));
    const ranks = this.families.map((family) => familyRank.get(family)!);
    const place = Uint32Array.from(order);
    [...order].sort((a, b) => (data.names[a] < data.names[b] ? -1 : data.names[a] > data.names[b] ? 1 : a - b)).forEach((test, n) => (place[test] = n));
    this.byName = Uint32Array.from(order.sort((a, b) => this.language[a] - this.language[b] || ranks[a] - ranks[b] || place[a] - place[b]));
    this.rank = new Uint32Array(this.size);
    this.byName.forEach((test, n) => (this.rank[test] = n));
    this.ofLanguage = new Int32Array(data.languages.length);
    for (const one of this.language) this.ofLanguage[one]++;
  }

  model(name: string): number {
    return this.data.models.findIndex(([one]) => one === name);
  }

  at(test: number, model: number): number {
    return this.cells[test * this.width + model];
  }

  reason(code: number): string {
    return this.reasons[code - FIRST_REASON] ?? "";
  }

  apply(changes: Changes): void {
    for (const [test, model, sign] of changes.cells) this.cells[test * this.width + model] = sign.charCodeAt(0);
    this.reasons = changes.reasons;
    this.last = changes.last;
  }

  /** On how many tests two models differ that both answered: by first and second model. */
  differences(): Int32Array {
    const { width, size, cells } = this;
    const found = new Int32Array(width * width);
    const row = new Uint8Array(width);
    for (let test = 0; test < size; test++) {
      let seen = 0;
      for (let n = 0; n < width; n++) {
        row[n] = outcomeOf(cells[test * width + n]);
        seen |= 1 << row[n];
      }
      if ((seen & 14) === 2 || (seen & 14) === 4 || (seen & 14) === 8) continue; // all say the same
      for (let a = 0; a < width; a++) {
        if (row[a] === UNKNOWN) continue;
        for (let b = a + 1; b < width; b++) if (row[b] !== UNKNOWN && row[a] !== row[b]) found[a * width + b]++;
      }
    }
    return found;
  }

  /** How many tests lack an answer, and for which reasons; how many are not as expected, or changed. */
  counts(): Counts {
    const { width, size, cells, other } = this;
    const byReason = new Map<number, number>();
    let [unanswered, unexpected, changed] = [0, 0, 0];
    let [hasWithin, hasUndefined] = [false, false];
    for (let test = 0; test < size; test++) {
      const reasons = new Set<number>();
      let [isUnlike, isChanged] = [false, false];
      for (let n = test * width; n < (test + 1) * width; n++) {
        const code = cells[n];
        if (isUnanswered(code)) reasons.add(code);
        else if (isUnexpected(code)) isUnlike = true;
        hasWithin ||= (code | 32) === 119;
        hasUndefined ||= (code | 32) === 117;
        if (other && hasChanged(code, other[n])) isChanged = true;
      }
      if (reasons.size) unanswered++;
      for (const code of reasons) byReason.set(code, (byReason.get(code) ?? 0) + 1);
      if (isUnlike) unexpected++;
      if (isChanged) changed++;
    }
    const reasons = [...byReason].sort((a, b) => b[1] - a[1]).map(([code, count]): [string, number] => [this.reason(code), count]);
    return { unanswered, reasons, unexpected, changed, hasWithin, hasUndefined };
  }

  hasChanged(test: number, model: number): boolean {
    const n = test * this.width + model;
    return this.other !== null && hasChanged(this.cells[n], this.other[n]);
  }

  /** The tests that a filter leaves, in its order. */
  select(filter: Filter): Uint32Array {
    const { width, cells, other } = this;
    const words = filter.name.toLowerCase().split(/\s+/).filter(Boolean);
    const language = filter.tests ? this.data.languages.indexOf(filter.tests) : -1;
    const [a, b] = filter.differ?.map((name) => this.model(name)) ?? [-1, -1];
    const reason = filter.unanswered ? this.reasons.indexOf(filter.unanswered) + FIRST_REASON : 0;
    const found = new Uint32Array(this.size);
    let count = 0;
    for (const test of this.byName) {
      if (language >= 0 && this.language[test] !== language) continue;
      if (filter.family && this.families[test] !== filter.family) continue;
      if (words.length && !words.every((word) => this.lower[test].includes(word))) continue;
      const start = test * width;
      if (filter.differ) {
        const [one, two] = [outcomeOf(cells[start + a]), outcomeOf(cells[start + b])];
        if (one === UNKNOWN || two === UNKNOWN || one === two) continue;
      }
      if (filter.unanswered !== null && !some(cells, start, width, reason ? (code) => code === reason : isUnanswered)) continue;
      if (filter.unexpected && !some(cells, start, width, isUnexpected)) continue;
      if (filter.changed && other) {
        let isChanged = false;
        for (let n = start; n < start + width; n++) isChanged ||= hasChanged(cells[n], other[n]);
        if (!isChanged) continue;
      }
      found[count++] = test;
    }
    const shown = found.slice(0, count);
    return filter.sort ? this.sorted(shown, filter) : shown;
  }

  private sorted(tests: Uint32Array, filter: Filter): Uint32Array {
    const sign = filter.sort.startsWith("-") ? -1 : 1;
    const column = filter.sort.replace(/^-/, "");
    const model = this.model(column);
    const value = (test: number): number => {
      if (column === "time") return -this.totals[test];
      if (model < 0) return 0;
      if (filter.times) return -(this.times?.[test * this.width + model] ?? 0);
      const code = this.at(test, model);
      return [3, 0, 1, 2][outcomeOf(code)] + (isUnanswered(code) ? 0.5 : 0);
    };
    const values = new Float32Array(this.size);
    for (const test of tests) values[test] = sign * value(test);
    return tests.sort((x, y) => values[x] - values[y] || this.rank[x] - this.rank[y]);
  }
}

function hasChanged(now: number, before: number): boolean {
  const [one, two] = [outcomeOf(now), outcomeOf(before)];
  return one !== UNKNOWN && two !== UNKNOWN && one !== two;
}

function some(cells: Uint16Array, start: number, width: number, is: (code: number) => boolean): boolean {
  for (let n = start; n < start + width; n++) if (is(cells[n])) return true;
  return false;
}

export function codes(text: string): Uint16Array {
  const found = new Uint16Array(text.length);
  for (let n = 0; n < text.length; n++) found[n] = text.charCodeAt(n);
  return found;
}

/** Filter, run and test in the fragment of an address. */
export function toAddress(filter: Filter, run: number | null, other: number | null, test: number | null): string {
  const words = new URLSearchParams();
  if (run !== null) words.set("run", String(run));
  if (other !== null) words.set("with", String(other));
  for (const key of ["name", "tests", "family", "sort"] as const) if (filter[key]) words.set(key, filter[key]);
  if (filter.differ) words.set("differ", filter.differ.join(","));
  if (filter.unanswered !== null) words.set("unanswered", filter.unanswered || "all");
  for (const key of ["unexpected", "changed", "times"] as const) if (filter[key]) words.set(key, "yes");
  if (test !== null) words.set("test", String(test));
  const text = words.toString();
  return `#campaign${text ? `?${text}` : ""}`;
}

export function fromAddress(fragment: string): { filter: Filter; run: number | null; other: number | null; test: number | null } {
  const words = new URLSearchParams(fragment.split("?").slice(1).join("?"));
  const number = (key: string): number | null => (/^\d{1,12}$/.test(words.get(key) ?? "") ? Number(words.get(key)) : null);
  const pair = (words.get("differ") ?? "").split(",");
  const unanswered = words.get("unanswered");
  const filter: Filter = {
    name: words.get("name") ?? "", tests: words.get("tests") ?? "", family: words.get("family") ?? "", sort: words.get("sort") ?? "",
    differ: pair.length === 2 ? [pair[0], pair[1]] : null,
    unanswered: unanswered === "all" ? "" : unanswered,
    unexpected: words.has("unexpected"), changed: words.has("changed"), times: words.has("times"),
  };
  return { filter, run: number("run"), other: number("with"), test: number("test") };
}

export function timeText(time: number): string {
  if (time < 0.00095) return "<1 ms";
  if (time < 0.95) return `${Math.round(time * 1000)} ms`;
  if (time < 99.5) return `${time < 9.95 ? time.toFixed(1) : Math.round(time)} s`;
  return `${Math.round(time / 60)} min`;
}
