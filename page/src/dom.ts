// Small helpers for elements.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

function fill(element: Element, props: Props, children: Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "value" && "value" in element) {
      (element as HTMLInputElement).value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) if (child) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, props, children);
  return element;
}

/** `code` in backquotes as elements; the rest is text. */
export function rich(text: string): Node[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter(Boolean).map((part) => {
    if (part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return h("strong", {}, part.slice(2, -2));
    return document.createTextNode(part);
  });
}

/** Moves the focus through a list by the arrow keys. */
export function moveFocus(list: HTMLElement, event: KeyboardEvent, items: string): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const found = [...list.querySelectorAll<HTMLElement>(items)];
  found[(found.indexOf(document.activeElement as HTMLElement) + by + found.length) % found.length]?.focus();
}

/** Disables a button, with the reason as its description; without one it can be pressed. */
export function disable(button: HTMLButtonElement | HTMLSelectElement, reason: string, title = ""): void {
  button.disabled = reason !== "";
  button.title = reason || title;
}

export function plural(count: number, word: string, more = `${word}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? word : more}`;
}

const PATHS: Record<string, string> = {
  violated: "M7.5 1.5h9l6 6v9l-6 6h-9l-6-6v-9z",
  diamond: "M12 1.5 22.5 12 12 22.5 1.5 12z",
};

/** The shape of a verdict: never told by its colour alone. */
export function verdictIcon(verdict: string, size = 26): SVGElement {
  const icon = s("svg", { viewBox: "0 0 24 24", width: size, height: size, class: `icon ${verdict}`, "aria-hidden": "true" });
  if (verdict === "violated") {
    icon.append(s("path", { d: PATHS.violated, class: "solid" }), s("path", { d: "M8.2 8.2l7.6 7.6M15.8 8.2l-7.6 7.6", class: "sign" }));
  } else if (verdict === "holds") {
    icon.append(s("circle", { cx: 12, cy: 12, r: 10.5, class: "solid" }), s("path", { d: "M7 12.4l3.4 3.4L17 9", class: "sign" }));
  } else if (verdict === "holds-within") {
    icon.append(s("circle", { cx: 12, cy: 12, r: 9.8, class: "ring" }), s("path", { d: "M7.4 12.4l3.2 3.2 6-6.4", class: "line" }));
  } else if (verdict === "not-checked") {
    icon.append(s("path", { d: PATHS.diamond, class: "solid" }), s("path", { d: "M12 6.5v6.5M12 15.8v1.4", class: "sign" }));
  } else if (verdict === "unknown") {
    icon.append(s("path", { d: PATHS.diamond, class: "outline" }), s("path", { d: "M9.6 9.6a2.5 2.5 0 1 1 3.4 2.4c-.7.3-1 .7-1 1.6M12 16.2v.6", class: "line" }));
  }
  return icon;
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
