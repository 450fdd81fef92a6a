/** What a ray hits: first the balls around all parts, then the triangles of those that it passes. */
import { Ray, Triangle, Vector3 as Vec } from "three";
import type { Vector3 } from "../wire/messages";
import type { Poses } from "../world/poses";
import { add, compose, conjugate, dot, norm, rotate, scale, subtract, transform, untransform, type Pose } from "../world/pose";
import type { Actors } from "./actors";
import { INSTANCE_FLOATS, type Instances } from "./instances";

export interface Hit {
  place: number;
  /** In the world. */
  point: Vector3;
  distance: number;
}

/** @param slack how far beside a part the ray may pass and still take it, per metre of distance */
export function pick(actors: Actors, poses: Poses, origin: Vector3, direction: Vector3, slack: number): Hit | null {
  let best: Hit | null = null;
  let near: { beside: number; hit: Hit } | null = null;
  for (const instances of actors.forms.values()) {
    const { numbers, radii } = instances;
    for (let i = 0; i < instances.length; i++) {
      const at = i * INSTANCE_FLOATS;
      const place = numbers[at + 3];
      const solid: Pose = {
        position: [numbers[at], numbers[at + 1], numbers[at + 2]],
        turn: [numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 7]],
      };
      const body = poses.pose(place);
      const centre = transform(body, solid.position);
      const depth = dot(subtract(centre, origin), direction);
      const radius = radii[i];
      if (depth < -radius || (best && depth - radius > best.distance)) continue;
      const allowed = radius + slack * Math.max(depth, 0);
      const across = subtract(centre, add(origin, scale(direction, depth)));
      if (dot(across, across) > allowed * allowed) continue;

      const world = compose(body, solid);
      const distance = hitDistance(instances, i, world, origin, direction);
      if (distance !== null) {
        if (!best || distance < best.distance) best = { place, point: add(origin, scale(direction, distance)), distance };
      } else if (slack > 0 && place > 0) {
        const beside = besideAxis(numbers, at, world, origin, direction);
        if (beside.distance > 0 && beside.gap < slack * beside.distance && (!near || beside.gap < near.beside)) {
          near = { beside: beside.gap, hit: { place, point: beside.point, distance: beside.distance } };
        }
      }
    }
  }
  return best ?? near?.hit ?? null;
}

/** Distance along the ray to the part's triangles. */
function hitDistance(instances: Instances, i: number, world: Pose, origin: Vector3, direction: Vector3): number | null {
  const at = i * INSTANCE_FLOATS;
  const numbers = instances.numbers;
  const size: Vector3 = [numbers[at + 8], numbers[at + 9], numbers[at + 10]];
  const stretch = numbers[at + 11];
  const form = instances.form;
  const position = form.getAttribute("position");
  if (!position) return null;
  const end = form.getAttribute("end");
  const ray = new Ray(new Vec(...untransform(world, origin)), new Vec(...rotate(conjugate(world.turn), direction)));
  const corner = (to: Vec, index: number) =>
    to.set(position.getX(index) * size[0], position.getY(index) * size[1], position.getZ(index) * size[2] + end.getX(index) * stretch);
  const triangle = new Triangle();
  const found = new Vec();
  let best: number | null = null;
  const count = form.index ? form.index.count : position.count;
  for (let k = 0; k + 2 < count; k += 3) {
    const index = (j: number) => (form.index ? form.index.getX(k + j) : k + j);
    corner(triangle.a, index(0));
    corner(triangle.b, index(1));
    corner(triangle.c, index(2));
    if (ray.intersectTriangle(triangle.a, triangle.b, triangle.c, true, found)) {
      const distance = found.distanceTo(ray.origin);
      if (best === null || distance < best) best = distance;
    }
  }
  return best;
}

/** How far the ray passes beside the part's middle line, less its radius, and the point of the line there. */
function besideAxis(numbers: Float32Array, at: number, world: Pose, origin: Vector3, direction: Vector3) {
  const stretch = numbers[at + 11];
  const round = stretch > 0 ? numbers[at + 8] : 0;
  const half = stretch > 0 ? stretch : numbers[at + 10] / 2;
  const axis = rotate(world.turn, [0, 0, 1]);
  // nearest points of a line and a ray
  const w = subtract(world.position, origin);
  const b = dot(axis, direction);
  const determinant = 1 - b * b;
  const along = determinant > 1e-9 ? (b * dot(w, direction) - dot(w, axis)) / determinant : 0;
  const point = add(world.position, scale(axis, Math.min(half, Math.max(-half, along))));
  const distance = dot(subtract(point, origin), direction);
  const gap = Math.max(0, norm(subtract(subtract(point, origin), scale(direction, distance))) - round);
  return { gap, point, distance };
}
