// The menus of the bar: model, what is checked, bounds, sharing.
import { copyText, h, moveFocus } from "./dom";
import { LONGEST_LINK, encode } from "./share";
import type { State } from "./state";
import type { Contents } from "./types";

export interface MenuHandlers {
  changed(): void;
  writeModel(): void;
}

/** A button that opens a panel below it; only one is open at a time. */
export class Menu {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  private readonly panel = h("div", { class: "menu-panel", hidden: true });
  private readonly value = h("strong", {});
  static open: Menu | null = null;

  constructor(readonly label: string, private readonly fill: (panel: HTMLElement, close: () => void) => void, options: { isPlain?: boolean } = {}) {
    this.button = h("button", { class: `menu-button${options.isPlain ? " plain" : ""}`, "aria-haspopup": "dialog", "aria-expanded": "false", onclick: () => this.toggle() },
      ...(options.isPlain ? [h("strong", {}, label)] : [h("span", { class: "menu-label" }, label), this.value, h("span", { class: "caret", "aria-hidden": "true" })]));
    this.panel.setAttribute("role", "dialog");
    this.panel.setAttribute("aria-label", label);
    this.element = h("div", { class: `menu menu-${label.toLowerCase()}` }, this.button, this.panel);
  }

  setValue(text: string): void {
    this.value.textContent = text;
  }

  toggle(): void {
    if (this.panel.hidden) this.show();
    else this.close();
  }

  show(): void {
    Menu.open?.close();
    Menu.open = this;
    this.panel.replaceChildren();
    this.fill(this.panel, () => this.close());
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    const box = this.panel.getBoundingClientRect();
    if (box.right > innerWidth - 8) this.panel.classList.add("to-left");
    this.panel.querySelector<HTMLElement>("[aria-checked=true], input, button, select, textarea")?.focus();
  }

  close(): void {
    if (this.panel.hidden) return;
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    this.panel.classList.remove("to-left");
    this.button.setAttribute("aria-expanded", "false");
    if (Menu.open === this) Menu.open = null;
    if (hadFocus) this.button.focus();
  }
}

document.addEventListener("pointerdown", (event) => {
  if (Menu.open && !Menu.open.element.contains(event.target as Node)) Menu.open.close();
});

const FIRST_GROUPS = ["Processors", "Languages", "For comparison"];

export function modelMenu(state: State, contents: () => Contents, handlers: MenuHandlers): Menu {
  let showsAll = false;
  const menu = new Menu("Model", (panel, close) => {
    const choose = (name: string): void => {
      state.model = name;
      state.modelText = "";
      close();
      handlers.changed();
    };
    const item = (name: string, title: string): HTMLElement => {
      const isChosen = state.model === name && !state.modelText;
      return h("button", { class: "menu-item", role: "menuitemradio", "aria-checked": String(isChosen), onclick: () => choose(name) }, h("span", { class: "tick-mark", "aria-hidden": "true" }, isChosen ? "✓" : ""), h("strong", {}, name || "automatic"), h("span", {}, title));
    };
    const list = h("div", { class: "menu-list", role: "menu" });
    list.addEventListener("keydown", (event) => moveFocus(list, event, "button"));
    list.append(item("", "the model of the program’s language"));
    const groups = [...new Set(contents().models.map((model) => model.group))].filter((group) => showsAll || FIRST_GROUPS.includes(group));
    for (const group of groups) {
      list.append(h("div", { class: "menu-group" }, group));
      for (const model of contents().models) if (model.group === group) list.append(item(model.name, model.title));
    }
    const isOwn = state.modelText !== "";
    list.append(h("div", { class: "menu-group" }, "Your own"), h("button", { class: "menu-item", role: "menuitemradio", "aria-checked": String(isOwn), onclick: () => {
      close();
      handlers.writeModel();
    } }, h("span", { class: "tick-mark", "aria-hidden": "true" }, isOwn ? "✓" : ""), h("strong", {}, "own.cat"), h("span", {}, "write a model in cat, below the program")));
    panel.append(list);
    if (!showsAll) panel.append(h("button", { class: "text-button", onclick: () => {
      showsAll = true;
      menu.close();
      menu.show();
    } }, `All ${contents().models.length} models`));
  });
  return menu;
}

export function checkMenu(state: State, contents: () => Contents, handlers: MenuHandlers): Menu {
  return new Menu("Check", (panel) => {
    const chosen = new Set((state.options["--property"] ?? "").split(",").map((name) => name.trim()).filter(Boolean));
    const set = (): void => {
      state.options["--property"] = [...chosen].join(",");
      all.checked = chosen.size === 0;
      handlers.changed();
    };
    const all = h("input", { type: "checkbox", checked: chosen.size === 0, onchange: () => {
      chosen.clear();
      panel.querySelectorAll<HTMLInputElement>("input[data-property]").forEach((box) => (box.checked = false));
      set();
    } });
    panel.append(h("label", { class: "check-row" }, all, h("span", {}, h("strong", {}, "All that apply"))));
    for (const property of contents().properties) {
      const box = h("input", { type: "checkbox", "data-property": property.name, checked: chosen.has(property.name), onchange: () => {
        if (box.checked) chosen.add(property.name);
        else chosen.delete(property.name);
        set();
      } });
      panel.append(h("label", { class: "check-row" }, box, h("span", {}, property.name, h("small", {}, property.title))));
    }
    panel.append(h("div", { class: "menu-group" }, "Also"));
    fields(panel, state, contents(), "check", handlers);
  });
}

export function boundsMenu(state: State, contents: () => Contents, handlers: MenuHandlers): Menu {
  return new Menu("Bounds", (panel) => {
    panel.append(h("div", { class: "menu-group" }, "How far to look"));
    fields(panel, state, contents(), "bounds", handlers);
    panel.append(h("p", { class: "menu-note" }, "A bound that truncates the search makes the answer HOLDS WITHIN that bound."));
  });
}

/** The options that are declared for a menu, as text fields. */
function fields(panel: HTMLElement, state: State, contents: Contents, menu: string, handlers: MenuHandlers): void {
  const examples: Record<string, string> = {
    "--limit": `time=${contents.seconds}s`, "-D": "N=3", "--threads": "any", "--client": "2,2", "--ltl": "G(P.wait -> F P.cs)", "--error": "label or expression", "--buffers": "2 or unbounded", "--unroll": "4", "--max-unroll": "4", "--fair": "buffers",
  };
  for (const option of contents.options) {
    if (option.menu !== menu || option.name === "--property") continue;
    const field = h("input", { type: "text", value: state.options[option.name] ?? "", placeholder: examples[option.name] ?? option.placeholder, title: option.help, spellcheck: "false", autocomplete: "off", oninput: () => {
      state.options[option.name] = field.value;
      handlers.changed();
    } });
    panel.append(h("label", { class: "field-row" }, h("span", {}, option.label), field));
  }
}

export function shareMenu(state: State): Menu {
  return new Menu("Share", (panel) => {
    const link = h("input", { type: "text", readonly: true, "aria-label": "Link", class: "link" });
    const note = h("p", { class: "menu-note", role: "status" }, "The program is in the link itself. Nothing is uploaded. It opens wherever membar serve runs.");
    const copy = h("button", { class: "primary", onclick: () => {
      void copyText(link.value).then(() => (note.textContent = "The link was copied."));
    } }, "Copy link");
    const download = h("button", { class: "small-button", onclick: () => {
      const address = URL.createObjectURL(new Blob([state.program.text], { type: "text/plain" }));
      h("a", { href: address, download: state.program.name }).click();
      URL.revokeObjectURL(address);
    } }, "Download");
    panel.append(h("div", { class: "menu-group" }, "Link to this program and question"), link, h("div", { class: "buttons" }, copy, download), note);
    const shared = { ...state.program, model: state.model || undefined, modelText: state.modelText || undefined, options: state.options };
    void encode(shared).then((fragment) => {
      link.value = `${location.origin}/#${fragment}`;
      if (link.value.length > LONGEST_LINK) {
        link.value = "";
        copy.disabled = true;
        note.textContent = "This program is too long for a link. Download it instead.";
      } else link.select();
    });
  }, { isPlain: true });
}
