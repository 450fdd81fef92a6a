/** The panel folds; on a narrow screen it is a sheet at the bottom, and holds the tree too. */
import { element } from "./element";

const NARROW = window.matchMedia("(max-width: 760px)");

export class Fold {
  private readonly button = element<HTMLButtonElement>("fold");

  constructor() {
    this.button.onclick = () => this.toggle();
    this.set(!NARROW.matches);
  }

  toggle(): void {
    this.set(document.body.classList.contains("folded"));
  }

  private set(open: boolean): void {
    document.body.classList.toggle("folded", !open);
    this.button.setAttribute("aria-expanded", String(open));
    this.button.setAttribute("aria-label", open ? "Fold the controls" : "Show the controls");
  }
}

/** Moves the tree into the sheet on narrow screens, and back under the scene on wide ones. */
export function fitToScreen(): void {
  const tree = element("tree");
  const fit = () => {
    if (NARROW.matches) element("panel-body").insertBefore(tree, element("panel-body").querySelector("footer"));
    else element("app").insertBefore(tree, element("panel"));
  };
  NARROW.addEventListener("change", fit);
  fit();
}
