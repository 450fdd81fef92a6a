/** The list of keys: one table for the help and for the keyboard. */
import { element, make } from "./element";

export interface Shortcut {
  /** `KeyboardEvent.key` */
  key: string;
  shown: string;
  what: string;
  run(): void;
}

const MOUSE: [string, string][] = [
  ["drag a body", "pulls it with a spring"],
  ["drag beside it", "turns the camera"],
  ["right button, two fingers", "moves the camera aside; pinch to zoom"],
  ["wheel", "zooms to the pointer"],
  ["shift + click a body", "shows its assembly tree"],
];

export class Help {
  private readonly dialog = element<HTMLDialogElement>("help");

  constructor(shortcuts: Shortcut[]) {
    const row = (key: string, what: string) => make("tr", {}, make("th", { scope: "row" }, make("kbd", { textContent: key })), make("td", { textContent: what }));
    const rows = [...shortcuts.map((shortcut) => row(shortcut.shown, shortcut.what)), ...MOUSE.map(([key, what]) => row(key, what))];
    element("help-body").append(make("table", {}, make("tbody", {}, ...rows)));
    element("open-help").onclick = () => this.toggle();
    this.dialog.querySelector<HTMLButtonElement>(".close")!.onclick = () => this.dialog.close();
    this.dialog.onclick = (event) => {
      if (event.target === this.dialog) this.dialog.close();
    };
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}

/** Keys work wherever nothing else wants them. */
export function listenToKeys(shortcuts: Shortcut[]): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=range]):not([type=checkbox]):not([type=radio]), select, textarea");
    const pressing = event.key === " " && target.matches("button, summary, input, a");
    if (typing || pressing || document.querySelector("dialog[open]")) return;
    const shortcut = shortcuts.find((candidate) => candidate.key === event.key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}
