import { describe, expect, it } from "vitest";
import { scaleOf } from "../src/panel/detail-scales";
import { nudge, placeOf, valueAt, type Scale } from "../src/panel/scales";
import type { Scene } from "../src/wire/messages";

const scene = { joints: 17_800, actors: new Array(200).fill(0), figures: [{ joints: 89 }] } as unknown as Scene;

describe("scales", () => {
  const joints: Scale = { from: 1, to: 300, whole: true };
  const epsilon: Scale = { from: 1e4, to: 1e-4, whole: false };

  it("reach their ends", () => {
    expect(valueAt(joints, 0)).toBe(1);
    expect(valueAt(joints, 1)).toBe(300);
    expect(valueAt(epsilon, 0)).toBe(1e4);
    expect(valueAt(epsilon, 1)).toBe(1e-4);
    expect(valueAt(joints, 7)).toBe(300);
  });

  it("go there and back", () => {
    for (const value of [1, 2, 3, 10, 50, 299, 300]) expect(valueAt(joints, placeOf(joints, value))).toBe(value);
    for (const value of [1e4, 37, 1, 0.02]) expect(valueAt(epsilon, placeOf(epsilon, value))).toBe(value);
  });

  it("take values that are none", () => {
    expect(placeOf(joints, 0)).toBe(0);
    expect(placeOf(joints, NaN)).toBe(0);
    expect(placeOf(epsilon, 0)).toBe(1);
    expect(placeOf({ from: 1, to: 1, whole: true }, 1)).toBe(1);
  });

  it("move by one joint at least, and stop at the ends", () => {
    expect(nudge(joints, 1, 0.05)).toBe(2);
    expect(nudge(joints, 2, -0.05)).toBe(1);
    expect(nudge(joints, 1, -0.05)).toBe(1);
    expect(nudge(joints, 300, 0.05)).toBe(300);
    expect(nudge(epsilon, 1, 0.05)).toBeLessThan(1);
  });

  it("are those of the policies", () => {
    expect(scaleOf("joints", scene)).toEqual({ from: 1, to: 89, whole: true });
    expect(scaleOf("budget", scene)).toEqual({ from: 200, to: 17_800, whole: true });
    expect(scaleOf("full", scene)).toBeNull();
    const pixels = scaleOf("pixels", scene)!;
    expect(pixels.from).toBeGreaterThan(pixels.to);
  });
});
