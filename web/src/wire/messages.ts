/** What the server says in text: docs/viewer-protocol.md, in types. */

export type Vector3 = [number, number, number];
/** x, y, z, qx, qy, qz, qw */
export type Seven = [number, number, number, number, number, number, number];

export interface Camera {
  eye: Vector3;
  target: Vector3;
  up: Vector3;
  /** Angle between the upper and the lower edge of the image [rad]. */
  field: number;
}

export type Shape =
  | { type: "sphere"; radius: number }
  | { type: "box"; size: Vector3 }
  | { type: "capsule"; from: Vector3; to: Vector3; radius: number }
  | { type: "cylinder"; height: number; radius: number }
  | { type: "cone"; height: number; radius: number }
  | { type: "mesh"; corners: number[]; triangles: number[] }
  | { type: "half-space" };

export interface Solid {
  body: number;
  shape: number;
  at: Seven;
}

/** What an actor is made of. */
export interface Figure {
  bodies: string[];
  joints: number;
  solids: Solid[];
}

export interface Scene {
  type: "scene";
  epoch: number;
  name: string;
  summary: string;
  figure: string;
  settings: Record<string, string>;
  dt: number;
  joints: number;
  up: Vector3;
  /** Nothing where the scene has no camera of its own. */
  camera: Camera | null;
  shapes: Shape[];
  figures: Figure[];
  actors: number[];
  walls: { shape: number; at: Seven }[];
  policies: Policy[];
}

export const POLICIES = ["scene", "full", "joints", "error", "pixels", "budget"] as const;
export type Policy = (typeof POLICIES)[number];

export interface Detail {
  policy: Policy;
  value?: number | null;
}

export interface State {
  type: "state";
  playing: boolean;
  speed: number;
  detail: Detail;
  frozen_camera: boolean;
  holder: null | "you" | "other";
  watchers: number;
  follow: number;
  /** Name of a scene that is being built. */
  opening?: string | null;
  /** Why the scene has ended by a fault: until it is reset, or another is opened, nothing moves. */
  ended?: string | null;
}

/** `[a, b, joints]`: the two children or −1, and how many joints are inside; children before parents. */
export type TreeNode = [number, number, number];

export interface Tree {
  type: "tree";
  epoch: number;
  actor: number;
  nodes: TreeNode[];
}

export interface Hello {
  type: "hello";
  version: number;
  you: number;
}

export interface Refusal {
  type: "error";
  message: string;
}

export type Message = Hello | Scene | State | Tree | Refusal;

/** One scene of `/api/scenes`. */
export interface GalleryScene {
  name: string;
  figure: string | null;
  summary: string;
  world: boolean;
  thumb: string | null;
  parameters: { name: string; default: string; takes: string; doc: string }[];
}

/** The message in a text, or why it is none. */
export function readMessage(text: string): Message {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("a message is an object");
  const type = (value as { type?: unknown }).type;
  if (type === "scene") checkScene(value as Scene);
  if (type === "hello" || type === "scene" || type === "state" || type === "tree" || type === "error") return value as Message;
  throw new Error(`a message of type ${JSON.stringify(type)}`);
}

/** Places in lists must exist: all that draws relies on it. */
function checkScene(scene: Scene): void {
  const places = (list: number[], length: number, what: string) => {
    for (const place of list) {
      if (!Number.isInteger(place) || place < 0 || place >= length) throw new Error(`scene: no ${what} ${place}`);
    }
  };
  for (const key of ["shapes", "figures", "actors", "walls", "policies"] as const) {
    if (!Array.isArray(scene[key])) throw new Error(`scene: ${key} is no list`);
  }
  places(scene.actors, scene.figures.length, "figure");
  places(scene.walls.map((wall) => wall.shape), scene.shapes.length, "shape");
  for (const figure of scene.figures) {
    places(figure.solids.map((solid) => solid.shape), scene.shapes.length, "shape");
    places(figure.solids.map((solid) => solid.body), figure.bodies.length, "body");
  }
}
