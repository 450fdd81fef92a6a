/** All actors and walls of a scene, drawn; at most so many parts, the nearest actors first. */
import { DataTexture, FloatType, Group, NearestFilter, RGBAFormat, Vector3 as Vec } from "three";
import type { Scene, Vector3 } from "../wire/messages";
import type { Poses } from "../world/poses";
import { add, dot, norm, scale, subtract } from "../world/pose";
import { ROW, type Touched } from "../world/touched";
import type { ColourMode } from "./colours";
import { finenessFor, geometryOf, type FormName, type Part } from "./forms";
import { Instances } from "./instances";
import { partsOfFigures, partsOfWalls, type FigureParts } from "./parts";
import { modeNumber, placedDepthMaterial, placedMaterial, type PlacedUniforms } from "./placed-material";

/** Parts that are drawn at most, with a graphics processor and without. */
const MOST_PARTS = 120_000;
const MOST_PARTS_SLOW = 30_000;
/** What is behind counts as so many times farther away. */
const BEHIND = 3;

export class Actors {
  readonly root = new Group();
  readonly forms = new Map<FormName, Instances>();
  /** Parts of all actors, and how many of them are drawn. */
  readonly parts: number;
  drawn = 0;

  private readonly figures: FigureParts[];
  private readonly uniforms: PlacedUniforms;
  private readonly material;
  private readonly depthMaterial;

  constructor(
    private readonly scene: Scene,
    private readonly poses: Poses,
    mode: ColourMode,
    private readonly fast = true,
  ) {
    this.figures = partsOfFigures(scene);
    this.parts = scene.actors.reduce((sum, figure) => sum + this.figures[figure].parts.length, 0);
    this.uniforms = {
      groups: { value: poseTexture(poses.groups) },
      bodies: { value: poseTexture(poses.bodies) },
      mode: { value: modeNumber(mode) },
      lit: { value: -1 },
      eye: { value: new Vec() },
      least: { value: 0 },
    };
    this.material = placedMaterial(this.uniforms);
    this.depthMaterial = placedDepthMaterial(this.uniforms);
    this.root.visible = false;
    this.makeForms();
    this.choose(scene.camera?.eye ?? [0, 0, 0], [0, 0, 0]);
  }

  private get most(): number {
    return this.fast ? MOST_PARTS : MOST_PARTS_SLOW;
  }

  get capped(): boolean {
    return this.parts > this.most;
  }

  setMode(mode: ColourMode): void {
    this.uniforms.mode.value = modeNumber(mode);
  }

  /** The body that is shown brighter; nothing for −1. */
  setLit(place: number): boolean {
    if (this.uniforms.lit.value === place) return false;
    this.uniforms.lit.value = place;
    return true;
  }

  /** Takes what frames have changed.
   *
   *  @param least radius of a capsule per metre of distance */
  update(eye: Vec, least: number): void {
    this.uniforms.eye.value.copy(eye);
    this.uniforms.least.value = least;
    this.root.visible = this.poses.known;
    upload(this.uniforms.groups.value, this.poses.touchedGroups);
    upload(this.uniforms.bodies.value, this.poses.touchedBodies);
  }

  /** Chooses what to draw: all, or what is near the eye. */
  choose(eye: Vector3, ahead: Vector3): void {
    for (const instances of this.forms.values()) instances.clear();
    for (const part of partsOfWalls(this.scene)) this.forms.get(part.form)?.add(part, 0);
    let left = this.most;
    for (const actor of this.capped ? this.nearest(eye, ahead) : this.scene.actors.keys()) {
      const { parts } = this.figures[this.scene.actors[actor]];
      if (parts.length > left) break;
      left -= parts.length;
      const first = this.poses.placeOf(actor, 0);
      for (const { body, part } of parts) this.forms.get(part.form)?.add(part, first + body);
    }
    this.drawn = this.most - left;
    for (const instances of this.forms.values()) instances.finish();
  }

  /** The middle of the body's parts, in its frame. */
  middleOf(actor: number, body: number): Vector3 {
    const parts = this.partsOf(actor, body);
    let sum: Vector3 = [0, 0, 0];
    for (const { at } of parts) sum = add(sum, at.position);
    return scale(sum, 1 / Math.max(1, parts.length));
  }

  /** Radius of the body's largest part; 0 if nothing of it is seen. */
  reachOf(actor: number, body: number): number {
    return this.partsOf(actor, body).reduce((most, part) => Math.max(most, part.radius), 0);
  }

  dispose(): void {
    for (const instances of this.forms.values()) instances.dispose();
    this.uniforms.groups.value.dispose();
    this.uniforms.bodies.value.dispose();
    this.material.dispose();
    this.depthMaterial.dispose();
    this.root.removeFromParent();
  }

  private partsOf(actor: number, body: number): Part[] {
    const { parts } = this.figures[this.scene.actors[actor]];
    return parts.flatMap((one) => (one.body === body ? [one.part] : []));
  }

  private makeForms(): void {
    const counts = new Map<FormName, number>();
    const count = (form: FormName, by: number) => counts.set(form, (counts.get(form) ?? 0) + by);
    const actorsOf = new Array<number>(this.figures.length).fill(0);
    for (const figure of this.scene.actors) actorsOf[figure] += 1;
    this.figures.forEach(({ parts }, figure) => {
      for (const { part } of parts) count(part.form, actorsOf[figure]);
    });
    const walls = partsOfWalls(this.scene);
    for (const part of walls) count(part.form, 1);
    const fineness = finenessFor(Math.min(this.parts, this.most), this.fast);
    for (const [form, wanted] of counts) {
      const geometry = geometryOf(form, this.scene.shapes, fineness);
      const capacity = Math.min(wanted, this.most + walls.length);
      const instances = new Instances(geometry, capacity, this.material, this.depthMaterial);
      this.forms.set(form, instances);
      this.root.add(instances.mesh);
    }
  }

  /** Actors by the distance of their first body from the eye; what is behind it comes late. */
  private nearest(eye: Vector3, ahead: Vector3): Uint32Array {
    const count = this.scene.actors.length;
    const distances = new Float32Array(count);
    for (let actor = 0; actor < count; actor++) {
      const from = subtract(this.poses.pose(this.poses.placeOf(actor, 0)).position, eye);
      distances[actor] = norm(from) * (dot(from, ahead) < 0 ? BEHIND : 1);
    }
    return Uint32Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b]);
  }
}

/** A texture over the numbers, which are whole rows. */
function poseTexture(numbers: Float32Array<ArrayBuffer>): DataTexture {
  const texture = new DataTexture(numbers, ROW / 4, numbers.length / ROW, RGBAFormat, FloatType);
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.onUpdate = () => {
    texture.userData.sent = true;
  };
  texture.needsUpdate = true;
  return texture;
}

/** Sends the rows that changed: all of them if they are many, or the first time. */
function upload(texture: DataTexture, touched: Touched): void {
  const rows = touched.take();
  if (rows.length === 0) return;
  texture.clearUpdateRanges();
  if (texture.userData.sent === true && 2 * rows.length <= texture.image.height) {
    for (const row of rows) texture.addUpdateRange(row * ROW, ROW);
  }
  texture.needsUpdate = true;
}
