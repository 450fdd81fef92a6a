/** Binary frames: docs/viewer-protocol.md, "From the server: frames". */
import type { Vector3 } from "./messages";

/** Group of bodies that stand in the world and never move. */
export const WORLD = 0xffffffff;
/** u32 group, seven numbers of the body in it. */
export const WORDS_PER_BODY = 8;
/** Position, quaternion, activity, worth. */
export const WORDS_PER_GROUP = 9;

const FIGURES = 16;
const HEADER_WORDS = 22;

/** Names of the sixteen figures, in their order. */
export const FIGURE_NAMES = [
  "activeJoints",
  "groups",
  "msPerStep",
  "msLongest",
  "realTime",
  "kinetic",
  "potential",
  "error",
  "contacts",
  "penetration",
  "gap",
  "asleep",
  "bytes",
  "steps",
  "stepsPerSecond",
  "pixelsPerSecond",
] as const;
export type Figures = Record<(typeof FIGURE_NAMES)[number], number>;

export interface Hand {
  actor: number;
  body: number;
  /** In the body's frame. */
  point: Vector3;
  /** In the world. */
  to: Vector3;
}

/** A frame that was checked: all places are inside it, all actors exist, all poses are finite. */
export interface Frame {
  epoch: number;
  number: number;
  /** All actors are in it. */
  complete: boolean;
  time: number;
  figures: Figures;
  /** Groups and the word where the bodies begin, by actor. */
  regrouped: { actor: number; groups: number; word: number }[];
  moved: { actor: number; word: number }[];
  hand: Hand | null;
  tree: Uint8Array | null;
  /** The words of the message, as floats and as whole numbers. */
  floats: Float32Array;
  words: Uint32Array;
}

/** What must be known of the scene to read a frame of it. */
export interface FrameContext {
  epoch: number;
  actors: number;
  bodiesOf(actor: number): number;
  groupsOf(actor: number): number;
}

export class MalformedFrame extends Error {}

/** The frame in a message; nothing if it is of another scene.
 *
 *  @throws MalformedFrame if it is not as the protocol says. Nothing was changed by then. */
export function readFrame(message: ArrayBuffer, context: FrameContext): Frame | null {
  if (message.byteLength % 4 !== 0) throw new MalformedFrame(`${message.byteLength} bytes are not whole words`);
  const words = new Uint32Array(message);
  const floats = new Float32Array(message);
  if (words.length < 2 || words[0] !== 1) throw new MalformedFrame("not a frame");
  if (words[1] !== context.epoch) return null;
  if (words.length < HEADER_WORDS + 4) throw new MalformedFrame(`${message.byteLength} bytes are too few`);

  let word = HEADER_WORDS;
  /** Takes so many words, and tells where they begin. */
  const take = (count: number): number => {
    const begin = word;
    if (count > words.length - word) throw new MalformedFrame(`ends at word ${words.length}, in the middle of something`);
    word += count;
    return begin;
  };
  const takeActor = (): number => {
    const actor = words[take(1)];
    if (actor >= context.actors) throw new MalformedFrame(`no actor ${actor}`);
    return actor;
  };
  const checkFinite = (begin: number, count: number): void => {
    for (let i = begin; i < begin + count; i++) {
      if (!Number.isFinite(floats[i])) throw new MalformedFrame(`${floats[i]} in a pose, word ${i}`);
    }
  };

  const regrouped: Frame["regrouped"] = [];
  const groupsNow = new Map<number, number>();
  for (let left = words[take(1)]; left > 0; left--) {
    const actor = takeActor();
    const groups = words[take(1)];
    const bodies = context.bodiesOf(actor);
    if (groups > bodies) throw new MalformedFrame(`actor ${actor}: ${groups} groups of ${bodies} bodies`);
    const begin = take(bodies * WORDS_PER_BODY);
    for (let body = 0; body < bodies; body++) {
      const at = begin + body * WORDS_PER_BODY;
      const group = words[at];
      if (group >= groups && group !== WORLD) throw new MalformedFrame(`actor ${actor}: no group ${group}`);
      checkFinite(at + 1, 7);
    }
    regrouped.push({ actor, groups, word: begin });
    groupsNow.set(actor, groups);
  }

  const moved: Frame["moved"] = [];
  for (let left = words[take(1)]; left > 0; left--) {
    const actor = takeActor();
    const groups = groupsNow.get(actor) ?? context.groupsOf(actor);
    const begin = take(groups * WORDS_PER_GROUP);
    for (let group = 0; group < groups; group++) checkFinite(begin + group * WORDS_PER_GROUP, 7);
    moved.push({ actor, word: begin });
  }

  let hand: Hand | null = null;
  const holding = words[take(1)];
  if (holding > 1) throw new MalformedFrame(`${holding} hands`);
  if (holding === 1) {
    const actor = takeActor();
    const body = words[take(1)];
    if (body >= context.bodiesOf(actor)) throw new MalformedFrame(`actor ${actor}: no body ${body}`);
    const at = take(6);
    checkFinite(at, 6);
    hand = {
      actor,
      body,
      point: [floats[at], floats[at + 1], floats[at + 2]],
      to: [floats[at + 3], floats[at + 4], floats[at + 5]],
    };
  }

  const treeBytes = words[take(1)];
  const treeWord = take(Math.ceil(treeBytes / 4));
  const tree = treeBytes > 0 ? new Uint8Array(message, treeWord * 4, treeBytes) : null;

  const figures = {} as Figures;
  for (let i = 0; i < FIGURES; i++) figures[FIGURE_NAMES[i]] = floats[6 + i];
  return {
    epoch: words[1],
    number: words[2],
    complete: (words[3] & 1) !== 0,
    time: new DataView(message).getFloat64(16, true),
    figures,
    regrouped,
    moved,
    hand,
    tree,
    floats,
    words,
  };
}
