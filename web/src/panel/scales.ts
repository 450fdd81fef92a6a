/** Sliders: places from 0 to 1, values on logarithmic scales. */

export interface Scale {
  /** Value at place 0 (little detail) and at place 1 (much). */
  from: number;
  to: number;
  /** Values are whole numbers. */
  whole: boolean;
}

export function valueAt(scale: Scale, place: number): number {
  const clamped = Math.min(1, Math.max(0, place));
  const value = scale.from * (scale.to / scale.from) ** clamped;
  if (scale.whole) return Math.round(value);
  // three digits are enough, and read well
  return Number(value.toPrecision(3));
}

export function placeOf(scale: Scale, value: number): number {
  if (scale.from === scale.to || !(value > 0)) return scale.from < scale.to ? 0 : 1;
  return Math.min(1, Math.max(0, Math.log(value / scale.from) / Math.log(scale.to / scale.from)));
}

/** The value that is some places on: a whole one moves at least by one. */
export function nudge(scale: Scale, value: number, by: number): number {
  const next = valueAt(scale, placeOf(scale, value) + by);
  if (!scale.whole || next !== value) return next;
  const [low, high] = [Math.min(scale.from, scale.to), Math.max(scale.from, scale.to)];
  return Math.min(high, Math.max(low, value + Math.sign(by) * Math.sign(scale.to - scale.from)));
}
