/** Pointers on the scene: a body that is taken follows the pointer, in the plane that faces the camera. */
import type { Actors } from "./draw/actors";
import { pick, type Hit } from "./draw/pick";
import type { Stage } from "./draw/stage";
import type { Send } from "./wire/commands";
import type { Vector3 } from "./wire/messages";
import type { Poses } from "./world/poses";
import { add, dot, scale, subtract, untransform } from "./world/pose";

/** Pulls are sent at most so often [ms]. */
const PULL_PAUSE = 16;
/** How far beside a body the pointer may be and still take it [pixels]. */
const MOUSE_SLACK = 5;
const TOUCH_SLACK = 14;
/** With more parts than that, looking for what is under the pointer waits for a click. */
const HOVER_PARTS = 40_000;
const HOVER_PAUSE = 60;

export interface Held {
  actor: number;
  body: number;
  /** In the body's frame. */
  point: Vector3;
  /** In the world. */
  to: Vector3;
}

/** What the scene is now: changes when another one is opened. */
export interface Scenery {
  poses: Poses;
  actors: Actors;
}

export class Dragging {
  /** What this page holds. */
  held: Held | null = null;
  private pointer: PointerEvent | null = null;
  private plane: { point: Vector3; normal: Vector3 } | null = null;
  private lastPull = 0;
  private pullTimer: ReturnType<typeof setTimeout> | null = null;
  private lastHover = 0;

  constructor(
    private readonly stage: Stage,
    private readonly scenery: () => Scenery | null,
    private readonly send: Send,
    private readonly onHover: (hit: Hit | null, event: PointerEvent) => void,
  ) {
    const area = stage.canvas.parentElement!;
    // before OrbitControls, which listens on the canvas itself
    area.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    window.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    window.addEventListener("pointerup", (event) => this.up(event), { capture: true });
    window.addEventListener("pointercancel", (event) => this.up(event), { capture: true });
    window.addEventListener("blur", () => this.drop());
  }

  drop(): void {
    if (!this.held) return;
    if (this.pullTimer) clearTimeout(this.pullTimer);
    this.pullTimer = null;
    this.held = null;
    this.plane = null;
    this.pointer = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("holding");
    this.send({ do: "drop" });
    this.stage.changed();
  }

  /** The scene went away under the hand. */
  forget(): void {
    if (this.pullTimer) clearTimeout(this.pullTimer);
    this.pullTimer = null;
    this.held = null;
    this.pointer = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove("holding");
  }

  private down(event: PointerEvent): void {
    if (event.target !== this.stage.canvas) return;
    if (this.held && this.pointer && event.pointerId !== this.pointer.pointerId) return this.giveToCamera();
    if (event.button !== 0 || this.held) return;
    const scenery = this.scenery();
    const hit = this.under(event.clientX, event.clientY, event.pointerType);
    const body = hit && scenery?.poses.bodyAt(hit.place);
    if (!scenery || !hit || !body) return;
    if (event.shiftKey) {
      event.stopPropagation();
      return this.send({ do: "follow", actor: body.actor });
    }
    this.stage.controls.enabled = false;
    this.pointer = event;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add("holding");
    // keys go on, without a ring around the scene
    this.stage.canvas.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
    this.onHover(null, event);
    const pose = scenery.poses.pose(hit.place);
    this.held = { ...body, point: untransform(pose, hit.point), to: hit.point };
    this.plane = { point: hit.point, normal: this.stage.ahead };
    this.send({ do: "grab", ...this.held });
    this.stage.changed();
  }

  private move(event: PointerEvent): void {
    if (this.held && this.plane && event.pointerId === this.pointer?.pointerId) {
      const { origin, direction } = this.stage.ray(event.clientX, event.clientY);
      const toward = dot(direction, this.plane.normal);
      if (toward < 1e-3) return;
      const distance = dot(subtract(this.plane.point, origin), this.plane.normal) / toward;
      this.held.to = add(origin, scale(direction, distance));
      this.pull();
      this.stage.changed();
    } else if (!this.held && event.target === this.stage.canvas && event.buttons === 0 && event.pointerType !== "touch") {
      this.hover(event);
    } else if (!this.held && event.target !== this.stage.canvas) {
      this.onHover(null, event);
    }
  }

  private up(event: PointerEvent): void {
    if (event.pointerId === this.pointer?.pointerId) this.drop();
  }

  /** A second finger: two turn and zoom, as if both had come down beside all bodies. */
  private giveToCamera(): void {
    const first = this.pointer!;
    this.drop();
    this.stage.canvas.dispatchEvent(new PointerEvent("pointerdown", { ...copyOf(first), bubbles: false }));
  }

  private pull(): void {
    if (this.pullTimer) return;
    const wait = Math.max(0, PULL_PAUSE - (performance.now() - this.lastPull));
    this.pullTimer = setTimeout(() => {
      this.pullTimer = null;
      if (!this.held) return;
      this.lastPull = performance.now();
      this.send({ do: "pull", to: this.held.to });
    }, wait);
  }

  /** What a pointer at a point of the page would take. */
  under(clientX: number, clientY: number, pointerType: string): Hit | null {
    const scenery = this.scenery();
    if (!scenery?.poses.known) return null;
    const { origin, direction } = this.stage.ray(clientX, clientY);
    const pixels = pointerType === "touch" ? TOUCH_SLACK : MOUSE_SLACK;
    const slack = pixels * this.stage.pixelAt(add(origin, this.stage.ahead));
    return pick(scenery.actors, scenery.poses, origin, direction, slack);
  }

  private hover(event: PointerEvent): void {
    const now = performance.now();
    const scenery = this.scenery();
    if (!scenery || scenery.actors.drawn > HOVER_PARTS || now - this.lastHover < HOVER_PAUSE) return;
    this.lastHover = now;
    this.onHover(this.under(event.clientX, event.clientY, event.pointerType), event);
  }
}

function copyOf(event: PointerEvent): PointerEventInit {
  const { pointerId, pointerType, clientX, clientY, button, buttons, isPrimary } = event;
  return { pointerId, pointerType, clientX, clientY, button, buttons, isPrimary };
}
