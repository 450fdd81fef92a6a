/** The strip that shows the followed actor's assembly tree: active region, rigid front, update region. */
import type { Send } from "../wire/commands";
import type { Tree } from "../wire/messages";
import { element } from "./element";
import { whole } from "./numbers";
import { layOut, type TreeLayout } from "./tree-layout";

/** States of nodes, in the order of the protocol's numbers. */
const STATES = ["--tree-rigid", "--tree-open", "--tree-front", "--tree-new"];

export class TreeStrip {
  private readonly canvas = element<HTMLCanvasElement>("tree-canvas");
  private readonly follow = element<HTMLInputElement>("follow");
  private tree: Tree | null = null;
  private layout: TreeLayout | null = null;
  private states: Uint8Array = new Uint8Array(0);
  private waiting = false;

  constructor(send: Send) {
    this.follow.onchange = () => {
      const actor = Math.min(Number(this.follow.max || 0), Math.max(0, Math.round(Number(this.follow.value))));
      send({ do: "follow", actor });
    };
    new ResizeObserver(() => this.changed()).observe(this.canvas);
  }

  setActors(count: number): void {
    this.follow.max = String(Math.max(0, count - 1));
    element("follow-label").hidden = count < 2;
  }

  setFollow(actor: number): void {
    if (document.activeElement !== this.follow) this.follow.value = String(actor);
  }

  setTree(tree: Tree | null): void {
    this.tree = tree;
    this.layout = null;
    this.states = new Uint8Array(tree?.nodes.length ?? 0);
    if (tree) {
      try {
        this.layout = layOut(tree.nodes);
      } catch (problem) {
        console.warn("tree dropped:", problem);
      }
    }
    this.changed();
  }

  setStates(states: Uint8Array): void {
    if (states.length !== this.states.length) return;
    this.states = states.slice();
    this.changed();
  }

  /** How many nodes are in a state. */
  count(state: number): number {
    return this.states.reduce((sum, s) => sum + (s === state ? 1 : 0), 0);
  }

  /** Draws soon: many changes may come at once. */
  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      this.draw();
    }, 50);
  }

  private draw(): void {
    const { canvas, layout, tree } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(canvas);
    if (!layout || !tree || tree.nodes.length < 2) {
      context.fillStyle = style.getPropertyValue("--faint");
      context.font = "12px system-ui, sans-serif";
      context.fillText(tree ? "A single body has no tree." : "No tree.", 2, 16);
      canvas.setAttribute("aria-label", "No assembly tree");
      return;
    }
    const colours = STATES.map((name) => style.getPropertyValue(name));
    const tall = height / layout.rows;
    const gap = tall > 5 ? 1 : 0;
    for (let node = 0; node < tree.nodes.length; node++) {
      if (layout.row[node] < 0) continue;
      const x = layout.left[node] * width;
      const wide = layout.right[node] * width - x;
      context.fillStyle = colours[this.states[node]] ?? colours[0];
      context.fillRect(x, layout.row[node] * tall, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), Math.max(0.5, tall - gap));
    }
    const label = `Assembly tree of actor ${tree.actor}: ${whole(tree.nodes.length)} nodes, ${whole(this.count(1) + this.count(3))} open, ${whole(this.count(2))} on the rigid front`;
    canvas.setAttribute("aria-label", label);
    canvas.title = label;
  }
}
