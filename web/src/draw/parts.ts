/** All parts of a scene that can be drawn, by figure: what instances are made from. */
import type { Scene } from "../wire/messages";
import { partOf, type Part } from "./forms";

export interface FigureParts {
  /** Each with the number of its body in the figure. */
  parts: { body: number; part: Part }[];
}

export function partsOfFigures(scene: Scene): FigureParts[] {
  return scene.figures.map((figure) => ({
    parts: figure.solids.flatMap((solid) => {
      const part = partOf(scene.shapes[solid.shape], solid.shape, solid.at);
      return part ? [{ body: solid.body, part }] : [];
    }),
  }));
}

export function partsOfWalls(scene: Scene): Part[] {
  return scene.walls.flatMap((wall) => partOf(scene.shapes[wall.shape], wall.shape, wall.at) ?? []);
}
