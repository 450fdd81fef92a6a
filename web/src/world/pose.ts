/** Places and turns in space: seven numbers in flat lists, quaternions `[x, y, z, w]`. */
import type { Vector3 } from "../wire/messages";

/** x, y, z, qx, qy, qz, qw from `offset` on. */
export type Numbers = ArrayLike<number>;
export type Quaternion = [number, number, number, number];

export interface Pose {
  position: Vector3;
  turn: Quaternion;
}

export const IDENTITY: Pose = { position: [0, 0, 0], turn: [0, 0, 0, 1] };

export function poseAt(numbers: Numbers, offset = 0): Pose {
  return {
    position: [numbers[offset], numbers[offset + 1], numbers[offset + 2]],
    turn: [numbers[offset + 3], numbers[offset + 4], numbers[offset + 5], numbers[offset + 6]],
  };
}

/** `turn · vector · turn⁻¹` */
export function rotate([x, y, z, w]: Quaternion, [a, b, c]: Vector3): Vector3 {
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  return [a + w * tx + (y * tz - z * ty), b + w * ty + (z * tx - x * tz), c + w * tz + (x * ty - y * tx)];
}

export function multiply([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** `a_from_b`, `b_from_c` → `a_from_c` */
export function compose(a: Pose, b: Pose): Pose {
  return { position: transform(a, b.position), turn: multiply(a.turn, b.turn) };
}

export function transform(pose: Pose, point: Vector3): Vector3 {
  return add(pose.position, rotate(pose.turn, point));
}

/** The point of the world, as seen from the pose. */
export function untransform(pose: Pose, point: Vector3): Vector3 {
  return rotate(conjugate(pose.turn), subtract(point, pose.position));
}

export function conjugate([x, y, z, w]: Quaternion): Quaternion {
  return [-x, -y, -z, w];
}

/** The shortest turn that takes z to the direction. */
export function turnFromZ(direction: Vector3): Quaternion {
  const length = norm(direction);
  if (length === 0) return [0, 0, 0, 1];
  const [x, y, z] = scale(direction, 1 / length);
  if (z < -0.999999) return [1, 0, 0, 0];
  const w = 1 + z;
  const size = Math.hypot(x, y, w);
  return [-y / size, x / size, 0, w / size];
}

export function add(a: Vector3, b: Vector3): Vector3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function subtract(a: Vector3, b: Vector3): Vector3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(a: Vector3, factor: number): Vector3 {
  return [a[0] * factor, a[1] * factor, a[2] * factor];
}

export function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function norm(a: Vector3): number {
  return Math.hypot(a[0], a[1], a[2]);
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function unit(a: Vector3): Vector3 {
  return scale(a, 1 / Math.max(norm(a), 1e-12));
}
