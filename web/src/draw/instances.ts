/** The instances of one form: where each stands in its body, and in which body. Drawn with one call. */
import {
  DynamicDrawUsage,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  type BufferGeometry,
  type Material,
} from "three";
import type { Part } from "./forms";

/** Position, place of the body; quaternion; scale, stretch. */
export const INSTANCE_FLOATS = 12;

export class Instances {
  readonly mesh: Mesh<InstancedBufferGeometry, Material>;
  /** Balls around the shapes, for picking. */
  radii: Float32Array;
  private buffer: InstancedInterleavedBuffer;
  private count = 0;

  constructor(
    readonly form: BufferGeometry,
    capacity: number,
    material: Material,
    depthMaterial: Material,
  ) {
    const geometry = new InstancedBufferGeometry();
    geometry.index = form.index;
    for (const name of ["position", "normal", "end"]) geometry.setAttribute(name, form.getAttribute(name));
    this.buffer = new InstancedInterleavedBuffer(new Float32Array(Math.max(1, capacity) * INSTANCE_FLOATS), INSTANCE_FLOATS);
    this.buffer.setUsage(DynamicDrawUsage);
    this.radii = new Float32Array(Math.max(1, capacity));
    geometry.setAttribute("solid_at", new InterleavedBufferAttribute(this.buffer, 4, 0));
    geometry.setAttribute("solid_turn", new InterleavedBufferAttribute(this.buffer, 4, 4));
    geometry.setAttribute("solid_size", new InterleavedBufferAttribute(this.buffer, 4, 8));
    geometry.instanceCount = 0;
    this.mesh = new Mesh(geometry, material);
    this.mesh.customDepthMaterial = depthMaterial;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  get length(): number {
    return this.count;
  }

  get numbers(): Float32Array {
    return this.buffer.array as Float32Array;
  }

  clear(): void {
    this.count = 0;
  }

  add(part: Part, place: number): void {
    const at = this.count * INSTANCE_FLOATS;
    const numbers = this.numbers;
    if (at + INSTANCE_FLOATS > numbers.length) return;
    numbers.set(part.at.position, at);
    numbers[at + 3] = place;
    numbers.set(part.at.turn, at + 4);
    numbers.set(part.scale, at + 8);
    numbers[at + 11] = part.stretch;
    this.radii[this.count] = part.radius;
    this.count += 1;
  }

  /** Shows what was added. */
  finish(): void {
    this.mesh.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    this.buffer.clearUpdateRanges();
    this.buffer.addUpdateRange(0, this.count * INSTANCE_FLOATS);
    this.buffer.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.form.dispose();
  }
}
