/** Live plots of the last seconds, each on a small canvas. */
import type { Figures } from "../wire/frame";
import { element, make, setText } from "./element";
import { short, whole } from "./numbers";

/** Seconds that are shown. */
const WINDOW = 20;
/** Redrawn at most so often [ms]. */
const PAUSE = 120;

interface Line {
  name: string;
  /** A CSS variable of the page. */
  colour: string;
  of(figures: Figures): number;
}

interface PlotKind {
  title: string;
  lines: Line[];
  fromZero: boolean;
  show(value: number): string;
}

const KINDS: PlotKind[] = [
  { title: "active joints", fromZero: true, show: whole, lines: [{ name: "", colour: "--plot-1", of: (f) => f.activeJoints }] },
  { title: "ms per step", fromZero: true, show: short, lines: [{ name: "", colour: "--plot-2", of: (f) => f.msPerStep }] },
  {
    title: "energy [J]",
    fromZero: false,
    show: short,
    lines: [
      { name: "total", colour: "--plot-1", of: (f) => f.kinetic + f.potential },
      { name: "kinetic", colour: "--plot-2", of: (f) => f.kinetic },
      { name: "potential", colour: "--plot-3", of: (f) => f.potential },
    ],
  },
  { title: "error", fromZero: true, show: short, lines: [{ name: "", colour: "--plot-4", of: (f) => f.error }] },
];

/** Times and values of the last seconds; old ones are forgotten. */
export class Track {
  readonly times: number[] = [];
  readonly rows: number[][] = [];

  add(time: number, row: number[]): void {
    this.times.push(time);
    this.rows.push(row);
    // in lumps, since shifting a list is slow
    if (this.times.length > 64 && this.times[63] < time - WINDOW) {
      this.times.splice(0, 64);
      this.rows.splice(0, 64);
    }
  }

  clear(): void {
    this.times.length = 0;
    this.rows.length = 0;
  }

  /** Least and greatest finite value of the window, with some room. */
  range(fromZero: boolean): [number, number] | null {
    let low = fromZero ? 0 : Infinity;
    let high = -Infinity;
    for (const row of this.rows) {
      for (const value of row) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (high === -Infinity) return null;
    if (high - low < 1e-9 * Math.max(Math.abs(high), 1e-9)) {
      // a line in the middle
      const half = Math.max(0.5 * Math.abs(high), 1e-9);
      return fromZero ? [0, high === 0 ? 1 : 2 * high] : [low - half, high + half];
    }
    const room = 0.06 * (high - low);
    return [fromZero ? low : low - room, high + room];
  }
}

class Plot {
  readonly track = new Track();
  readonly root: HTMLElement;
  private readonly canvas = make("canvas");
  private readonly value = make("span", { className: "value" });

  constructor(readonly kind: PlotKind) {
    const keys = kind.lines.filter((line) => line.name).map((line) => {
      const swatch = make("i");
      swatch.style.background = `var(${line.colour})`;
      return make("span", { className: "key" }, swatch, line.name);
    });
    this.canvas.setAttribute("role", "img");
    this.root = make("figure", {}, make("figcaption", {}, make("span", { className: "title", textContent: kind.title }), ...keys, this.value), this.canvas);
  }

  draw(): void {
    const { track, canvas, kind } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    const style = getComputedStyle(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const range = track.range(kind.fromZero);
    const last = track.rows.at(-1);
    const now = last && Number.isFinite(last[0]) ? kind.show(last[0]) : "–";
    setText(this.value, now);
    canvas.setAttribute("aria-label", `${kind.title}, now ${now}`);
    if (!range) return;
    const [low, high] = range;
    const end = track.times.at(-1)!;
    const x = (time: number) => width * (1 - (end - time) / WINDOW);
    const y = (value: number) => height - 1.5 - ((height - 3) * (value - low)) / (high - low);

    // one line at zero, if it is inside
    context.strokeStyle = style.getPropertyValue("--line");
    context.lineWidth = 1;
    if (low <= 0 && high >= 0) {
      context.beginPath();
      context.moveTo(0, y(0));
      context.lineTo(width, y(0));
      context.stroke();
    }
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    for (let i = kind.lines.length - 1; i >= 0; i--) {
      context.strokeStyle = style.getPropertyValue(kind.lines[i].colour);
      context.beginPath();
      let drawing = false;
      track.times.forEach((time, k) => {
        const value = track.rows[k][i];
        if (!Number.isFinite(value)) drawing = false;
        else if (drawing) context.lineTo(x(time), y(value));
        else {
          context.moveTo(x(time), y(value));
          drawing = true;
        }
      });
      context.stroke();
    }
    context.fillStyle = style.getPropertyValue("--faint");
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(kind.show(high), 3, 2);
    context.textBaseline = "bottom";
    if (low !== 0) context.fillText(kind.show(low), 3, height - 1);
  }
}

export class Plots {
  private readonly plots = KINDS.map((kind) => new Plot(kind));
  private waiting = false;

  constructor() {
    element("plots").append(...this.plots.map((plot) => plot.root));
  }

  clear(): void {
    for (const plot of this.plots) plot.track.clear();
  }

  add(figures: Figures): void {
    const now = performance.now() / 1000;
    for (const plot of this.plots) plot.track.add(now, plot.kind.lines.map((line) => line.of(figures)));
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      for (const plot of this.plots) plot.draw();
    }, PAUSE);
  }
}
