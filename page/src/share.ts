// A program and its question in the fragment of an address: it never leaves the browser.

export interface Shared {
  name: string;
  text: string;
  model?: string;
  modelText?: string;
  options?: Record<string, string>;
}

export const LONGEST_LINK = 32_000;

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
    const shared = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return typeof shared?.name === "string" && typeof shared?.text === "string" ? shared : null;
  } catch {
    return null;
  }
}

async function through(bytes: Uint8Array, transform: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(stream as unknown as BodyInit).arrayBuffer());
}
