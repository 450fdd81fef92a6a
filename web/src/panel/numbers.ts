/** Numbers as people read them. */

const UNKNOWN = "–";

/** Three digits, with thousands separated, and powers of ten only where needed. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e6 || size < 1e-3) return power(value);
  if (size >= 1000) return whole(value);
  return Number(value.toPrecision(3)).toString();
}

export function whole(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  return Math.round(value).toLocaleString("en-US").replaceAll(",", " ");
}

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  if (value < 1000) return `${Math.round(value)} B`;
  if (value < 1e6) return `${(value / 1e3).toPrecision(3)} kB`;
  return `${(value / 1e6).toPrecision(3)} MB`;
}

/** Metres, small ones in smaller units. */
export function metres(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size === 0) return "0 m";
  if (size < 1e-6) return `${short(value * 1e9)} nm`;
  if (size < 1e-3) return `${short(value * 1e6)} µm`;
  if (size < 1) return `${short(value * 1e3)} mm`;
  return `${short(value)} m`;
}

const SUPERSCRIPTS: Record<string, string> = { "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" };

function power(value: number): string {
  const [mantissa, exponent] = value.toExponential(1).split("e");
  const raised = [...String(Number(exponent))].map((digit) => SUPERSCRIPTS[digit]).join("");
  return `${mantissa.replace(/\.0$/, "")}·10${raised}`;
}
