/** The ground: a plane with a grid that fades far away, and takes shadows. */
import { Color, Mesh, MeshLambertMaterial, PlaneGeometry, Quaternion, Vector3 as Vec } from "three";
import type { Vector3 } from "../wire/messages";
import { turnFromZ, type Pose } from "../world/pose";

const LINES = /* glsl */ `
float lines(vec2 at, float cell) {
  vec2 place = at / cell;
  vec2 width = fwidth(place);
  vec2 distance = abs(fract(place - 0.5) - 0.5) / max(width, 1e-6);
  float line = 1.0 - min(min(distance.x, distance.y), 1.0);
  // lines that lie closer than pixels are grey at most
  return line * (1.0 - smoothstep(0.15, 0.6, max(width.x, width.y)));
}
`;

/** Solid ground of a half-space, or a soft hint of where down is. */
export class Ground {
  readonly mesh: Mesh<PlaneGeometry, MeshLambertMaterial>;
  private readonly uniforms = {
    cell: { value: 1 },
    reach: { value: 10 },
    middle: { value: new Vec() },
    line_colour: { value: new Color() },
    line_strength: { value: 0.5 },
    fill: { value: 1 },
  };

  constructor(
    readonly at: Pose,
    readonly solid: boolean,
  ) {
    const material = new MeshLambertMaterial({ transparent: true, depthWrite: solid });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "varying vec2 v_ground;\nvarying vec3 v_world;\nvoid main() {")
        .replace("#include <project_vertex>", "v_ground = position.xy;\nv_world = (modelMatrix * vec4(position, 1.0)).xyz;\n#include <project_vertex>");
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "void main() {",
          `uniform float cell; uniform float reach; uniform vec3 middle; uniform vec3 line_colour; uniform float line_strength; uniform float fill;
           varying vec2 v_ground; varying vec3 v_world;\n${LINES}\nvoid main() {`,
        )
        .replace(
          "#include <color_fragment>",
          `float line = max(0.5 * lines(v_ground, cell), lines(v_ground, 10.0 * cell)) * line_strength;
           float far = 1.0 - smoothstep(0.25 * reach, reach, distance(v_world, middle));
           diffuseColor.rgb = mix(diffuseColor.rgb, line_colour, line);
           diffuseColor.a = far * mix(fill, 1.0, line);`,
        );
    };
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.position.set(...at.position);
    this.mesh.quaternion.copy(new Quaternion(...at.turn));
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = solid ? 0 : 2;
    this.uniforms.fill.value = solid ? 1 : 0.25;
    this.uniforms.line_strength.value = solid ? 0.5 : 0.6;
  }

  setColours(ground: string, line: string): void {
    this.mesh.material.color.set(ground);
    this.uniforms.line_colour.value.set(line);
  }

  /** Fits the grid to what is looked at. */
  follow(target: Vec, distance: number): void {
    const reach = 9 * distance;
    this.uniforms.cell.value = 10 ** Math.round(Math.log10(distance / 9));
    this.uniforms.reach.value = reach;
    // the plane slides under the camera, in whole cells of its own frame
    const local = this.mesh.worldToLocal(target.clone());
    this.uniforms.middle.value.copy(target);
    this.mesh.geometry.dispose();
    this.mesh.geometry = new PlaneGeometry(2.2 * reach, 2.2 * reach).translate(local.x, local.y, 0);
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** A plane across `up`, so high. */
export function levelPose(up: Vector3, height: number): Pose {
  return { position: [up[0] * height, up[1] * height, up[2] * height], turn: turnFromZ(up) };
}
