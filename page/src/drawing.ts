// The drawing of an execution: a column of cards per thread, edges between them, store buffers and memory below.
import { s } from "./dom";
import { Run, at, cardText, name } from "./steps";
import type { DrawingData, DrawnEvent, DrawnStep, Pair } from "./types";

export const RELATIONS: Record<string, { words: string; key: string; group: string }> = {
  po: { words: "order", key: "p", group: "po" },
  rf: { words: "read by", key: "r", group: "rf" },
  co: { words: "overwritten by", key: "c", group: "co" },
  fr: { words: "does not see", key: "f", group: "fr" },
  depends: { words: "depends", key: "d", group: "depends" },
};
const DEPENDENCIES = ["addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl"];

/** Which toggle an edge belongs to. */
export function groupOf(relation: string): string {
  return DEPENDENCIES.includes(relation) ? "depends" : relation;
}

/** The toggles that a drawing needs. */
export function groupsIn(data: DrawingData): string[] {
  const found = new Set(Object.keys(data.edges).map(groupOf));
  return Object.keys(RELATIONS).filter((group) => found.has(group));
}

export interface View {
  step: number;
  hidden: Set<string>;
  /** Events whose cards are outlined, because the pointer is on their line. */
  outlined?: Set<number>;
  /** Edges of a forbidden cycle, in their order. */
  cycle?: { source: number; target: number; relation: string }[];
  isNarrow?: boolean;
  gap?: number;
}

export interface Handlers {
  hover(events: number[] | null): void;
  choose(event: number): void;
}

interface Card {
  events: DrawnEvent[];
  thread: number;
  row: number;
  x: number;
  y: number;
}

const CARD_HEIGHT = 30;
const SLOT_HEIGHT = 22;
const MOST_SLOTS = 6;
const MOST_CELLS = 8;

export class Drawing {
  readonly run: Run;
  private readonly cards: Card[] = [];
  private readonly cardOf = new Map<number, Card>();
  private readonly columns: number[];

  constructor(readonly data: DrawingData, private readonly handlers: Handlers) {
    this.run = new Run(data);
    const shown = data.events.filter((event) => event.thread >= 0 && !event.internal);
    const paired = new Map([...(data.edges.amo ?? [])] as Pair[]);
    const taken = new Set<number>();
    for (const event of shown) {
      if (taken.has(event.id)) continue;
      const second = paired.get(event.id);
      const partner = second === undefined ? undefined : this.run.events.get(second);
      const events = partner && partner.location === event.location ? [event, partner] : [event];
      events.forEach((one) => taken.add(one.id));
      const card = { events, thread: event.thread, row: 0, x: 0, y: 0 };
      this.cards.push(card);
      events.forEach((one) => this.cardOf.set(one.id, card));
    }
    this.placeRows();
    // A thread that begins by waiting for others stands behind them.
    const first = (thread: number): number => (this.cards.find((card) => card.thread === thread)!.row > 0 ? 1 : 0);
    this.columns = [...new Set(this.cards.map((card) => card.thread))].sort((a, b) => first(a) - first(b) || a - b);
  }

  /** A thread's cards begin below what it waits for. */
  private placeRows(): void {
    const rank = (card: Card): number => this.run.performed.get(card.events[0].id) ?? this.data.steps.length + card.events[0].id;
    const waits = (this.data.edges.spawn ?? []) as Pair[];
    const next = new Map<number, number>();
    this.cards.sort((a, b) => rank(a) - rank(b) || a.events[0].id - b.events[0].id); // the keyboard follows the steps
    for (const card of this.cards) {
      let row = next.get(card.thread) ?? 0;
      for (const [before, after] of waits) {
        if (card.events.some((event) => event.id === after)) row = Math.max(row, (this.cardOf.get(before)?.row ?? -1) + 1);
      }
      card.row = row;
      next.set(card.thread, row + 1);
    }
  }

  /** The picture of one step. */
  render(view: View, available = 680): SVGSVGElement {
    const { run, data } = this;
    const narrow = view.isNarrow ?? false;
    const widest = Math.max(8, ...this.cards.map((card) => cardText(card.events).length));
    const width = narrow ? Math.max(view.cycle ? 96 : 142, widest * 8.2 + 42) : Math.max(150, widest * 8.15 + 42 + (run.hasBuffers ? 62 : data.racing?.length || data.failing?.length ? 20 : 0));
    const count = Math.max(this.columns.length, 1);
    const side = view.cycle ? (view.cycle.some((edge) => this.goesBack(edge)) && !narrow ? 92 : 30) : narrow ? 30 : count > 2 ? 50 : 62;
    const room = (available - 2 * side - count * width) / Math.max(count - 1, 1);
    const gutter = Math.min(Math.max(room, narrow && view.cycle && count > 2 ? 40 : narrow || count > 2 ? 46 : 84), 210);
    const gap = view.gap ?? 14;
    const total = Math.max(2 * side + count * width + (count - 1) * gutter, narrow ? 0 : 420);
    const left = (total - (count * width + (count - 1) * gutter)) / 2;
    const rows = 1 + Math.max(-1, ...this.cards.map((card) => card.row));
    const top = 30;
    const columnX = (thread: number): number => left + this.columns.indexOf(thread) * (width + gutter);
    for (const card of this.cards) {
      card.x = columnX(card.thread);
      card.y = top + card.row * (CARD_HEIGHT + gap);
    }
    const cardsEnd = top + rows * (CARD_HEIGHT + gap);
    const svg = s("svg", { class: "drawing", role: "img" });
    const edges = s("g", { class: "edges" });
    const cards = s("g", { class: "cards" });
    svg.append(markers(), edges, cards);
    for (const thread of this.columns) {
      cards.append(s("text", { x: columnX(thread) + width / 2, y: 16, class: "thread" }, run.thread(thread)));
    }
    const now = view.step > 0 ? new Set(data.steps[view.step - 1]?.events ?? []) : new Set<number>();
    const waiting = run.waiting(view.step);
    for (const card of this.cards) cards.append(this.card(card, width, view, now, waiting));
    this.edges(edges, width, view, now, left, total);
    let bottom = cardsEnd;
    if (run.hasMemory && data.steps.length) {
      bottom = this.memory(cards, view, now, { left, width, top: cardsEnd + 4, columnX, total, narrow });
    } else if (data.steps.length) {
      bottom = this.history(cards, view, left, cardsEnd + 14, total);
    }
    svg.setAttribute("viewBox", `0 0 ${Math.ceil(total)} ${Math.ceil(bottom + 6)}`);
    svg.setAttribute("width", String(Math.ceil(total)));
    svg.setAttribute("height", String(Math.ceil(bottom + 6)));
    return svg;
  }

  /** Whether an edge of a cycle leads to an earlier event of its thread, and needs room beside the cards. */
  private goesBack({ source, target }: { source: number; target: number }): boolean {
    const [a, b] = [this.cardOf.get(source), this.cardOf.get(target)];
    return a !== undefined && b !== undefined && a.thread === b.thread && a.row > b.row + 1;
  }

  private hasHappened(id: number, view: View): boolean {
    if (!this.data.steps.length) return true;
    const step = this.run.performed.get(id);
    return step !== undefined && step <= view.step;
  }

  /** A store that waits in a buffer has no place yet among the writes to its location. */
  private isInMemory(id: number, view: View): boolean {
    const flushed = this.run.flushed.get(id);
    return flushed === undefined ? this.hasHappened(id, view) && !this.run.waiting(view.step).has(id) : flushed <= view.step;
  }

  private card(card: Card, width: number, view: View, now: Set<number>, waiting: Set<number>): SVGElement {
    const ids = card.events.map((event) => event.id);
    const states = ["card", card.events.some((event) => event.kind === "W") ? "write" : card.events[0].kind === "F" ? "fence" : "read"];
    const isNow = ids.some((id) => now.has(id));
    if (!this.hasHappened(ids[0], view)) states.push("later");
    const isWaiting = ids.some((id) => waiting.has(id));
    if (isWaiting) states.push("waiting");
    if (isNow) states.push("now");
    if (ids.some((id) => view.outlined?.has(id))) states.push("outlined");
    const inCycle = view.cycle?.some((edge) => ids.includes(edge.source) || ids.includes(edge.target));
    if (inCycle) states.push("in-cycle");
    const isFailing = isNow && this.data.steps[view.step - 1]?.action === "fail";
    const isRacing = ids.some((id) => this.data.racing?.includes(id)) && this.hasHappened(ids[0], view);
    if (isRacing) states.push("racing");
    if (this.repeats(ids)) states.push("again");
    const first = card.events[0];
    const told = [first.text, at(first).trim(), this.when(ids)].filter(Boolean).join(" · ");
    const group = s("g", {
      class: states.join(" "),
      tabindex: "0",
      role: "button",
      "aria-label": `${this.run.thread(card.thread)}: ${cardText(card.events)}${at(first)}`,
      "data-event": first.id,
      onmouseenter: () => this.handlers.hover(ids),
      onmouseleave: () => this.handlers.hover(null),
      onfocus: () => this.handlers.hover(ids),
      onblur: () => this.handlers.hover(null),
      onclick: () => this.handlers.choose(first.id),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          this.handlers.choose(first.id);
        }
      },
    });
    group.append(
      s("title", {}, told),
      s("rect", { x: card.x, y: card.y, width, height: CARD_HEIGHT, rx: 6 }),
      s("text", { x: card.x + 10, y: card.y + 19.5, class: "line" }, first.line !== undefined ? String(first.line) : (first.place ?? "").replace(/^.*:/, "")),
      s("text", { x: card.x + 32, y: card.y + 20, class: "what" }, cardText(card.events)),
    );
    if (isWaiting && !view.isNarrow) group.append(s("text", { x: card.x + width - 8, y: card.y + 19.5, class: "tag" }, "in buffer"));
    if (this.repeats(ids)) group.append(s("path", { d: `M${card.x + 4},${card.y + 5}v${CARD_HEIGHT - 10}`, class: "again-bar" }));
    if (isFailing || isRacing) {
      const cross = s("g", { transform: `translate(${card.x + width - 26},${card.y + 7}) scale(.68)`, class: "fails" });
      cross.append(s("path", { d: "M7.5 1.5h9l6 6v9l-6 6h-9l-6-6v-9z" }), s("path", { d: "M8.2 8.2l7.6 7.6M15.8 8.2l-7.6 7.6", class: "sign" }));
      group.append(cross);
    }
    return group;
  }

  /** Whether a card belongs to the part of a run that is repeated forever. */
  private repeats(ids: number[]): boolean {
    const { cycle } = this.data;
    return cycle !== undefined && ids.some((id) => Math.max(this.run.performed.get(id) ?? 0, this.run.flushed.get(id) ?? 0) > cycle);
  }

  /** Whether the model keeps the order of two cards of one thread; true where that is not known. */
  private isKept(a: Card, b: Card): boolean {
    const loose = this.data.reorderable ?? [];
    return a.events.some((one) => b.events.some((other) => !loose.some(([first, second]) => first === one.id && second === other.id)));
  }

  private when(ids: number[]): string {
    const done = ids.map((id) => this.run.performed.get(id)).find((step) => step !== undefined);
    const flushed = ids.map((id) => this.run.flushed.get(id)).find((step) => step !== undefined);
    if (done === undefined) return "";
    return flushed === undefined ? `step ${done}` : `stored at step ${done}, in memory at step ${flushed}`;
  }

  private edges(layer: SVGElement, width: number, view: View, now: Set<number>, left: number, total: number): void {
    if (view.cycle) {
      for (const [source, target] of this.data.edges.po ?? []) this.edge(layer, "po", source, target, width, view, now);
      view.cycle.forEach((edge, n) => this.edge(layer, edge.relation, edge.source, edge.target, width, view, now, `${n + 1} ${edge.relation}`));
      return;
    }
    for (const [relation, pairs] of Object.entries(this.data.edges)) {
      if (view.hidden.has(groupOf(relation)) || relation === "amo" || relation === "lxsx" || relation === "spawn") continue;
      for (const [source, target] of pairs) {
        const isThere = relation === "co" ? this.isInMemory.bind(this) : this.hasHappened.bind(this);
        const isShown = relation === "po" || isThere(source, view) || this.run.event(source).thread < 0;
        if (!isShown || (relation !== "po" && !isThere(target, view))) continue;
        if (this.run.event(source).thread < 0) {
          if (relation === "rf") this.initial(layer, target, width, now, left, total);
        } else this.edge(layer, relation, source, target, width, view, now);
      }
    }
  }

  /** An initial value: a short stub beside the card. */
  private initial(layer: SVGElement, target: number, width: number, now: Set<number>, left: number, total: number): void {
    const card = this.cardOf.get(target);
    if (!card) return;
    const isLeft = this.columns.indexOf(card.thread) < this.columns.length - 1 || this.columns.length === 1;
    const isOuter = card.thread === this.columns[0] || !isLeft;
    const length = Math.min(42, isLeft ? card.x - 6 : total - card.x - width - 6, left - 6);
    const y = card.y + CARD_HEIGHT / 2;
    const end = isLeft ? card.x - 1 : card.x + width + 1;
    const start = isLeft ? end - length : end + length;
    const group = s("g", { class: `edge rf${now.has(target) ? " current" : ""}` });
    group.append(
      s("path", { d: `M${start},${y}L${end},${y}`, "marker-end": "url(#arrow-rf)" }),
      s("circle", { cx: start, cy: y, r: 3 }),
    );
    if (length > 34 && isOuter) group.append(s("text", { x: (start + end) / 2, y: y - 6, class: "label" }, "initial"));
    layer.append(group);
  }

  private edge(layer: SVGElement, relation: string, source: number, target: number, width: number, view: View, now: Set<number>, label?: string): void {
    const a = this.cardOf.get(source);
    const b = this.cardOf.get(target);
    if (!a || !b || a === b) return;
    const known = groupOf(relation) in RELATIONS ? groupOf(relation) : "other";
    const isCurrent = now.has(source) || now.has(target);
    const isLater = relation === "po" && !this.hasHappened(target, view);
    const isLoose = relation === "po" && !label && !this.isKept(a, b);
    const group = s("g", { class: `edge ${known}${isLoose ? " loose" : ""}${isCurrent && relation !== "po" ? " current" : ""}${isLater ? " later" : ""}${label ? " in-cycle" : ""}` });
    const { path, x, y } = this.route(relation, a, b, width, Boolean(label));
    if (isLoose) group.append(s("title", {}, `${this.data.model ?? "the model"} does not keep this order`));
    group.append(s("path", { d: path, "marker-end": `url(#arrow-${known})` }));
    const words = label ?? (relation === "po" ? "" : relation);
    if (words) {
      group.append(s("text", { x, y: y + 4, class: "label halo" }, words), s("text", { x, y: y + 4, class: "label" }, words));
    }
    layer.append(group);
  }

  private route(relation: string, a: Card, b: Card, width: number, isCycle: boolean): { path: string; x: number; y: number } {
    const middle = CARD_HEIGHT / 2;
    if (a.thread === b.thread) {
      const isDown = a.row < b.row;
      if (Math.abs(a.row - b.row) === 1 ? relation === "po" || isCycle : isCycle && isDown) { // behind the cards in between
        const x = a.x + width / 2;
        const [from, to] = isDown ? [a.y + CARD_HEIGHT, b.y] : [a.y, b.y + CARD_HEIGHT];
        const gap = Math.abs((a.y - b.y) / (a.row - b.row)) - CARD_HEIGHT;
        return { path: `M${x},${from}L${x},${to - (isDown ? 1 : -1)}`, x: x + 34, y: isDown ? to - gap / 2 : to + gap / 2 };
      }
      const isLast = this.columns.indexOf(a.thread) === this.columns.length - 1 && this.columns.length > 1;
      const x = isLast ? a.x + width : a.x;
      const bow = (isLast ? 1 : -1) * (22 + 5 * Math.abs(a.row - b.row));
      const [y1, y2] = [a.y + middle + 4, b.y + middle - 4];
      const away = isCycle ? bow * 0.75 + Math.sign(bow) * 32 : bow * 0.86;
      return { path: `M${x},${y1}C${x + bow},${y1} ${x + bow},${y2} ${x + Math.sign(bow)},${y2}`, x: x + away, y: (y1 + y2) / 2 };
    }
    const goesRight = a.x < b.x;
    const [x1, x2] = goesRight ? [a.x + width, b.x - 1] : [a.x, b.x + width + 1];
    const offset = relation === "co" ? 5 : relation === "rf" ? -4 : 0;
    const [y1, y2] = [a.y + middle + offset, b.y + middle + offset];
    const pull = (x2 - x1) * 0.48;
    const part = Math.abs(y1 - y2) < 4 ? 0.5 : isCycle ? 0.2 : 0.3; // edges that cross have their labels apart
    const cubic = (p0: number, p1: number, p2: number, p3: number): number =>
      (1 - part) ** 3 * p0 + 3 * (1 - part) ** 2 * part * p1 + 3 * (1 - part) * part ** 2 * p2 + part ** 3 * p3;
    return {
      path: `M${x1},${y1}C${x1 + pull},${y1} ${x2 - pull},${y2} ${x2},${y2}`,
      x: cubic(x1, x1 + pull, x2 - pull, x2),
      y: cubic(y1, y1, y2, y2),
    };
  }

  private memory(
    layer: SVGElement, view: View, now: Set<number>,
    place: { left: number; width: number; top: number; columnX: (thread: number) => number; total: number; narrow: boolean },
  ): number {
    const { run, data } = this;
    const step = view.step > 0 ? data.steps[view.step - 1] : undefined;
    let y = place.top;
    if (run.hasBuffers) {
      const most = this.slots();
      for (const thread of this.columns) {
        this.buffer(layer, step?.buffers?.[thread] ?? [], most, { x: place.columnX(thread), y, width: place.width }, step, now);
      }
      y += 18 + most * (SLOT_HEIGHT + 3) + 12;
    } else y += 10;
    const cells = (step?.memory ?? data.events.filter((event) => event.thread < 0 && event.location).map((event) => event.id)).map((id) => run.event(id)).filter((event) => !event.internal);
    const touched = new Set(step && step.action !== "fail" ? step.events.flatMap((id) => (run.event(id).location ? [run.event(id).location] : [])) : []);
    const locations = this.locations();
    const visible = cells.filter((event) => locations.has(event.location!));
    const shown = visible.length > MOST_CELLS ? visible.filter((event) => touched.has(event.location)).concat(visible.filter((event) => !touched.has(event.location))).slice(0, MOST_CELLS - 1) : visible;
    const extra = visible.length - shown.length;
    const widest = Math.max(96, ...shown.map((event) => name(event).length * 7.6 + 24));
    const count = shown.length + (extra ? 1 : 0);
    const margin = count * widest > place.total - 2 * place.left ? Math.min(place.left, place.narrow ? 8 : 58) : place.left;
    const [x0, x1] = [margin, place.total - margin];
    const perRow = place.narrow ? 2 : Math.max(1, Math.floor((x1 - x0) / widest));
    const rows = Math.max(1, Math.ceil(count / perRow));
    layer.append(s("rect", { x: x0, y, width: x1 - x0, height: rows * 28, rx: 6, class: "memory" }));
    layer.append(s("text", { x: x0 - 6, y: y + 18, class: "caption end" }, margin > 52 ? "memory" : ""));
    const inRow = Math.min(perRow, shown.length + (extra ? 1 : 0)) || 1;
    const cell = (x1 - x0) / inRow;
    shown.forEach((event, n) => {
      const cx = x0 + (n % inRow) * cell;
      const cy = y + Math.floor(n / inRow) * 28;
      const isNow =
        step !== undefined &&
        ((step.action === "flush" && step.events.includes(event.id)) ||
          (step.action === "issue" && step.events.some((id) => run.source(id)?.id === event.id || id === event.id) &&
            !step.events.some((id) => run.event(id).kind === "R" && run.waiting(view.step).has(run.source(id)?.id ?? -1))));
      if (n % inRow) layer.append(s("path", { d: `M${cx},${cy + 5}v18`, class: "divider" }));
      if (isNow) layer.append(s("rect", { x: cx + 1.5, y: cy + 1.5, width: cell - 3, height: 25, rx: 5, class: "cell now" }));
      layer.append(s("text", { x: cx + cell / 2, y: cy + 18.5, class: `cell-text${isNow ? " now" : ""}` }, name(event)));
    });
    if (extra) layer.append(s("text", { x: x0 + (shown.length % inRow) * cell + cell / 2, y: y + Math.floor(shown.length / inRow) * 28 + 18.5, class: "cell-text more" }, `${extra} more`));
    return y + rows * 28 + 2;
  }

  /** The queues of a store buffer: one, or one for each location. */
  private queues(entries: number[]): number[][] {
    if (this.data.machine !== "pso" && this.data.machine !== "cam") return [entries];
    const found = new Map<string, number[]>();
    for (const id of entries) {
      const { location } = this.run.event(id);
      found.set(location!, [...(found.get(location!) ?? []), id]);
    }
    return found.size ? [...found.values()] : [[]];
  }

  /** How many slots there is room for: nothing moves when stores come and go. */
  private slots(): number {
    const held = this.data.steps.flatMap((step) => (step.buffers ?? []).flatMap((buffer) => this.queues(buffer).map((queue) => queue.length)));
    return Math.min(Math.max(1, this.data.capacity ?? 0, ...held), MOST_SLOTS);
  }

  /** What waits in the buffer of a thread: the newest on top, the oldest leaves at the bottom. */
  private buffer(layer: SVGElement, entries: number[], most: number, place: { x: number; y: number; width: number }, step: DrawnStep | undefined, now: Set<number>): void {
    const { run, data } = this;
    const { x, y } = place;
    const words = data.capacity ? `${entries.length} of ${data.capacity}` : `${entries.length} waiting`;
    layer.append(s("text", { x, y: y + 12, class: "caption" }, "store buffer"), s("text", { x: x + place.width, y: y + 12, class: "caption end" }, entries.length ? words : "empty"));
    const queues = this.queues(entries);
    const width = (place.width - 4 * (queues.length - 1)) / queues.length;
    queues.forEach((queue, n) => {
      const left = x + n * (width + 4);
      const isLong = queue.length > MOST_SLOTS;
      const shown = isLong ? queue.slice(0, MOST_SLOTS - 1) : queue;
      for (let slot = 0; slot < most; slot++) {
        const id = shown[slot];
        const top = y + 18 + (most - 1 - slot) * (SLOT_HEIGHT + 3);
        const isMore = isLong && slot === MOST_SLOTS - 1;
        if (id === undefined && !isMore && slot >= (data.capacity ?? 0)) continue; // without a bound there are no free slots
        const isRead = id !== undefined && step?.action === "issue" && step.events.some((event) => run.source(event)?.id === id);
        const isNow = id !== undefined && (now.has(id) || isRead);
        layer.append(s("rect", { x: left, y: top, width, height: SLOT_HEIGHT, rx: 4, class: `slot${id === undefined ? " free" : ""}${isNow ? " now" : ""}` }));
        if (isMore) layer.append(s("text", { x: left + 10, y: top + 15.5, class: "caption" }, `+ ${queue.length - shown.length}`));
        if (id === undefined) continue;
        const event = run.event(id);
        const hasLine = queues.length === 1;
        if (hasLine) layer.append(s("text", { x: left + 10, y: top + 15.5, class: "line" }, event.line !== undefined ? String(event.line) : ""));
        layer.append(s("text", { x: left + (hasLine ? 32 : 8), y: top + 15.5, class: "what small" }, name(event)));
      }
      const end = y + 18 + most * (SLOT_HEIGHT + 3);
      layer.append(s("path", { d: `M${left + width / 2},${end}L${left + width / 2},${end + 11}`, class: "down", "marker-end": "url(#arrow-po)" }));
    });
  }

  private locations(): Set<string> {
    return new Set(this.data.events.filter((event) => event.thread >= 0 && !event.internal && event.location).map((event) => event.location!));
  }

  /** Without a memory: the writes to the location that is read, oldest first. */
  private history(layer: SVGElement, view: View, left: number, y: number, total: number): number {
    const { run, data } = this;
    const step = view.step > 0 ? data.steps[view.step - 1] : undefined;
    const read = step?.events.map((id) => run.event(id)).find((event) => event.kind === "R");
    if (!read) return y + 46;
    const writes = this.writesTo(read.location!).filter((event) => event.thread < 0 || this.hasHappened(event.id, view));
    layer.append(s("text", { x: left, y: y + 4, class: "caption" }, `Writes to ${read.location}, oldest first`));
    const source = run.source(read.id);
    const at0 = writes.findIndex((event) => event.id === source?.id);
    const width = Math.min(218, (total - left - 20) / Math.max(writes.length, 1) - 34);
    writes.slice(-4).forEach((event, n) => {
      const index = writes.indexOf(event);
      const x = left + n * (width + 34);
      const isRead = index === at0;
      const tag = isRead ? "read now" : index > at0 ? "not seen" : "";
      const start = 24 + (event.value ?? "").length * 8;
      const who = event.thread < 0 ? "initial" : `${run.thread(event.thread)}${event.line ? `, line ${event.line}` : ""}`;
      const fits = (words: string): boolean => start + words.length * 7 + (tag ? 74 : 8) <= width;
      const caption = [who, event.line ? `line ${event.line}` : "", event.line ? String(event.line) : ""].find(fits) ?? "";
      if (n) layer.append(s("path", { d: `M${x - 32},${y + 28}H${x - 3}`, class: "edge-line co", "marker-end": "url(#arrow-co)" }));
      layer.append(
        s("rect", { x, y: y + 12, width, height: 32, rx: 6, class: `write-box${isRead ? " now" : ""}` }),
        s("text", { x: x + 12, y: y + 33, class: "what" }, event.value ?? ""),
        s("text", { x: x + start, y: y + 32.5, class: "caption" }, caption),
      );
      if (width > 150) layer.append(s("text", { x: x + width - 8, y: y + 32.5, class: `tag ${isRead ? "" : "missed"}` }, tag));
    });
    return y + 48;
  }

  private writesTo(location: string): DrawnEvent[] {
    const next = new Map((this.data.edges.co ?? []) as Pair[]);
    const writes = this.data.events.filter((event) => event.kind === "W" && event.location === location);
    const initial = writes.filter((event) => event.thread < 0);
    const later = new Set([...next.values()]);
    const first = writes.find((event) => event.thread >= 0 && !later.has(event.id));
    const chain: DrawnEvent[] = [...initial];
    for (let event = first; event; event = next.has(event.id) ? this.run.events.get(next.get(event.id)!) : undefined) {
      if (chain.includes(event)) break;
      chain.push(event);
    }
    return chain;
  }

  /** The twin of the drawing for those who do not see it. */
  rows(): { thread: string; line: string; action: string; value: string; from: string; missed: string; step: number }[] {
    const { run, data } = this;
    return data.steps.flatMap((step, index) =>
      step.events.map((id) => run.event(id)).filter((event) => !event.internal).map((event) => {
        const source = event.kind === "R" ? run.source(event.id) : undefined;
        return {
          step: index + 1,
          thread: run.thread(step.thread),
          line: event.line !== undefined ? String(event.line) : event.place ?? "",
          action: step.action === "flush" ? "reaches memory" : step.action === "fail" ? "fails" : { R: "reads", W: "stores", F: "fence" }[event.kind],
          value: event.location ? name(event) : event.text ?? "",
          from: source ? (source.thread < 0 ? "initial value" : `${run.thread(source.thread)}${at(source, " line ").replace("line line", "line")}`) : "",
          missed: step.action === "issue" ? run.notSeen(event.id, index + 1).map((write) => `${write.value} of ${run.thread(write.thread)}`).join(", ") : "",
        };
      }),
    );
  }
}

function markers(): SVGElement {
  const defs = s("defs");
  for (const name of [...Object.keys(RELATIONS), "other"]) {
    defs.append(
      s("marker", { id: `arrow-${name}`, viewBox: "0 0 8 8", refX: 7.2, refY: 4, markerWidth: 8.5, markerHeight: 8.5, markerUnits: "userSpaceOnUse", orient: "auto", class: `arrow ${name}` },
        s("path", { d: "M0,0.6 L8,4 L0,7.4 L1.8,4 z" })),
    );
  }
  return defs;
}
