/** The spring between a hand and what it drags: a coil that is drawn over everything, and a ball at the hand. */
import { Color, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 as Vec } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Vector3 } from "../wire/messages";

const TURNS = 9;
const POINTS = 12 * TURNS;

export class Spring {
  readonly root = new Group();
  private readonly line: Line2;
  private readonly ball: Mesh<SphereGeometry, MeshBasicMaterial>;
  private readonly anchor: Mesh<SphereGeometry, MeshBasicMaterial>;

  constructor() {
    const material = new LineMaterial({ linewidth: 2.5, depthTest: false, transparent: true });
    this.line = new Line2(new LineGeometry(), material);
    const over = { depthTest: false, transparent: true };
    this.ball = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial(over));
    this.anchor = new Mesh(new SphereGeometry(1, 16, 10), new MeshBasicMaterial(over));
    this.root.add(this.line, this.anchor, this.ball);
    this.root.children.forEach((child, i) => {
      child.renderOrder = 10 + i;
      child.frustumCulled = false;
    });
    this.root.visible = false;
  }

  setColour(colour: string): void {
    for (const material of [this.line.material, this.ball.material, this.anchor.material]) material.color = new Color(colour);
  }

  hide(): void {
    this.root.visible = false;
  }

  /** @param unit how long a pixel is there [m] */
  show(from: Vector3, to: Vector3, unit: number): void {
    const a = new Vec(...from);
    const b = new Vec(...to);
    const along = b.clone().sub(a);
    const length = along.length();
    // two directions across, for the coil
    const u = new Vec(1, 0, 0);
    if (Math.abs(along.x) > 0.8 * length) u.set(0, 1, 0);
    u.cross(along).normalize();
    const v = along.clone().cross(u).normalize();
    // the longer, the thinner, as wire has a length
    const radius = length > 0 ? Math.min((60 * unit * 6) / (length / unit + 30), 6 * unit, 0.2 * length) : 0;
    const positions: number[] = [];
    const point = new Vec();
    for (let i = 0; i <= POINTS; i++) {
      const part = i / POINTS;
      const angle = 2 * Math.PI * TURNS * part;
      const wide = radius * Math.min(1, 8 * Math.min(part, 1 - part));
      point.copy(a).addScaledVector(along, part).addScaledVector(u, wide * Math.cos(angle)).addScaledVector(v, wide * Math.sin(angle));
      positions.push(point.x, point.y, point.z);
    }
    this.line.geometry.dispose();
    this.line.geometry = new LineGeometry();
    this.line.geometry.setPositions(positions);
    this.ball.position.copy(b);
    this.ball.scale.setScalar(7 * unit);
    this.anchor.position.copy(a);
    this.anchor.scale.setScalar(4 * unit);
    this.root.visible = true;
  }
}
