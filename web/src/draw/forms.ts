/** Shapes as stretched copies of a few forms, so that all capsules are one draw call, whatever their sizes. */
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, SphereGeometry } from "three";
import type { Seven, Shape, Vector3 } from "../wire/messages";
import { add, compose, norm, poseAt, scale, subtract, turnFromZ, type Pose } from "../world/pose";

/** One form is drawn with one call: "sphere", "box", …, or "mesh 3" for the shape in that place. */
export type FormName = string;

/** A shape in its body: the form's corners are scaled, then its ends are drawn apart along z by `stretch` each. */
export interface Part {
  form: FormName;
  at: Pose;
  scale: Vector3;
  stretch: number;
  /** Of a ball around the frame's origin that holds the shape. */
  radius: number;
}

/** The shape at a place in `shapes`, as it stands at `at`; nothing for what has no end. */
export function partOf(shape: Shape, place: number, at: Seven): Part | null {
  const pose = poseAt(at);
  switch (shape.type) {
    case "sphere":
      return { form: "sphere", at: pose, scale: [shape.radius, shape.radius, shape.radius], stretch: 0, radius: shape.radius };
    case "box":
      return { form: "box", at: pose, scale: shape.size, stretch: 0, radius: norm(shape.size) / 2 };
    case "capsule": {
      const along = subtract(shape.to, shape.from);
      const stretch = norm(along) / 2;
      const middle = scale(add(shape.from, shape.to), 0.5);
      return {
        form: "capsule",
        at: compose(pose, { position: middle, turn: turnFromZ(along) }),
        scale: [shape.radius, shape.radius, shape.radius],
        stretch,
        radius: stretch + shape.radius,
      };
    }
    case "cylinder":
    case "cone":
      return {
        form: shape.type,
        at: pose,
        scale: [shape.radius, shape.radius, shape.height],
        stretch: 0,
        radius: Math.hypot(shape.radius, shape.height / 2),
      };
    case "mesh": {
      let radius = 0;
      for (let i = 0; i + 2 < shape.corners.length; i += 3) {
        radius = Math.max(radius, Math.hypot(shape.corners[i], shape.corners[i + 1], shape.corners[i + 2]));
      }
      return { form: `mesh ${place}`, at: pose, scale: [1, 1, 1], stretch: 0, radius };
    }
    default:
      return null;
  }
}

/** How round things are: fewer corners when there are many. */
export type Fineness = 0 | 1 | 2;

/** @param fast there is a graphics processor */
export function finenessFor(instances: number, fast: boolean): Fineness {
  const many = fast ? instances : 10 * instances;
  return many < 4000 ? 2 : many < 30_000 ? 1 : 0;
}

/** The form itself, with attribute `end`: −1 or 1 for corners that `stretch` moves down or up. */
export function geometryOf(form: FormName, shapes: Shape[], fineness: Fineness): BufferGeometry {
  const around = [6, 10, 20][fineness];
  switch (form) {
    case "sphere":
      return withEnds(new SphereGeometry(1, around + 2, around / 2 + 2).rotateX(Math.PI / 2));
    case "box":
      return withEnds(new BoxGeometry(1, 1, 1));
    case "capsule": {
      const geometry = new CapsuleGeometry(1, 2, [1, 3, 6][fineness], around, 1).rotateX(Math.PI / 2);
      return withEnds(geometry, true);
    }
    case "cylinder":
      return withEnds(new CylinderGeometry(1, 1, 1, around + 8).rotateX(Math.PI / 2));
    case "cone":
      return withEnds(new CylinderGeometry(0, 1, 1, around + 8).rotateX(Math.PI / 2));
    default: {
      const shape = shapes[Number(form.slice("mesh ".length))];
      return withEnds(shape?.type === "mesh" ? meshGeometry(shape.corners, shape.triangles) : new BufferGeometry());
    }
  }
}

function withEnds(geometry: BufferGeometry, apart = false): BufferGeometry {
  const position = geometry.getAttribute("position");
  const end = new Float32Array(position?.count ?? 0);
  if (apart) {
    for (let i = 0; i < end.length; i++) {
      end[i] = Math.sign(position.getZ(i));
      position.setZ(i, position.getZ(i) - end[i]);
    }
  }
  geometry.setAttribute("end", new BufferAttribute(end, 1));
  geometry.deleteAttribute("uv");
  return geometry;
}

/** Edges sharper than this look sharp [cosine]. */
const SHARP = Math.cos((40 * Math.PI) / 180);

/** Triangles with normals: smooth over flat edges, sharp where triangles meet at an angle. */
function meshGeometry(corners: number[], triangles: number[]): BufferGeometry {
  const count = Math.floor(corners.length / 3);
  const sound: number[] = [];
  for (let i = 0; i + 2 < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i], triangles[i + 1], triangles[i + 2]];
    if (a < count && b < count && c < count && a >= 0 && b >= 0 && c >= 0) sound.push(a, b, c);
  }
  const faces = sound.length / 3;
  const positions = new Float32Array(sound.length * 3);
  const faceNormals = new Float32Array(faces * 3);
  const facesAt = new Map<string, number[]>();
  const keyOf = (corner: number) => `${corners[3 * corner]},${corners[3 * corner + 1]},${corners[3 * corner + 2]}`;
  for (let face = 0; face < faces; face++) {
    for (let k = 0; k < 3; k++) {
      const corner = sound[3 * face + k];
      for (let axis = 0; axis < 3; axis++) positions[9 * face + 3 * k + axis] = corners[3 * corner + axis];
      const key = keyOf(corner);
      const list = facesAt.get(key);
      if (list) list.push(face);
      else facesAt.set(key, [face]);
    }
    const p = (k: number): Vector3 => [positions[9 * face + 3 * k], positions[9 * face + 3 * k + 1], positions[9 * face + 3 * k + 2]];
    const u = subtract(p(1), p(0));
    const v = subtract(p(2), p(0));
    // twice the area long: large triangles count more
    faceNormals.set([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], 3 * face);
  }
  const normals = new Float32Array(positions.length);
  for (let face = 0; face < faces; face++) {
    const own: Vector3 = [faceNormals[3 * face], faceNormals[3 * face + 1], faceNormals[3 * face + 2]];
    const ownSize = norm(own);
    for (let k = 0; k < 3; k++) {
      let sum: Vector3 = [0, 0, 0];
      for (const other of facesAt.get(keyOf(sound[3 * face + k])) ?? []) {
        const normal: Vector3 = [faceNormals[3 * other], faceNormals[3 * other + 1], faceNormals[3 * other + 2]];
        const size = norm(normal);
        const cosine = (own[0] * normal[0] + own[1] * normal[1] + own[2] * normal[2]) / (ownSize * size);
        if (cosine > SHARP) sum = add(sum, normal);
      }
      const size = norm(sum);
      normals.set(size > 0 ? scale(sum, 1 / size) : [0, 0, 1], 9 * face + 3 * k);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  return geometry;
}
