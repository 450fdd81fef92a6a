/** One scene as it is drawn: its actors and its ground. Made anew for each scene. */
import { Actors } from "./draw/actors";
import type { ColourMode } from "./draw/colours";
import { Ground, levelPose } from "./draw/ground";
import { partsOfWalls } from "./draw/parts";
import type { Stage } from "./draw/stage";
import { theme } from "./theme";
import type { Camera, Scene, Vector3 } from "./wire/messages";
import { add, cross, dot, poseAt, rotate, scale, subtract, transform, turnFromZ, unit } from "./world/pose";
import { Poses } from "./world/poses";

/** Bodies that are asked for their height, at most. */
const LOOKED_AT = 20_000;
/** Cosine of the angle by which the camera turns before what is drawn is chosen anew. */
const TURNED = 0.9;

export class DrawnScene {
  readonly poses: Poses;
  readonly actors: Actors;
  private readonly grounds: Ground[] = [];
  private eyeOfChoice: Vector3;
  private aheadOfChoice: Vector3 = [0, 0, 0];

  constructor(
    readonly scene: Scene,
    private readonly stage: Stage,
    mode: ColourMode,
  ) {
    this.poses = new Poses(scene);
    this.actors = new Actors(scene, this.poses, mode, stage.quality.smooth);
    this.eyeOfChoice = scene.camera?.eye ?? [0, 0, 0];
    stage.scene.add(this.actors.root);
    for (const wall of scene.walls) {
      if (scene.shapes[wall.shape].type === "half-space") this.addGround(new Ground(poseAt(wall.at), true));
    }
  }

  /** The first frame came: without solid ground, a soft one lies below everything; without a camera, all is looked at. */
  begin(): void {
    if (!this.scene.camera) this.stage.look(this.cameraOfAll(), this.scene.up, true);
    if (this.grounds.length === 0) {
      const { up } = this.scene;
      this.addGround(new Ground(levelPose(up, this.lowest(up) - 0.02 * this.stage.distance), false));
    }
    if (this.actors.capped) this.chooseNear();
    this.followCamera();
  }

  /** The scene's camera, or else one that has all bodies in its image. */
  camera(): Camera {
    return this.scene.camera ?? this.cameraOfAll();
  }

  /** A camera that has all bodies in its image, as they are now; it looks the way that the page's does, a little from above. */
  cameraOfAll(): Camera {
    const { up } = this.scene;
    const field = this.scene.camera?.field ?? 0.75;
    const middles: { at: Vector3; reach: number }[] = [];
    const low: Vector3 = [Infinity, Infinity, Infinity];
    const high: Vector3 = [-Infinity, -Infinity, -Infinity];
    this.eachBody((at, reach) => {
      middles.push({ at, reach });
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], at[axis] - reach);
        high[axis] = Math.max(high[axis], at[axis] + reach);
      }
    });
    const target: Vector3 = middles.length > 0 ? scale(add(low, high), 0.5) : [0, 0, 0];
    const level: Vector3 = this.scene.camera ? this.stage.ahead : rotate(turnFromZ(up), [-0.35, 0.9, 0]);
    const ahead = Math.abs(dot(level, up)) < 0.2 ? unit(subtract(level, scale(up, 0.3))) : level;
    const right = unit(cross(ahead, up));
    const above = cross(right, ahead);
    const tall = Math.tan(field / 2);
    const wide = tall * this.stage.camera.aspect;
    // as far away as the body needs that is nearest to an edge of the image
    let distance = 1e-3;
    for (const { at, reach } of middles) {
      const from = subtract(at, target);
      const needed = Math.max((Math.abs(dot(from, right)) + reach) / wide, (Math.abs(dot(from, above)) + reach) / tall);
      distance = Math.max(distance, needed - dot(from, ahead));
    }
    if (middles.length === 0) distance = 5;
    return { eye: subtract(target, scale(ahead, 1.08 * distance)), target, up, field };
  }

  followCamera(): void {
    for (const ground of this.grounds) ground.follow(this.stage.controls.target, this.stage.distance);
    if (!this.actors.capped) return;
    const moved = this.stage.camera.position.distanceTo({ x: this.eyeOfChoice[0], y: this.eyeOfChoice[1], z: this.eyeOfChoice[2] });
    if (moved > 0.1 * this.stage.distance || dot(this.aheadOfChoice, this.stage.ahead) < TURNED) this.chooseNear();
  }

  setTheme(): void {
    const { ground, softGround, groundLine } = theme();
    for (const one of this.grounds) one.setColours(one.solid ? ground : softGround, groundLine);
  }

  /** The middle of what is seen of a body, in the world. */
  middleOf(actor: number, body: number): Vector3 {
    const pose = this.poses.pose(this.poses.placeOf(actor, body));
    const middle = this.actors.middleOf(actor, body);
    return transform(pose, middle);
  }

  dispose(): void {
    this.actors.dispose();
    for (const ground of this.grounds) ground.dispose();
  }

  private chooseNear(): void {
    this.eyeOfChoice = this.stage.camera.position.toArray();
    this.aheadOfChoice = this.stage.ahead;
    this.actors.choose(this.eyeOfChoice, this.aheadOfChoice);
  }

  private addGround(ground: Ground): void {
    this.grounds.push(ground);
    this.stage.scene.add(ground.mesh);
    this.setTheme();
  }

  private lowest(up: Vector3): number {
    let lowest = Infinity;
    for (const part of partsOfWalls(this.scene)) lowest = Math.min(lowest, dot(up, part.at.position) - part.radius);
    this.eachBody((middle, reach) => {
      lowest = Math.min(lowest, dot(up, middle) - reach);
    });
    return Number.isFinite(lowest) ? lowest : 0;
  }

  /** Middle and reach of the bodies that are seen; of some, if there are many. */
  private eachBody(run: (middle: Vector3, reach: number) => void): void {
    const every = Math.ceil(this.poses.places / LOOKED_AT);
    for (let place = 1; place < this.poses.places; place += every) {
      const body = this.poses.bodyAt(place)!;
      const reach = this.actors.reachOf(body.actor, body.body);
      if (reach > 0) run(this.middleOf(body.actor, body.body), reach);
    }
  }
}
