/** `window.supple`: what tests (and the curious, in the browser's console) may ask the page. */
import type { Figures } from "./wire/frame";
import type { Scene, State, Vector3 } from "./wire/messages";

export interface TestHook {
  /** The socket is open and a scene is shown. */
  readonly connected: boolean;
  /** Number of the scene, −1 before the first. */
  readonly epoch: number;
  /** Time of the simulation [s]. */
  readonly time: number;
  /** Frames that were read since the page was opened, and those that were dropped as malformed. */
  readonly frames: number;
  readonly dropped: number;
  /** Images that were drawn since the page was opened. */
  readonly renders: number;
  readonly scene: Scene | null;
  readonly state: State | null;
  /** Parts that are drawn, and all there are. */
  readonly parts: [number, number];
  /** The figures of the last frame. */
  figures(): Figures | null;
  /** Groups of all actors together, as the frames have them. */
  groups(): number;
  /** Active joints of all actors together. */
  active(): number;
  /** Where a body's frame is in the world. */
  bodyPosition(actor: number, body: number): Vector3 | null;
  /** Actor and number of all bodies with that name. */
  bodyNamed(name: string): [number, number][];
  /** Where the middle of a body is seen, in CSS pixels of the page; nothing if it is behind the camera. */
  screenOf(actor: number, body: number): [number, number] | null;
  /** Where a point of the world is seen. */
  screenAt(point: Vector3): [number, number] | null;
  /** Actor and body that a pointer there would take, in CSS pixels of the page. */
  under(x: number, y: number): [number, number] | null;
  play(): void;
  pause(): void;
  /** As the key `a`. */
  lookAtAll(): void;
  /** Opens another scene, as the gallery does. */
  open(scene: string, settings?: Record<string, string>): void;
  /** What this page holds: actor, body, the point in the world and where it is drawn to. */
  held(): { actor: number; body: number; at: Vector3; to: Vector3 } | null;
}

declare global {
  interface Window {
    supple: TestHook;
  }
}
