/** Colours of groups and of figures on ramps; linear light, as the renderer computes. */
import type { Vector3 } from "../wire/messages";

export const COLOUR_MODES = ["group", "activity", "worth"] as const;
export type ColourMode = (typeof COLOUR_MODES)[number];

/** What stands still. */
export const WORLD_COLOUR: Vector3 = [0.2, 0.21, 0.23];

const GOLDEN = 0.6180339887498949;
/** For actors: the plastic ratio's inverse, so that the two do not fall into step. */
const PLASTIC = 0.7548776662466927;

/** The colour of the group whose first body this is: neighbours differ, and it stays as long as the group does. */
export function groupColour(actor: number, firstBody: number): Vector3 {
  const hue = fraction(0.07 + firstBody * GOLDEN + actor * PLASTIC);
  const lightness = 0.7 + 0.1 * (fraction(firstBody * PLASTIC + actor * GOLDEN) - 0.5);
  return oklch(lightness, 0.125, 2 * Math.PI * hue);
}

/** Five stops of a ramp on a logarithmic scale. */
export interface Ramp {
  stops: [Vector3, Vector3, Vector3, Vector3, Vector3];
  low: number;
  high: number;
  unit: string;
}

/** Speed of the joint that carries the group: blue is at rest, red is fast. */
export const ACTIVITY: Ramp = {
  stops: [hex(0x2f5fb3), hex(0x57a5cf), hex(0xd8d3b0), hex(0xeb9150), hex(0xc92a35)],
  low: 0.01,
  high: 30,
  unit: "rad/s or m/s",
};

/** What the joint was worth to who looks. */
export const WORTH: Ramp = {
  stops: [hex(0x472a7a), hex(0x365d8d), hex(0x21918c), hex(0x5ec962), hex(0xfde725)],
  low: 0.01,
  high: 100,
  unit: "pixels per step",
};

/** Where nothing is known. */
export const UNKNOWN_COLOUR: Vector3 = hex(0x7d838c);

/** Place of a value on a ramp, 0 to 1. */
export function rampPlace(ramp: Ramp, value: number): number {
  if (!(value > ramp.low)) return 0;
  return Math.min(1, Math.log(value / ramp.low) / Math.log(ramp.high / ramp.low));
}

export function rampColour(ramp: Ramp, place: number): Vector3 {
  const at = Math.min(Math.max(place, 0), 1) * 4;
  const stop = Math.min(3, Math.floor(at));
  const [a, b] = [ramp.stops[stop], ramp.stops[stop + 1]];
  const part = at - stop;
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

/** Linear light as CSS writes it. */
export function css(colour: Vector3): string {
  return `rgb(${colour.map((c) => Math.round(255 * encode(c))).join(" ")})`;
}

/** Björn Ottosson's perceptual space: lightness and chroma that look equal for all hues. */
export function oklch(lightness: number, chroma: number, hue: number): Vector3 {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function hex(colour: number): Vector3 {
  return [decode(((colour >> 16) & 255) / 255), decode(((colour >> 8) & 255) / 255), decode((colour & 255) / 255)];
}

function decode(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

function encode(c: number): number {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

function fraction(x: number): number {
  return x - Math.floor(x);
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
