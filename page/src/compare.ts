// One program under several models: verdicts, counts and outcomes as a matrix.
import { disable, h, verdictIcon } from "./dom";
import type { Answer, Outcome } from "./types";

export interface CompareHandlers {
  choose(outcome: Outcome, model: string, isPossible: boolean): void;
  setModels(models: string[]): void;
  /** Shows the execution that violates a property under a model. */
  showFailure(model: string): void;
}

const SHORT: Record<string, string> = { holds: "HOLDS", "holds-within": "WITHIN", violated: "VIOLATED", unknown: "UNKNOWN" };

/** The matrix; without handlers nobody can be asked for more. */
export function compareTab(columns: Answer[], models: string[], all: string[], most: number, handlers?: CompareHandlers): HTMLElement {
  const key = (outcome: Outcome): string => JSON.stringify(Object.entries(outcome).sort());
  const outcomes = new Map<string, Outcome>();
  for (const column of columns) for (const outcome of column.outcomes ?? []) outcomes.set(key(outcome), outcome);
  const names = [...new Set([...outcomes.values()].flatMap((outcome) => Object.keys(outcome)))];
  const constant = names.filter((name) => new Set([...outcomes.values()].map((outcome) => outcome[name])).size === 1 && outcomes.size > 1);
  const shown = names.filter((name) => !constant.includes(name));
  const has = (column: Answer, id: string): boolean => (column.outcomes ?? []).some((outcome) => key(outcome) === id);
  const isWhole = (column: Answer): boolean => column.guarantee.startsWith("all ") && column.verdict !== "unknown";
  const sc = columns.find((column) => column.model === "sc");
  const sorted = [...outcomes.entries()].sort(([, a], [, b]) => shown.map((name) => Number(a[name]) - Number(b[name])).find((difference) => difference) ?? 0);

  const add = h("select", { class: "add-model", "aria-label": "Add model", onchange: () => {
    if (add.value) handlers?.setModels([...models, add.value]);
  } }, h("option", { value: "" }, "Add model"), ...all.filter((name) => !models.includes(name)).map((name) => h("option", { value: name }, name)));
  if (models.length >= most) disable(add, `At most ${most} models are compared at a time`);
  const head = h("tr", {}, h("th", {}, handlers && add), ...columns.map((column) => h("th", { scope: "col" }, column.model, handlers && h("button", { class: "remove", title: `Leave out ${column.model}`, "aria-label": `Leave out ${column.model}`, onclick: () => handlers.setModels(models.filter((name) => name !== column.model)) }, "×"))));
  const verdicts = h("tr", { class: "verdict-row" }, h("th", { scope: "row" }, "Verdict"), ...columns.map((column) => h("td", { title: column.reason ?? column.bound ?? "" }, h("div", { class: `cell-verdict ${column.verdict}` }, verdictIcon(column.verdict ?? "unknown", 20), h("b", {}, SHORT[column.verdict ?? ""] ?? "EXPLORED")))));
  const counts = h("tr", {}, h("th", { scope: "row", class: "light" }, "Executions"), ...columns.map((column) => h("td", { title: column.statistics.failed ? `${column.statistics.executions} complete, ${column.statistics.failed} failing` : "" }, countOf(column))));
  const failures = new Map<string, string>(); // executions that fail have no final state
  for (const finding of columns.flatMap((column) => column.findings)) {
    const isShown = finding.verdict === "violated" && !finding.warning && finding.property !== "condition";
    if (isShown && !failures.has(finding.property)) failures.set(finding.property, finding.reason || finding.property);
  }
  const verdictOn = (column: Answer, property: string): string | undefined => column.findings.find((finding) => finding.property === property)?.verdict;
  const failing = [...failures].map(([property, words]) => {
    const isNew = sc && verdictOn(sc, property) === "holds";
    return h("tr", { class: "fails-row" }, h("th", { scope: "row" }, h("code", {}, words), isNew ? h("small", {}, "not under sc") : ""), ...columns.map((column) => {
      const verdict = verdictOn(column, property);
      if (!verdict) return h("td", { title: `does not apply under ${column.model}` }, "·");
      const label = verdict === "violated" ? "possible" : verdict === "holds" ? "impossible" : "not known";
      const props = { class: `dot ${label.replace(" ", "-")}`, "aria-label": `${words}: ${label} under ${column.model}`, title: `${label} under ${column.model}` };
      const canShow = handlers && verdict === "violated" && column.property === property;
      const sign = label === "not known" ? "?" : "";
      return h("td", {}, canShow ? h("button", { ...props, onclick: () => handlers.showFailure(column.model) }, sign) : h("span", { ...props, role: "img" }, sign));
    }));
  });
  const rows = sorted.map(([id, outcome]) => {
    const words = shown.map((name) => `${name}=${outcome[name]}`).join("  ");
    const isNew = sc && isWhole(sc) && !has(sc, id);
    return h("tr", {}, h("th", { scope: "row" }, h("code", {}, words), isNew ? h("small", {}, "not under sc") : ""), ...columns.map((column) => {
      const isPossible = has(column, id);
      const isKnown = isPossible || isWhole(column);
      const label = isPossible ? "possible" : isKnown ? "impossible" : "not known";
      const props = { class: `dot ${label.replace(" ", "-")}`, "aria-label": `${words}: ${label} under ${column.model}`, title: `${label} under ${column.model}` };
      const sign = isKnown ? "" : "?";
      return h("td", {}, handlers ? h("button", { ...props, onclick: () => handlers.choose(outcome, column.model, isPossible) }, sign) : h("span", { ...props, role: "img" }, sign));
    }));
  });
  return h("section", { class: "compare" },
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, head), h("tbody", {}, verdicts, counts, ...failing, ...rows))),
    h("p", { class: "legend-line" }, h("span", { class: "dot possible", "aria-hidden": "true" }), " possible", h("span", { class: "dot impossible", "aria-hidden": "true" }), " impossible",
      constant.length ? h("span", {}, "In every outcome: ", h("code", {}, constant.map((name) => `${name}=${[...outcomes.values()][0][name]}`).join(" "))) : ""),
    h("p", { class: "quiet" }, !rows.length && !failing.length ? "No final states are listed." : handlers ? "Choose a filled cell for an execution, a hollow one for the reason why there is none." : ""));
}

function countOf({ statistics }: Answer): string {
  const count = String(statistics.executions ?? statistics.classes ?? statistics.states ?? "·");
  return statistics.failed ? `${count} + ${statistics.failed}` : count;
}

/** The band above a comparison. */
export function compareBand(columns: Answer[]): { verdict: string; word: string; headline: string; guarantee: string } {
  const violated = columns.filter((column) => column.verdict === "violated").length;
  const unknown = columns.filter((column) => !column.verdict || column.verdict === "unknown").length;
  const whole = columns.every((column) => column.guarantee.startsWith("all ") && column.verdict !== "unknown");
  const guarantee = whole ? "membar explored every execution that each model allows: this comparison is complete." : "Not every search was complete: cells with a question mark are not known.";
  if (violated) return { verdict: "violated", word: "VIOLATED", headline: `under ${violated} of ${columns.length} models`, guarantee };
  if (unknown) return { verdict: "unknown", word: "UNKNOWN", headline: `under ${unknown} of ${columns.length} models`, guarantee };
  return { verdict: "holds", word: "HOLDS", headline: `under all ${columns.length} models`, guarantee };
}
