// Requests to membar serve: each is answered by a stream of events.
import type { Contents, Result } from "./types";

export interface Asked {
  kind: "check" | "compare" | "explain" | "repair" | "syntax";
  name: string;
  text: string;
  model?: string;
  model_text?: string;
  models?: string[];
  options?: Record<string, string>;
  outcome?: Record<string, number | string>;
  weaken?: boolean;
}

export class ServerLost extends Error {}
export class Refused extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export interface Progress {
  seconds: number;
  text: string;
}

/** A request on its way. */
export class Job {
  private name = "";
  private isCancelled = false;
  private readonly stop = new AbortController();
  readonly result: Promise<Result>;

  constructor(asked: Asked, progress: (told: Progress) => void = () => undefined) {
    this.result = this.run(asked, progress);
  }

  /** Stops the search; what was found so far is the answer. */
  cancel(): void {
    this.isCancelled = true;
    if (this.name) void fetch("/api/cancel", post({ job: this.name })).catch(() => undefined);
  }

  /** Forgets the request: its process is ended. */
  drop(): void {
    this.stop.abort();
  }

  private async run(asked: Asked, progress: (told: Progress) => void): Promise<Result> {
    const answer = await reach(() => fetch("/api/run", { ...post(asked), signal: this.stop.signal }));
    if (!answer.ok) throw new Refused(await reason(answer), answer.status);
    if (!answer.body) throw new ServerLost();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const part = await reach(() => reader.read());
      if (part.done) throw new ServerLost();
      text += part.value;
      let end: number;
      while ((end = text.indexOf("\n\n")) >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = block.match(/^event: (.*)$/m)?.[1];
        const data = JSON.parse(block.match(/^data: (.*)$/m)?.[1] ?? "null");
        if (event === "job") {
          this.name = data.job;
          if (this.isCancelled) this.cancel();
        } else if (event === "progress") progress(data);
        else if (event === "refused") throw new Refused(data.message, 400);
        else if (event === "answer") return data;
      }
    }
  }
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function reach<T>(what: () => Promise<T>): Promise<T> {
  try {
    return await what();
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ServerLost();
  }
}

async function reason(answer: Response): Promise<string> {
  try {
    return (await answer.json()).message;
  } catch {
    return `membar serve answered with ${answer.status}`;
  }
}

/** Asks whether the server would take a question, without an answer to it. */
export async function checkQuestion(asked: Asked): Promise<void> {
  const answer = await reach(() => fetch("/api/question", post(asked)));
  if (!answer.ok) throw new Refused(await reason(answer), answer.status);
}

export async function contents(): Promise<Contents> {
  const answer = await reach(() => fetch("/api/start"));
  if (!answer.ok) throw new Refused(await reason(answer), answer.status);
  return answer.json();
}

export async function isAlive(): Promise<boolean> {
  try {
    return (await fetch("/api/alive", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
