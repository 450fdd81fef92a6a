import { describe, expect, it } from "vitest";
import { Actors } from "../src/draw/actors";
import { pick } from "../src/draw/pick";
import { readFrame } from "../src/wire/frame";
import type { Scene, Vector3 } from "../src/wire/messages";
import { Poses } from "../src/world/poses";
import { FrameBytes } from "./frame-bytes";

/** A long thin capsule along x at z = 1, and a box at z = −2, each an actor. */
const scene = {
  epoch: 7,
  camera: { eye: [0, 0, 10] },
  shapes: [
    { type: "capsule", from: [-1, 0, 0], to: [1, 0, 0], radius: 0.1 },
    { type: "box", size: [2, 2, 2] },
  ],
  figures: [
    { bodies: ["rod"], joints: 0, solids: [{ body: 0, shape: 0, at: [0, 0, 0, 0, 0, 0, 1] }] },
    { bodies: ["box"], joints: 0, solids: [{ body: 0, shape: 1, at: [0, 0, 0, 0, 0, 0, 1] }] },
  ],
  actors: [0, 1],
  walls: [],
} as unknown as Scene;

const poses = new Poses(scene);
const bytes = new FrameBytes()
  .header()
  .u32(2, 0, 1, 0)
  .f32(0, 0, 0, 0, 0, 0, 1)
  .u32(1, 1, 0)
  .f32(0, 0, 0, 0, 0, 0, 1)
  .u32(2, 0)
  .f32(0, 0, 1, 0, 0, 0, 1, 0, 0)
  .u32(1)
  .f32(0, 0, -2, 0, 0, 0, 1, 0, 0)
  .u32(0, 0);
poses.apply(readFrame(bytes.bytes(), poses)!);
const actors = new Actors(scene, poses, "group");
const down: Vector3 = [0, 0, -1];

describe("pick", () => {
  it("hits what is in front", () => {
    const hit = pick(actors, poses, [0.9, 0, 10], down, 0)!;
    expect(poses.bodyAt(hit.place)?.actor).toBe(0);
    expect(hit.point[2]).toBeCloseTo(1.1, 2);
  });

  it("hits what is behind, where nothing is in front", () => {
    const hit = pick(actors, poses, [0, 0.8, 10], down, 0)!;
    expect(poses.bodyAt(hit.place)?.actor).toBe(1);
    expect(hit.point).toEqual([0, 0.8, -1]);
  });

  it("misses beside, or takes what is near", () => {
    expect(pick(actors, poses, [1.3, 1.5, 10], down, 0)).toBeNull();
    const near = pick(actors, poses, [1.15, 0, 10], down, 0.02)!;
    expect(poses.bodyAt(near.place)?.actor).toBe(0);
    expect(near.point[0]).toBeCloseTo(1, 6);
  });

  it("does not hit what is behind the eye", () => {
    expect(pick(actors, poses, [0, 0, -10], down, 0)).toBeNull();
  });

  it("knows the middle and the reach of a body", () => {
    expect(actors.middleOf(0, 0)).toEqual([0, 0, 0]);
    expect(actors.reachOf(0, 0)).toBeCloseTo(1.1);
  });
});
