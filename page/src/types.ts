// The parts of an answer's JSON that the page shows; docs/reference/answer.schema.json has all of it.

export type Pair = [number, number];

export interface DrawnEvent {
  id: number;
  thread: number;
  kind: "R" | "W" | "F";
  unit: number;
  location?: string;
  value?: string;
  text?: string;
  line?: number;
  span?: Pair;
  place?: string;
  tags?: string[];
  internal?: boolean;
}

export interface DrawnStep {
  thread: number;
  action: "issue" | "flush" | "fail";
  events: number[];
  buffers?: number[][];
  memory?: number[];
}

export interface DrawingData {
  threads: string[];
  events: DrawnEvent[];
  edges: Record<string, Pair[]>;
  steps: DrawnStep[];
  machine?: "sc" | "tso" | "pso" | "cam";
  /** How many stores a buffer holds, if that was bounded. */
  capacity?: number;
  message?: string;
  failing?: number[];
  failing_line?: number;
  /** The same in another file: `ring.h:12`. */
  failing_place?: string;
  /** The accesses that race. */
  racing?: number[];
  /** The number of steps before those that are repeated forever. */
  cycle?: number;
  model?: string;
  /** Accesses of one thread that the model does not keep in order; absent where that is not known. */
  reorderable?: Pair[];
  /** Why a read misses a write: two accesses of one thread whose order the model does not keep. */
  reordered?: { read: number; write: number; first: number; second: number }[];
}

/** Calls on a timeline: each from one column to another; `explained` are those that an order explains. */
export interface History {
  bars: { thread: number; text: string; first: number; last: number; pending?: boolean; explained?: boolean }[];
  before: Pair[];
  explanation: string[];
}

/** A run of some processes of a system for any number of them. */
export interface ProcessRun {
  format: "membar-run";
  processes: number;
  initial: [string, string][];
  steps: { processes: number[]; flush?: boolean; name?: string; reads?: [string, string][]; chosen?: [string, string][]; memory: [string, string][]; buffers: [string, string][][][] }[];
}

/** An obligation of a proof that was not discharged: what is so before the step and after it. */
export interface Obligation {
  number: number;
  step: string;
  problem?: string;
  thread?: string;
  other?: string;
  before: Record<string, number>;
  after: Record<string, number>;
}

export interface Finding {
  property: string;
  verdict: string;
  reason: string;
  warning?: boolean;
  claim?: string;
}

export interface Answer {
  file: string;
  verdict?: "holds" | "holds-within" | "violated" | "unknown";
  guarantee: string;
  model: string;
  engine: string;
  algorithm: string;
  property: string;
  findings: Finding[];
  unchecked: string[];
  flags: string[];
  notes: string[];
  reason?: string;
  bound?: string;
  statistics: Record<string, number>;
  positive?: number;
  negative?: number;
  outcomes?: Outcome[];
  witness?: { format: "membar-witness"; message?: string } | ProcessRun;
  history?: History;
  obligation?: Obligation;
  discharged?: { number: number; count: number }[];
  invariants?: string;
  drawing?: DrawingData;
  explanation?: Explanation;
}

export type Outcome = Record<string, number | string>;

export interface Broken {
  axiom: string;
  demand: string;
  is_cycle: boolean;
  edges: { source: number; target: number; relation: string }[];
}

export interface Explanation {
  outcome: string;
  allowed?: boolean;
  reason?: string;
  broken?: Broken[];
  drawing?: DrawingData;
}

export interface InputProblem {
  code: string;
  message: string;
  file?: string;
  line?: number;
  column?: number;
  span?: Pair;
  expected?: string;
  help?: string;
  replacement?: string;
}

export interface Change {
  line: number;
  place: string;
  was: string;
  becomes: string;
  cost: number;
  prevents: Answer | null;
}

export interface Repair {
  result: string;
  reason?: string;
  model?: string;
  changes?: Change[];
  cost?: number;
  minimal?: boolean;
  lower_bound?: number;
  checked?: number;
  undecided?: number;
  verdict?: string;
  guarantee?: string;
  flags?: string[];
  patch?: string;
  interrupted?: boolean;
}

/** What the server sends at the end of a request. */
export interface Result {
  kind: string;
  answer?: Answer;
  text?: string;
  svg?: string;
  columns?: Answer[];
  explanation?: Explanation;
  model?: string;
  repair?: Repair;
  repaired?: string | null;
  errors?: { errors: InputProblem[]; text: string };
  ended?: string;
  seconds?: number;
}

export interface Contents {
  version: string;
  models: { name: string; group: string; title: string }[];
  properties: { name: string; title: string }[];
  options: { name: string; menu: string; label: string; help: string; placeholder: string; choices: string[] }[];
  languages: { ending: string; name: string }[];
  off: Record<string, string>;
  examples: Example[];
  seconds: number;
  longest: number;
  most_models: number;
}

export interface Example {
  group: string;
  name: string;
  title: string;
  expected: Record<string, string>;
  text: string;
}
