/** Renderer, camera and light; renders when something changed. */
import { CameraHelper, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene as Stage3, Vector3 as Vec, WebGLRenderer, PCFShadowMap } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Quality } from "./quality";
import type { Camera, Vector3 } from "../wire/messages";

/** Above so many parts there are no shadows unless asked for. */
export const SHADOW_PARTS = 6000;
/** Frames slower than this, several in a row, are too slow [ms]. */
const SLOW = 45;
/** Cameras of scenes are meant for images about so wide; narrower ones step back. */
const MEANT_ASPECT = 1.15;

export class Stage {
  readonly scene = new Stage3();
  readonly camera = new PerspectiveCamera(50, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  controls: OrbitControls;
  /** Called before each render. */
  onRender: () => void = () => {};
  onCamera: () => void = () => {};
  /** Frames were slow for a while. */
  onSlow: () => void = () => {};
  renders = 0;

  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.35);
  private helper: CameraHelper | null = null;
  private dirty = true;
  private lastRender = 0;
  private slow = 0;
  private up = new Vec(0, 0, 1);

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly quality: Quality,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: quality.smooth, alpha: true, powerPreference: "high-performance" });
    this.renderer.setClearAlpha(0);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(quality.shadowPixels, quality.shadowPixels);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.01;
    this.sun.shadow.intensity = 0.75;
    this.scene.add(this.sun, this.sun.target, this.sky);
    this.controls = this.makeControls();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  get size(): [number, number] {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Where the camera looks, of length 1. */
  get ahead(): Vector3 {
    return this.camera.getWorldDirection(new Vec()).toArray();
  }

  /** Length of a CSS pixel per metre of distance. */
  get pixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.canvas.clientHeight);
  }

  /** Length of a CSS pixel at a point [m]. */
  pixelAt(point: Vector3): number {
    const forward = this.camera.getWorldDirection(new Vec());
    const depth = Math.max(1e-6, new Vec(...point).sub(this.camera.position).dot(forward));
    return depth * this.pixel;
  }

  changed(): void {
    this.dirty = true;
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on;
    this.changed();
  }

  get shadows(): boolean {
    return this.sun.castShadow;
  }

  /** Looks as the scene wants to be looked at; from farther away on a narrow screen, unless the camera was made for it. */
  look(camera: Camera, up: Vector3, fits = false): void {
    const target = new Vec(...camera.target);
    const eye = new Vec(...camera.eye).sub(target).multiplyScalar(fits ? 1 : this.back).add(target);
    this.up.copy(orbitAxis(camera, up));
    this.camera.fov = (camera.field * 180) / Math.PI;
    this.camera.position.copy(eye);
    this.camera.up.copy(this.up);
    // OrbitControls takes its axis from the camera when it is made
    this.controls.dispose();
    this.controls = this.makeControls();
    this.controls.target.copy(target);
    this.controls.minDistance = 1e-3 * this.distance;
    this.controls.maxDistance = 50 * this.distance;
    this.controls.update();
    this.cameraChanged();
  }

  /** How much farther away than meant the camera stands, so that a narrow image has all in it. */
  private get back(): number {
    return Math.max(1, MEANT_ASPECT / this.camera.aspect);
  }

  /** The camera as the server is told of it. */
  get view(): Camera {
    return {
      eye: this.camera.position.toArray(),
      target: this.controls.target.toArray(),
      up: this.camera.up.toArray(),
      field: (this.camera.fov * Math.PI) / 180,
    };
  }

  /** Shows where a camera stands; nothing for none. */
  showCamera(view: Camera | null, aspect: number): void {
    if (this.helper) {
      this.scene.remove(this.helper);
      this.helper.dispose();
      this.helper = null;
    }
    if (view) {
      const eye = new Vec(...view.eye);
      const distance = eye.distanceTo(new Vec(...view.target));
      const frozen = new PerspectiveCamera((view.field * 180) / Math.PI, aspect, 0.05 * distance, 1.6 * distance);
      frozen.position.copy(eye);
      frozen.up.set(...view.up);
      frozen.lookAt(...view.target);
      frozen.updateMatrixWorld();
      this.helper = new CameraHelper(frozen);
      this.scene.add(this.helper);
    }
    this.changed();
  }

  /** The ray through a point of the page. */
  ray(clientX: number, clientY: number): { origin: Vector3; direction: Vector3 } {
    const box = this.canvas.getBoundingClientRect();
    const point = new Vec((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height, 0.5);
    this.camera.updateMatrixWorld();
    const direction = point.unproject(this.camera).sub(this.camera.position).normalize();
    return { origin: this.camera.position.toArray(), direction: direction.toArray() };
  }

  /** Where a point of the world is seen on the page, in CSS pixels; nothing if it is behind. */
  onScreen(point: Vector3): [number, number] | null {
    const box = this.canvas.getBoundingClientRect();
    this.camera.updateMatrixWorld();
    const seen = new Vec(...point).project(this.camera);
    if (seen.z > 1) return null;
    return [box.left + ((seen.x + 1) / 2) * box.width, box.top + ((1 - seen.y) / 2) * box.height];
  }

  setLight(dark: boolean): void {
    this.sun.intensity = dark ? 2.2 : 2.3;
    this.sky.intensity = dark ? 1.1 : 1.6;
    this.changed();
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = false;
    controls.zoomToCursor = true;
    controls.addEventListener("change", () => this.cameraChanged());
    return controls;
  }

  private cameraChanged(): void {
    const distance = Math.max(1e-6, this.distance);
    this.camera.near = 0.01 * distance;
    this.camera.far = 400 * distance;
    this.camera.updateProjectionMatrix();
    this.placeSun(distance);
    this.onCamera();
    this.changed();
  }

  /** The sun stands above the left shoulder of the first look, and its shadows reach as far as one looks. */
  private placeSun(distance: number): void {
    const target = this.controls.target;
    const aside = new Vec(1, 0, 0);
    if (Math.abs(this.up.x) > 0.8) aside.set(0, 0, 1);
    aside.cross(this.up).normalize();
    const other = this.up.clone().cross(aside);
    const direction = this.up.clone().addScaledVector(aside, 0.35).addScaledVector(other, -0.45).normalize();
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(direction, 4 * distance);
    this.sky.position.copy(this.up);
    const shadow = this.sun.shadow.camera;
    const half = 1.1 * distance;
    Object.assign(shadow, { left: -half, right: half, top: half, bottom: -half, near: 0.5 * distance, far: 8 * distance });
    this.sun.shadow.normalBias = 0.0015 * distance;
    shadow.updateProjectionMatrix();
  }

  private resize(): void {
    const [width, height] = [this.canvas.parentElement!.clientWidth, this.canvas.parentElement!.clientHeight];
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    const before = this.back;
    this.camera.aspect = width / height;
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(offset, this.back / before);
    this.cameraChanged();
  }

  private tick(now: number): void {
    requestAnimationFrame((later) => this.tick(later));
    if (!this.dirty) {
      this.lastRender = 0;
      return;
    }
    this.dirty = false;
    if (this.lastRender > 0) {
      this.slow = now - this.lastRender > SLOW ? this.slow + 1 : Math.max(0, this.slow - 1);
      if (this.slow > 20) {
        this.slow = 0;
        this.onSlow();
      }
    }
    this.lastRender = now;
    this.onRender();
    this.renderer.render(this.scene, this.camera);
    this.renders += 1;
  }
}

/** The axis that the camera turns about: up, unless the scene is looked at from above, or upside down. */
function orbitAxis(camera: Camera, up: Vector3): Vec {
  const axis = new Vec(...up);
  const ahead = new Vec(...camera.target).sub(new Vec(...camera.eye)).normalize();
  const cameraUp = new Vec(...camera.up).normalize();
  return axis.length() > 0.5 && Math.abs(axis.dot(ahead)) < 0.98 && axis.dot(cameraUp) > 0.1 ? axis.normalize() : cameraUp;
}
