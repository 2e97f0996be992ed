// A program and its question in the fragment of an address: it never leaves the browser.

export interface Shared {
  name: string;
  text: string;
  model?: string;
  modelText?: string;
  options?: Record<string, string>;
}

export const LONGEST_LINK = 32_000;
const LARGEST = 4_000_000; // bytes of what a link may hold: some links are made to fill the memory

export async function encode(shared: Shared): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return `p=${btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

export async function decode(fragment: string): Promise<Shared | null> {
  const found = fragment.match(/^#?p=([\w-]+)$/);
  if (!found) return null;
  try {
    const binary = atob(found[1].replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return asShared(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))));
  } catch {
    return null;
  }
}

/** What somebody else wrote as a program and its question; null if it is none. */
export function asShared(found: unknown): Shared | null {
  const { name, text, model, modelText, options } = (found ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof text !== "string") return null;
  const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const given = typeof options === "object" && options !== null ? Object.entries(options) : [];
  return { name, text, model: word(model), modelText: word(modelText), options: Object.fromEntries(given.filter(([, value]) => typeof value === "string")) };
}

async function through(bytes: Uint8Array, transform: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>);
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > LARGEST) {
      await reader.cancel();
      throw new RangeError("too large");
    }
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}
