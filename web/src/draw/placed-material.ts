/** Materials whose corners find their place themselves: world_from_group · group_from_body · body_from_solid.
 *
 *  Poses lie in two textures (`world/poses.ts`), so a frame is sent to the graphics processor as it came, and
 *  nothing is computed per body on the processor. */
import { MeshDepthMaterial, MeshLambertMaterial, Vector3, type DataTexture, type Material, type WebGLProgramParametersWithUniforms } from "three";
import { ROW } from "../world/touched";
import { ACTIVITY, COLOUR_MODES, UNKNOWN_COLOUR, WORTH, type ColourMode, type Ramp } from "./colours";

/** Shared by all materials of a scene. */
export interface PlacedUniforms {
  groups: { value: DataTexture };
  bodies: { value: DataTexture };
  mode: { value: number };
  lit: { value: number };
  /** Where it is looked from, and how thick a capsule is at least, per metre of distance: thin ones would vanish. */
  eye: { value: Vector3 };
  least: { value: number };
}

export function modeNumber(mode: ColourMode): number {
  return COLOUR_MODES.indexOf(mode);
}

const PLACE = /* glsl */ `
uniform highp sampler2D groups;
uniform highp sampler2D bodies;
attribute vec4 solid_at;      // position in the body, place of the body
attribute vec4 solid_turn;
attribute vec4 solid_size;    // scale, stretch
attribute float end;
uniform vec3 eye;
uniform float least;

vec4 texel(highp sampler2D texels, int i) {
  return texelFetch(texels, ivec2(i % ${ROW / 4}, i / ${ROW / 4}), 0);
}
vec3 rotated(vec4 q, vec3 v) {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
`;

const PLACE_MAIN = /* glsl */ `
int body_place = int(solid_at.w);
vec4 body_at = texel(bodies, 2 * body_place);
vec4 body_turn = texel(bodies, 2 * body_place + 1);
int slot = int(body_at.w);
vec4 group_at = texel(groups, 3 * slot);
vec4 group_turn = texel(groups, 3 * slot + 1);
`;

const PLACE_POSITION = /* glsl */ `
vec3 size = solid_size.xyz;
if (solid_size.w > 0.0) {
  vec3 middle = group_at.xyz + rotated(group_turn, body_at.xyz + rotated(body_turn, solid_at.xyz));
  size = max(size, vec3(least * distance(eye, middle)));
}
vec3 in_solid = position * size + vec3(0.0, 0.0, end * solid_size.w);
vec3 in_body = solid_at.xyz + rotated(solid_turn, in_solid);
vec3 in_group = body_at.xyz + rotated(body_turn, in_body);
vec3 transformed = group_at.xyz + rotated(group_turn, in_group);
`;

const PLACE_NORMAL = /* glsl */ `
vec3 objectNormal = rotated(group_turn, rotated(body_turn, rotated(solid_turn, normalize(normal / solid_size.xyz))));
`;

const PAINT = /* glsl */ `
uniform int mode;
uniform float lit;
uniform vec3 activity_stops[5];
uniform vec3 worth_stops[5];
uniform vec3 unknown_colour;
varying vec3 v_paint;

vec3 on_ramp(vec3 stops[5], float place) {
  float at = clamp(place, 0.0, 1.0) * 4.0;
  vec3 colour = mix(stops[0], stops[1], clamp(at, 0.0, 1.0));
  colour = mix(colour, stops[2], clamp(at - 1.0, 0.0, 1.0));
  colour = mix(colour, stops[3], clamp(at - 2.0, 0.0, 1.0));
  return mix(colour, stops[4], clamp(at - 3.0, 0.0, 1.0));
}
float log_place(float value, float low, float high) {
  return value > low ? log(value / low) / log(high / low) : 0.0;
}
`;

const PAINT_MAIN = /* glsl */ `
vec4 group_paint = texel(groups, 3 * slot + 2);
v_paint = group_paint.rgb;
if (slot > 0 && mode == 1) {
  v_paint = group_at.w < 0.0 ? unknown_colour : on_ramp(activity_stops, log_place(group_at.w, ${glsl(ACTIVITY.low)}, ${glsl(ACTIVITY.high)}));
} else if (slot > 0 && mode == 2) {
  v_paint = group_paint.w < 0.0 ? unknown_colour : on_ramp(worth_stops, log_place(group_paint.w, ${glsl(WORTH.low)}, ${glsl(WORTH.high)}));
}
if (solid_at.w == lit) v_paint = mix(v_paint, vec3(1.0), 0.45);
`;

export function placedMaterial(uniforms: PlacedUniforms): MeshLambertMaterial {
  const material = new MeshLambertMaterial();
  place(material, (shader) => {
    Object.assign(shader.uniforms, uniforms, {
      activity_stops: { value: stops(ACTIVITY) },
      worth_stops: { value: stops(WORTH) },
      unknown_colour: { value: new Vector3(...UNKNOWN_COLOUR) },
    });
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `${PLACE}${PAINT}void main() {${PLACE_MAIN}${PAINT_MAIN}`)
      .replace("#include <beginnormal_vertex>", PLACE_NORMAL)
      .replace("#include <begin_vertex>", PLACE_POSITION);
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying vec3 v_paint;\nvoid main() {")
      .replace("#include <color_fragment>", "diffuseColor.rgb *= v_paint;");
  });
  return material;
}

/** The same for the shadow's image. */
export function placedDepthMaterial(uniforms: PlacedUniforms): MeshDepthMaterial {
  const material = new MeshDepthMaterial();
  place(material, (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `${PLACE}void main() {${PLACE_MAIN}`)
      .replace("#include <begin_vertex>", PLACE_POSITION);
  });
  return material;
}

function place(material: Material, change: (shader: WebGLProgramParametersWithUniforms) => void): void {
  material.onBeforeCompile = change;
  material.customProgramCacheKey = () => "placed";
}

function stops(ramp: Ramp): Vector3[] {
  return ramp.stops.map((stop) => new Vector3(...stop));
}

function glsl(value: number): string {
  return value.toExponential();
}
