// The campaign in the place of program and answer, as long as the address says so.
import type { Campaign, CampaignHandlers } from "./campaign";
import { h } from "./dom";
import type { Notice } from "./notice";

export class CampaignScreen {
  private campaign: Campaign | null = null;
  private readonly button = openButton("nav-button nav-campaign");
  /** The same in the bar of a phone. */
  readonly furtherButton = openButton("small-button more-campaign");
  readonly share = h("button", { class: "small-button campaign-share", title: "Copy a link to these tests; it opens where membar serve shows the same store", onclick: () => {
    if (this.campaign) void this.campaign.copyAddress().then(() => this.notice.sayBriefly("The link was copied. It opens where membar serve shows the same store."));
  } }, "Share");

  constructor(private readonly handlers: CampaignHandlers, private readonly notice: Notice) {}

  get element(): HTMLElement {
    return this.button;
  }

  /** The campaign, while it is shown. */
  get shown(): Campaign | null {
    return isCampaign() ? this.campaign : null;
  }

  async show(): Promise<void> {
    if (!this.campaign) {
      const loaded: typeof import("./campaign") = await import("./campaign.js" as string);
      await new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: "/static/campaign.css", onload: done, onerror: done })));
      this.campaign ??= new loaded.Campaign(this.handlers);
      this.notice.element.after(this.campaign.element);
    }
    if (!isCampaign()) return;
    document.body.classList.add("shows-campaign");
    this.campaign.element.hidden = false;
    this.button.classList.add("chosen");
    this.button.setAttribute("aria-current", "page");
    await this.campaign.show();
  }

  hide(): void {
    if (!this.campaign) return;
    this.campaign.hide();
    this.campaign.element.hidden = true;
    document.body.classList.remove("shows-campaign");
    this.button.classList.remove("chosen");
    this.button.removeAttribute("aria-current");
  }

  /** Goes back to program and answer. */
  leave(): void {
    if (!isCampaign()) return;
    history.pushState(null, "", location.pathname);
    this.hide();
  }
}

export function isCampaign(): boolean {
  return /^#campaign(\?|$)/.test(location.hash);
}

function openButton(classes: string): HTMLElement {
  return h("button", { class: classes, onclick: () => (location.hash = "#campaign") }, "Campaign");
}
