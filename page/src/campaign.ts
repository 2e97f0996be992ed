// The campaign: tests × models, with filters, the differences between models, and one test in full.
import { type Changes, type Counts, EVERYTHING, type Filter, type Overview, type RunState, Table, type TestDetail, codes, fromAddress, isUnanswered, isUnexpected, outcomeOf, seconds, timeText, toAddress } from "./campaign_data";
import { DrillDown } from "./campaign_test";
import { copyText, h, plural } from "./dom";
import type { Contents } from "./types";

export interface CampaignHandlers {
  contents(): Contents;
  open(name: string, text: string, model: string, modelText: string): void;
  notify(words: string): void;
}

const IS_NARROW = matchMedia("(max-width: 899px)");
let ROW = 25; // as `--row` says
const AHEAD = 12; // rows beyond those that can be seen
const number = (value: number): string => value.toLocaleString("en");

const STATES: Record<RunState, string> = { running: "running", complete: "complete", interrupted: "interrupted", failed: "ended by an error", killed: "killed" };

export class Campaign {
  readonly element = h("section", { class: "campaign", "aria-label": "Campaign" });
  private table: Table | null = null;
  private filter: Filter = { ...EVERYTHING };
  private run: number | null = null;
  private other: number | null = null;
  private test: number | null = null;
  private lines = new Int32Array(0); // a test, or below 0 the language of a group
  private inGroup = new Int32Array(0); // how many tests of each language are shown
  private placeOf = new Int32Array(0); // where a test stands; -1: it is not shown
  private counted: Counts | null = null;
  private families: { of: string; table: Table; values: [string, string][] } | null = null;
  private drawn = ""; // what the triangle was drawn for
  private pairs: Int32Array | null = null;
  private timer = 0;
  private frame = 0;
  private isActive = false;
  private isLost = false; // the server, or its store
  private shownFrom = -1;

  private readonly filters = h("div", { class: "filters", role: "search", "aria-label": "Filters" });
  private readonly search = h("input", { type: "search", class: "campaign-search", placeholder: "Name, such as IRIW", "aria-label": "Name", spellcheck: "false", autocomplete: "off" });
  private readonly count = h("div", { class: "count-line", role: "status" });
  private readonly reasons = h("div", { class: "reasons", hidden: true });
  private readonly triangle = h("div", { class: "triangle" });
  private readonly head = h("div", { class: "table-head grid-row", role: "row" });
  private readonly rows = h("div", { class: "table-rows", role: "rowgroup" });
  private readonly grid = h("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": "Tests and models" }, this.head, this.rows);
  private readonly scroller = h("div", { class: "campaign-scroll" }, this.count, this.reasons, this.triangle, this.grid);
  private readonly foot = h("footer", { class: "campaign-foot" });
  private readonly list = h("div", { class: "campaign-list" }, this.filters, this.scroller, this.foot);
  private readonly drill: DrillDown;

  constructor(private readonly handlers: CampaignHandlers) {
    this.drill = new DrillDown({
      contents: handlers.contents,
      open: handlers.open,
      close: () => this.choose(null),
    });
    this.element.append(this.list, this.drill.element);
    this.search.addEventListener("input", () => this.change({ name: this.search.value }));
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.rows.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-test]");
      if (!row) return;
      this.grid.focus({ preventScroll: true });
      const model = (event.target as Element).closest<HTMLElement>("[data-model]")?.dataset.model;
      this.choose(Number(row.dataset.test), model === undefined ? undefined : Number(model));
    });
    const measure = (): void => {
      ROW = IS_NARROW.matches ? 44 : 25; // for fingers
      this.element.style.setProperty("--row", `${ROW}px`);
      this.rows.style.height = `${this.lines.length * ROW}px`;
      this.shownFrom = -1;
      this.draw();
    };
    measure();
    IS_NARROW.addEventListener("change", measure);
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    document.addEventListener("visibilitychange", () => this.isActive && this.poll());
  }

  /** Shows what the address says. */
  async show(): Promise<void> {
    this.isActive = true;
    const said = fromAddress(location.hash);
    const isOther = said.run !== null && said.run !== this.run;
    this.filter = said.filter;
    this.search.value = said.filter.name;
    this.test = said.test;
    if (!this.table || isOther) {
      this.run = said.run;
      await this.load();
    }
    if (!this.table) return;
    if (said.other !== this.other) await this.compareWith(said.other);
    if (this.filter.times && !this.table.times) await this.loadTimes();
    this.refresh();
    if (this.test !== null) this.reveal(this.test);
    void this.showTest();
    this.poll();
  }

  hide(): void {
    this.isActive = false;
    clearTimeout(this.timer);
    this.drill.stop();
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  get isSearching(): boolean {
    return document.activeElement === this.search;
  }

  /** Chooses a test by an arrow key, wherever the focus is. */
  move(key: "ArrowDown" | "ArrowUp"): void {
    this.grid.focus({ preventScroll: true });
    this.chooseBy(key === "ArrowDown" ? 1 : -1);
  }

  /** Closes what is open; whether there was something. */
  escape(): boolean {
    if (document.activeElement === this.search && this.search.value) {
      this.search.value = "";
      this.change({ name: "" });
    } else if (document.activeElement === this.search) this.grid.focus();
    else if (this.test !== null) this.choose(null);
    else return false;
    return true;
  }

  async copyAddress(): Promise<void> {
    await copyText(location.origin + location.pathname + toAddress(this.filter, this.run, this.other, this.test));
  }

  private async ask<T>(path: string): Promise<T> {
    const answer = await fetch(`/api/campaign${path}`, { cache: "no-store" });
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.message);
    return data;
  }

  private async load(): Promise<void> {
    try {
      const data = await this.ask<Overview>(this.run === null ? "" : `?run=${this.run}`);
      this.element.classList.remove("is-empty");
      if (data.store === null) return this.say("No campaign", data.message ?? "");
      if (data.run === undefined) {
        this.say(`The store ${data.store} has no run yet.`, "`membar litmus DIR --store` writes one; it appears here by itself.");
        this.timer = window.setTimeout(() => this.isActive && void this.show(), 1000);
        return;
      }
      this.table = new Table(data);
      this.run = data.run;
      this.other = null;
      this.recount();
    } catch (problem) {
      const words = (problem as Error).message;
      if (this.table) this.handlers.notify(words);
      else this.say("No campaign", words);
    }
  }

  private say(title: string, words: string): void {
    this.element.classList.add("is-empty");
    this.count.replaceChildren(h("div", { class: "no-campaign" }, h("h1", {}, title), h("p", {}, ...words.split(/(`[^`]+`)/).map((part) => (part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part)))));
  }

  private async loadTimes(): Promise<void> {
    if (!this.table) return;
    const found = await this.ask<{ times: string }>(`/times?run=${this.run}`);
    this.table.times = codes(found.times);
  }

  private async compareWith(other: number | null): Promise<void> {
    if (!this.table) return;
    this.other = other;
    try {
      this.table.other = other === null ? null : codes((await this.ask<{ cells: string }>(`/other?run=${this.run}&other=${other}`)).cells);
    } catch (problem) {
      this.handlers.notify((problem as Error).message);
      this.other = this.table.other = null;
    }
    if (other === null) this.filter.changed = false;
    this.recount();
  }

  // While it is being written.

  private poll(): void {
    clearTimeout(this.timer);
    if (!this.isActive || document.hidden || !this.table) return;
    const isRunning = this.info()?.state === "running";
    this.timer = window.setTimeout(() => void this.readFurther(), isRunning ? 1000 : 4000);
  }

  private async readFurther(): Promise<void> {
    const table = this.table;
    if (!table) return;
    try {
      const found = await this.ask<Changes>(`/changes?run=${this.run}&last=${table.last}&columns=${table.width}`);
      if (!this.isActive || this.table !== table) return;
      if (found.again) {
        await this.load();
        this.refresh();
      } else {
        const info = this.info()!;
        const isNew = found.cells.length > 0 || found.state !== info.state;
        [info.ended, info.state, info.answered] = [found.ended, found.state, found.answered];
        if (isNew) {
          table.apply(found);
          table.times = null;
          if (this.filter.times) await this.loadTimes();
          this.recount();
          this.refresh();
          if (found.cells.some(([test]) => test === this.test)) void this.showTest();
        } else this.drawCount();
        if (found.runs > table.data.runs.length) {
          table.data.runs = (await this.ask<Overview>(`?run=${this.run}`)).runs;
          this.drawFilters();
        }
      }
      if (this.isLost) this.handlers.notify("");
      this.isLost = false;
    } catch (problem) {
      this.isLost = true;
      this.handlers.notify(problem instanceof TypeError ? "membar serve has stopped. Start it again; the results are in the store." : (problem as Error).message);
    }
    this.poll();
  }

  private info(): Overview["runs"][number] | undefined {
    return this.table?.data.runs.find((one) => one.id === this.run);
  }

  // What is shown.

  private change(changes: Partial<Filter>): void {
    Object.assign(this.filter, changes);
    this.keepAddress();
    this.refresh();
    this.scroller.scrollTop = Math.min(this.scroller.scrollTop, this.grid.offsetTop);
  }

  private keepAddress(): void {
    history.replaceState(null, "", toAddress(this.filter, this.run, this.other, this.test));
  }

  private recount(): void {
    if (!this.table) return;
    this.counted = this.table.counts();
    this.pairs = this.table.differences();
  }

  private refresh(): void {
    const { table } = this;
    if (!table) return;
    const shown = table.select(this.filter);
    const lines = new Int32Array(shown.length + table.data.languages.length);
    this.inGroup = new Int32Array(table.data.languages.length);
    this.placeOf = new Int32Array(table.size).fill(-1);
    let [count, group] = [0, -1];
    for (const test of shown) {
      this.inGroup[table.language[test]]++;
      if (!this.filter.sort && table.language[test] !== group) {
        group = table.language[test];
        lines[count++] = -1 - group;
      }
      this.placeOf[test] = count;
      lines[count++] = test;
    }
    this.lines = lines.slice(0, count);
    this.grid.setAttribute("aria-rowcount", String(shown.length));
    this.element.style.setProperty("--models", String(table.width));
    this.element.classList.toggle("many-models", table.width > 7);
    this.shown = shown.length;
    this.drawFilters();
    this.drawCount();
    this.drawReasons();
    this.drawTriangle();
    this.drawHead();
    this.rows.style.height = `${this.lines.length * ROW}px`;
    this.shownFrom = -1;
    this.draw();
    this.drawFoot();
  }

  private shown = 0;

  private drawFilters(): void {
    const { table, filter, counted } = this;
    if (!table || !counted) return;
    const hadFocus = this.filters.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key ?? "" : "";
    const pick = (label: string, key: string, values: [string, string][], chosen: string, set: (value: string) => void): HTMLElement => {
      const select = h("select", { "data-key": key, "aria-label": label, onchange: () => set(select.value) }, ...values.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
      return h("label", { class: "pick" }, h("span", {}, label), select);
    };
    const chip = (key: string, isOn: boolean, words: string, count: number | null, press: () => void): HTMLElement =>
      h("button", { class: "chip", "data-key": key, "aria-pressed": String(isOn), disabled: count === 0 && !isOn, title: count === 0 ? "No test of this run" : "", onclick: press }, words, count === null ? "" : h("span", { class: "chip-count" }, number(count)), isOn ? h("span", { "aria-hidden": "true" }, "×") : "");
    if (this.families?.table !== table || this.families.of !== filter.tests) {
      const found = tally(table.families.filter((_, test) => !filter.tests || table.data.languages[table.language[test]] === filter.tests));
      const inOrder = [...found].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      this.families = { table, of: filter.tests, values: [["", "all"], ...inOrder.map(([name, count]): [string, string] => [name, `${name} (${number(count)})`])] };
    }
    const { runs } = table.data;
    const title = (one: Overview["runs"][number]): string => `${one.id}: ${one.started.slice(0, 16).replace("T", " ")} · ${one.version}${one.command ? ` · ${one.command}` : ""}`;
    const parts: (HTMLElement | string)[] = [this.search,
      pick("Tests", "tests", [["", "all"], ...table.data.languages.map((name, n): [string, string] => [name, `${name || "other"} (${number(table.ofLanguage[n])})`])], filter.tests, (tests) => this.change({ tests, family: "" })),
      pick("Family", "family", this.families.values, filter.family, (family) => this.change({ family }))];
    if (runs.length > 1) {
      parts.push(pick("Run", "run", runs.map((one) => [String(one.id), title(one)]), String(this.run), (value) => void this.openRun(Number(value))));
      parts.push(pick("Compare with", "with", [["", "none"], ...runs.filter((one) => one.id !== this.run).map((one): [string, string] => [String(one.id), title(one)])], String(this.other ?? ""), (value) => void this.compareWith(value ? Number(value) : null).then(() => this.change({ changed: value !== "" }))));
    }
    if (filter.differ) parts.push(chip("differ", true, `${filter.differ[0]} and ${filter.differ[1]} differ`, null, () => this.change({ differ: null })));
    if (this.other !== null) parts.push(chip("changed", filter.changed, `Changed since run ${this.other}`, counted.changed, () => this.change({ changed: !filter.changed })));
    parts.push(chip("unanswered", filter.unanswered !== null, "Unanswered", counted.unanswered, () => this.change({ unanswered: filter.unanswered === null ? "" : null })));
    parts.push(chip("unexpected", filter.unexpected, "Not as expected", counted.unexpected, () => this.change({ unexpected: !filter.unexpected })));
    parts.push(chip("times", filter.times, "Times", null, () => void this.toggleTimes()));
    const typed = document.activeElement === this.search;
    if (typed) for (const old of [...this.filters.children].slice(1)) old.remove();
    if (typed) this.filters.append(...parts.slice(1));
    else this.filters.replaceChildren(...parts);
    if (hadFocus) this.filters.querySelector<HTMLElement>(`[data-key="${hadFocus}"]`)?.focus();
  }

  private async openRun(run: number): Promise<void> {
    this.run = run;
    this.test = null;
    await this.load();
    this.keepAddress();
    this.refresh();
    void this.showTest();
    this.poll();
  }

  private async toggleTimes(): Promise<void> {
    if (!this.filter.times && this.table && !this.table.times) await this.loadTimes();
    this.change({ times: !this.filter.times, sort: "" });
  }

  private drawCount(): void {
    const { table } = this;
    const info = this.info();
    if (!table || !info) return;
    const parts: (HTMLElement | string)[] = [h("span", {}, h("b", { class: "big" }, number(this.shown)), ` of ${plural(table.size, "test")} shown`), h("span", {}, plural(table.width, "model"))];
    if (!this.filter.times) {
      parts.push(...[["A", "allowed"], ["F", "forbidden"], ["?", "unanswered"]].map(([sign, words]) => h("span", { class: "legend" }, mark(sign.charCodeAt(0) === 63 ? 0x100 : sign.charCodeAt(0)), words)));
      if (this.counted?.hasWithin) parts.push(h("span", { class: "legend" }, mark(87), "forbidden within a bound"));
      if (this.counted?.hasUndefined) parts.push(h("span", { class: "legend" }, mark(85), "undefined"));
      if (this.counted?.unexpected) parts.push(h("span", { class: "legend" }, unlike(), "not as expected"));
    } else parts.push(h("span", { class: "legend" }, "how long each answer took"));
    if (info.state !== "complete") {
      const advice = info.state === "running" ? "" : "; the same command looks for the rest";
      parts.push(h("span", { class: "progress" }, h("progress", { max: String(info.cells), value: String(info.answered), "aria-label": "Answers" }),
        `${STATES[info.state]}: ${number(info.answered)} of ${number(info.cells)} answers${advice}`));
    }
    this.count.replaceChildren(...parts);
  }

  private drawReasons(): void {
    const { filter, counted } = this;
    this.reasons.hidden = filter.unanswered === null || !counted?.reasons.length;
    if (this.reasons.hidden || !counted) return;
    const one = ([reason, count]: [string, number]): HTMLElement => h("button", { class: "reason", "aria-pressed": String(filter.unanswered === reason), onclick: () => this.change({ unanswered: filter.unanswered === reason ? "" : reason }) },
      h("b", {}, number(count)), h("span", {}, ...reason.split(/(`[^`]+`)/).map((part) => (part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part))));
    const top = this.reasons.scrollTop;
    this.reasons.replaceChildren(...counted.reasons.slice(0, 200).map(one));
    this.reasons.scrollTop = top;
  }

  private drawTriangle(): void {
    const { table, pairs, filter } = this;
    if (!table || !pairs) return;
    const names = table.data.models.map(([name]) => name);
    this.triangle.hidden = names.length < 2;
    const about = `${names.join()} ${pairs.join()} ${filter.differ?.join()}`;
    if (this.triangle.hidden || about === this.drawn) return;
    this.drawn = about;
    const cell = (a: number, b: number): HTMLElement => {
      if (b <= a) return h("span", {});
      const count = pairs[a * table.width + b];
      const isOn = filter.differ?.[0] === names[a] && filter.differ[1] === names[b];
      return h("span", {}, h("button", { class: "pair", "aria-pressed": String(isOn), disabled: count === 0 && !isOn, "aria-label": `${names[a]} and ${names[b]} differ on ${plural(count, "test")}`, onclick: () => this.change({ differ: isOn ? null : [names[a], names[b]] }) }, number(count)));
    };
    this.triangle.replaceChildren(
      h("div", { class: "triangle-title", "aria-hidden": "true" }, h("b", {}, "Tests on which two models differ"), " (both answered)"),
      h("div", { class: "grid-row triangle-head" }, h("span", {}, h("b", {}, "Tests on which two models differ"), h("i", {}, " (both answered)")), ...names.map((name, n) => h("span", { title: name }, n ? name : "")), h("span", {})),
      ...names.slice(0, -1).map((name, a) => h("div", { class: "grid-row" }, h("span", { class: "right" }, name), ...names.map((_, b) => cell(a, b)), h("span", {}))));
  }

  private drawHead(): void {
    const { table, filter } = this;
    if (!table) return;
    const column = filter.sort.replace(/^-/, "");
    const sorted = (key: string): string => (column !== key ? "none" : filter.sort.startsWith("-") ? "descending" : "ascending");
    const press = (key: string): void => this.change({ sort: key === "" ? "" : filter.sort === key ? `-${key}` : filter.sort === `-${key}` ? "" : key });
    const head = (key: string, text: string, title: string, isMarked = false): HTMLElement =>
      h("span", { role: "columnheader", "aria-sort": sorted(key), class: isMarked ? "marked" : "" }, h("button", { class: "sort", title, onclick: () => press(key) }, text, column === key && key ? h("i", { "aria-hidden": "true" }, filter.sort.startsWith("-") ? "▴" : "▾") : ""));
    this.head.replaceChildren(head("", "Test", "Sort by name, in groups"), ...table.data.models.map(([name, title]) => head(name, name, `${name}${title ? `: ${title}` : ""} (sort)`, filter.differ?.includes(name))), head("time", "Time", "Sort by the time of all models together"));
  }

  private later(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  /** Puts the rows into the page that can be seen. */
  private draw(): void {
    const { table } = this;
    if (!table) return;
    const top = Math.max(0, this.scroller.scrollTop - this.rows.offsetTop);
    const from = Math.max(0, Math.floor(top / ROW) - AHEAD);
    const to = Math.min(this.lines.length, Math.ceil((top + this.scroller.clientHeight) / ROW) + AHEAD);
    if (from === this.shownFrom && to - from === this.rows.childElementCount) return;
    this.shownFrom = from;
    const rows: HTMLElement[] = [];
    for (let place = from; place < to; place++) rows.push(this.row(this.lines[place], place));
    this.rows.replaceChildren(...rows);
  }

  private row(test: number, place: number): HTMLElement {
    const table = this.table!;
    const style = `top:${place * ROW}px`;
    if (test < 0) {
      const group = -1 - test;
      const [shown, all] = [this.inGroup[group], table.ofLanguage[group]];
      return h("div", { class: "group-row", style, role: "row" }, h("b", {}, table.data.languages[group] || "other"), ` ${shown === all ? number(all) : `${number(shown)} of ${number(all)}`}`);
    }
    const row = h("div", { class: `grid-row test-row${test === this.test ? " chosen" : ""}`, style, role: "row", id: `test-${test}`, "data-test": String(test), "aria-selected": String(test === this.test) });
    row.append(h("span", { role: "rowheader", class: "test-name", title: table.data.names[test] }, table.data.names[test]));
    for (let model = 0; model < table.width; model++) {
      const code = table.at(test, model);
      const name = table.data.models[model][0];
      const cell = h("span", { role: "gridcell", "data-model": String(model), "aria-label": `${name}: ${words(code)}`, title: `${name}: ${isUnanswered(code) ? table.reason(code) : words(code)}` });
      if (this.filter.times) {
        const time = table.times?.[test * table.width + model] ?? 32;
        cell.append(h("small", {}, time === 32 ? "" : timeText(seconds(time))));
      } else {
        cell.append(mark(code));
        if (isUnexpected(code)) cell.append(unlike());
      }
      if (table.hasChanged(test, model)) cell.classList.add("changed");
      row.append(cell);
    }
    row.append(h("span", { role: "gridcell", class: "time" }, h("small", {}, table.totals[test] > 0x5d ? timeText(seconds(table.totals[test])) : "")));
    return row;
  }

  private drawFoot(): void {
    const key = (text: string, words: string): HTMLElement => h("span", {}, h("kbd", {}, text), ` ${words}`);
    this.foot.replaceChildren(key("↑ ↓", "choose"), key("Enter", "open in the editor"), key("/", "search"), h("span", { class: "spring" }), h("button", { class: "text-button", onclick: () => this.exportTable() }, "Export CSV"));
  }

  private exportTable(): void {
    const { table } = this;
    if (!table) return;
    const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const rows = [...this.lines].filter((test) => test >= 0).map((test) => [table.data.names[test], table.data.languages[table.language[test]], table.families[test], ...table.data.models.map((_, model) => words(table.at(test, model)))]);
    const text = [["test", "language", "family", ...table.data.models.map(([name]) => name)], ...rows].map((row) => row.map(quote).join(",")).join("\n");
    const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" }));
    h("a", { href: address, download: `${(table.data.store ?? "results").replace(/\.\w+$/, "")}.csv` }).click();
    URL.revokeObjectURL(address);
  }

  // Choosing a test.

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 4);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" && this.test !== null) {
      event.preventDefault();
      this.drill.open();
      return;
    }
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || (event.target as Element).closest("button")) return;
    event.preventDefault();
    event.stopPropagation();
    this.chooseBy(by);
  }

  /** Chooses the test so many lines below; above, if it is negative. */
  private chooseBy(by: number): void {
    const tests = this.lines.filter((test) => test >= 0);
    if (!tests.length) return;
    const now = this.test === null ? -1 : tests.indexOf(this.test);
    this.choose(tests[Math.max(0, Math.min(tests.length - 1, now + by))]);
  }

  private choose(test: number | null, model?: number): void {
    this.test = test;
    this.keepAddress();
    this.shownFrom = -1;
    if (test !== null) this.reveal(test);
    this.draw();
    if (test === null) this.grid.removeAttribute("aria-activedescendant");
    else this.grid.setAttribute("aria-activedescendant", `test-${test}`);
    void this.showTest(model);
    if (test === null) this.grid.focus({ preventScroll: true });
  }

  private reveal(test: number): void {
    const place = this.placeOf[test] ?? -1;
    if (place < 0) return;
    const y = this.rows.offsetTop + place * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    if (y < scrollTop + 2 * ROW + 10) this.scroller.scrollTop = place <= 1 ? 0 : y - 3 * ROW;
    else if (y + ROW > scrollTop + clientHeight) this.scroller.scrollTop = y + 2 * ROW - clientHeight;
  }

  private async showTest(model?: number): Promise<void> {
    const { test, table } = this;
    this.element.classList.toggle("shows-test", test !== null);
    if (test === null || !table) {
      this.drill.empty();
      return;
    }
    try {
      const found = await this.ask<TestDetail>(`/test?run=${this.run}&test=${test}`);
      if (this.test === test) this.drill.show(found, this.filter.differ, model === undefined ? undefined : table.data.models[model]?.[0]);
    } catch (problem) {
      this.handlers.notify((problem as Error).message);
    }
  }
}

function tally(words: string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

function words(code: number): string {
  if (isUnanswered(code)) return "unanswered";
  if (code === 46) return "not answered yet";
  const found = code === 87 || code === 119 ? "forbidden within a bound" : ["", "allowed", "forbidden", "undefined"][outcomeOf(code)];
  return found + (isUnexpected(code) ? ", not as expected" : "");
}

/** Filled: allowed; hollow: forbidden; dashed: forbidden within a bound. */
function mark(code: number): HTMLElement {
  const kind = isUnanswered(code) ? "unanswered" : code === 46 ? "waiting" : code === 87 || code === 119 ? "within" : ["", "allowed", "forbidden", "undefined"][outcomeOf(code)];
  return h("i", { class: `sign-${kind}`, "aria-hidden": "true" }, { unanswered: "?", waiting: "·", undefined: "!" }[kind] ?? "");
}

function unlike(): HTMLElement {
  return h("i", { class: "sign-unlike", "aria-hidden": "true" }, "≠");
}
