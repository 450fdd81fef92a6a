/** The slider of each policy. */
import type { Policy, Scene } from "../wire/messages";
import { valueAt, type Scale } from "./scales";

/** Little detail at place 0, much at 1. */
export function scaleOf(policy: Policy, scene: Scene): Scale | null {
  switch (policy) {
    case "joints": {
      const most = Math.max(1, ...scene.figures.map((figure) => figure.joints));
      return { from: 1, to: most, whole: true };
    }
    case "error":
      return { from: 1e4, to: 1e-4, whole: false };
    case "pixels":
      return { from: 1e4, to: 1e-2, whole: false };
    case "budget": {
      const most = Math.max(1, scene.joints);
      return { from: Math.min(Math.max(1, scene.actors.length), most), to: most, whole: true };
    }
    default:
      return null;
  }
}

/** A value to begin with, where the state has none. */
export function firstValue(policy: Policy, scale: Scale): number {
  switch (policy) {
    case "error":
      return 1;
    case "pixels":
      return 5;
    default:
      return valueAt(scale, 0.6);
  }
}
