import { describe, expect, it } from "vitest";
import { groupColour } from "../src/draw/colours";
import { readFrame } from "../src/wire/frame";
import type { Scene } from "../src/wire/messages";
import { Poses, GROUP_FLOATS, UNKNOWN } from "../src/world/poses";
import { twoActors } from "./frame-bytes";

const scene = {
  epoch: 7,
  figures: [
    { bodies: ["a", "b", "c"], joints: 2, solids: [] },
    { bodies: ["ball"], joints: 0, solids: [] },
  ],
  actors: [0, 1],
} as unknown as Scene;

/** As a page that has heard of actor 1 before. */
function read(): Poses {
  const poses = new Poses(scene);
  const context = { epoch: 7, actors: 2, bodiesOf: (actor: number) => poses.bodiesOf(actor), groupsOf: () => 1 };
  poses.apply(readFrame(twoActors().bytes(), context)!);
  return poses;
}

describe("Poses", () => {
  it("composes group and body", () => {
    const poses = read();
    expect(poses.pose(poses.placeOf(0, 0)).position).toEqual([10, 0, 0]);
    // turned by a quarter about z: x becomes y
    const [x, y, z] = poses.pose(poses.placeOf(0, 2)).position;
    expect(x).toBeCloseTo(20, 5);
    expect(y).toBeCloseTo(1, 5);
    expect(z).toBeCloseTo(0, 5);
  });

  it("leaves what stands in the world where it is", () => {
    const poses = read();
    const place = poses.placeOf(0, 1);
    expect(poses.slotOf(place)).toBe(0);
    expect(poses.pose(place).position).toEqual([9, 0, 0]);
  });

  it("finds bodies by their places", () => {
    const poses = read();
    expect(poses.bodyAt(0)).toBeNull();
    expect(poses.bodyAt(poses.placeOf(0, 2))).toEqual({ actor: 0, body: 2 });
    expect(poses.bodyAt(poses.placeOf(1, 0))).toEqual({ actor: 1, body: 0 });
    expect(poses.bodyAt(poses.places)).toBeNull();
  });

  it("names what is not known, and takes speeds without sign", () => {
    const poses = read();
    const first = poses.placeOf(0, 0) * GROUP_FLOATS;
    expect(poses.groups[first + 11]).toBe(UNKNOWN);
    expect(poses.groups[first + 3]).toBe(0.5);
    expect(poses.groups[first + GROUP_FLOATS + 3]).toBe(2);
  });

  it("colours a group by the first of its bodies", () => {
    const poses = read();
    const second = (poses.placeOf(0, 0) + 1) * GROUP_FLOATS;
    const colour = [...poses.groups.slice(second + 8, second + 11)];
    groupColour(0, 2).forEach((part, i) => expect(colour[i]).toBeCloseTo(part, 6));
  });

  it("is known once all actors were told of, and tells which rows changed", () => {
    const poses = read();
    expect(poses.known).toBe(true);
    expect(poses.touchedGroups.take()).toEqual([0]);
    expect(poses.touchedGroups.take()).toEqual([]);
  });
});
