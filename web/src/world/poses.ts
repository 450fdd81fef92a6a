/** Where everything is: what frames have told of one scene, in the form that the graphics processor reads.
 *
 *  ```text
 *  place   0: the world   1 … : bodies of actor 0   … : bodies of actor 1 …
 *
 *  bodies  per place two texels:    x y z slot | qx qy qz qw              the body in its group
 *  groups  per place three texels:  x y z activity | qx qy qz qw | r g b worth
 *  ```
 *
 *  An actor has no more groups than bodies, so the slots of its groups begin where its bodies do.
 *  A frame that only moves groups touches only `groups`; bodies change when an actor is regrouped. */
import { groupColour, WORLD_COLOUR } from "../draw/colours";
import { WORDS_PER_BODY, WORDS_PER_GROUP, WORLD, type Frame, type FrameContext } from "../wire/frame";
import type { Figure, Scene } from "../wire/messages";
import { compose, type Pose } from "./pose";
import { Touched, wholeRows } from "./touched";

export const BODY_FLOATS = 8;
export const GROUP_FLOATS = 12;
/** Stands for "not known": NaN does not travel well through graphics processors. */
export const UNKNOWN = -1;

export class Poses implements FrameContext {
  readonly epoch: number;
  readonly actors: number;
  readonly places: number;
  readonly bodies: Float32Array<ArrayBuffer>;
  readonly groups: Float32Array<ArrayBuffer>;
  readonly touchedBodies: Touched;
  readonly touchedGroups: Touched;
  /** All actors were heard of. */
  known = false;

  private readonly figures: Figure[];
  private readonly figureOf: Uint32Array;
  private readonly firstPlace: Uint32Array;
  private readonly groupCount: Uint32Array;

  constructor(scene: Scene) {
    this.epoch = scene.epoch;
    this.actors = scene.actors.length;
    this.figures = scene.figures;
    this.figureOf = Uint32Array.from(scene.actors);
    this.firstPlace = new Uint32Array(this.actors);
    this.groupCount = new Uint32Array(this.actors);
    let place = 1;
    for (let actor = 0; actor < this.actors; actor++) {
      this.firstPlace[actor] = place;
      place += this.bodiesOf(actor);
    }
    this.places = place;
    this.bodies = new Float32Array(wholeRows(place * BODY_FLOATS));
    this.groups = new Float32Array(wholeRows(place * GROUP_FLOATS));
    this.touchedBodies = new Touched();
    this.touchedGroups = new Touched();
    // the world stands in itself
    this.bodies[7] = 1;
    this.groups.set([0, 0, 0, 0, 0, 0, 0, 1, ...WORLD_COLOUR, UNKNOWN]);
  }

  figure(actor: number): Figure {
    return this.figures[this.figureOf[actor]];
  }

  bodiesOf(actor: number): number {
    return this.figures[this.figureOf[actor]].bodies.length;
  }

  groupsOf(actor: number): number {
    return this.groupCount[actor];
  }

  placeOf(actor: number, body: number): number {
    return this.firstPlace[actor] + body;
  }

  /** The slot of the group that the body stands in: 0 is the world. */
  slotOf(place: number): number {
    return this.bodies[place * BODY_FLOATS + 3];
  }

  /** Actor and body at a place; nothing for the world. */
  bodyAt(place: number): { actor: number; body: number } | null {
    if (place < 1 || place >= this.places) return null;
    let low = 0;
    let high = this.actors;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.firstPlace[middle] <= place) low = middle;
      else high = middle;
    }
    return { actor: low, body: place - this.firstPlace[low] };
  }

  apply(frame: Frame): void {
    for (const { actor, groups, word } of frame.regrouped) this.regroup(frame, actor, groups, word);
    for (const { actor, word } of frame.moved) this.move(frame, actor, word);
    if (frame.complete) this.known = true;
  }

  private regroup({ floats, words }: Frame, actor: number, groups: number, word: number): void {
    const first = this.firstPlace[actor];
    const count = this.bodiesOf(actor);
    this.groupCount[actor] = groups;
    // a group is known by the first of its bodies: so it keeps its colour while others come and go
    const coloured = new Uint8Array(groups);
    for (let body = 0; body < count; body++) {
      const from = word + body * WORDS_PER_BODY;
      const to = (first + body) * BODY_FLOATS;
      const group = words[from];
      this.bodies[to] = floats[from + 1];
      this.bodies[to + 1] = floats[from + 2];
      this.bodies[to + 2] = floats[from + 3];
      this.bodies[to + 3] = group === WORLD ? 0 : first + group;
      this.bodies[to + 4] = floats[from + 4];
      this.bodies[to + 5] = floats[from + 5];
      this.bodies[to + 6] = floats[from + 6];
      this.bodies[to + 7] = floats[from + 7];
      if (group !== WORLD && !coloured[group]) {
        coloured[group] = 1;
        this.groups.set(groupColour(actor, body), (first + group) * GROUP_FLOATS + 8);
      }
    }
    this.touchedBodies.add(first * BODY_FLOATS, count * BODY_FLOATS);
    this.touchedGroups.add(first * GROUP_FLOATS, groups * GROUP_FLOATS);
  }

  private move({ floats }: Frame, actor: number, word: number): void {
    const first = this.firstPlace[actor];
    const count = this.groupCount[actor];
    const groups = this.groups;
    for (let group = 0; group < count; group++) {
      const from = word + group * WORDS_PER_GROUP;
      const to = (first + group) * GROUP_FLOATS;
      const activity = floats[from + 7];
      const worth = floats[from + 8];
      groups[to] = floats[from];
      groups[to + 1] = floats[from + 1];
      groups[to + 2] = floats[from + 2];
      groups[to + 3] = Number.isNaN(activity) ? UNKNOWN : Math.abs(activity);
      groups[to + 4] = floats[from + 3];
      groups[to + 5] = floats[from + 4];
      groups[to + 6] = floats[from + 5];
      groups[to + 7] = floats[from + 6];
      groups[to + 11] = Number.isNaN(worth) ? UNKNOWN : worth;
    }
    this.touchedGroups.add(first * GROUP_FLOATS, count * GROUP_FLOATS);
  }

  /** The body's frame in the world. */
  pose(place: number): Pose {
    const body = place * BODY_FLOATS;
    const group = this.bodies[body + 3] * GROUP_FLOATS;
    return compose(texelPose(this.groups, group), texelPose(this.bodies, body));
  }

  /** How many groups there are, over all actors. */
  groupTotal(): number {
    let total = 0;
    for (const count of this.groupCount) total += count;
    return total;
  }
}

function texelPose(numbers: Float32Array, at: number): Pose {
  return {
    position: [numbers[at], numbers[at + 1], numbers[at + 2]],
    turn: [numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 7]],
  };
}
