/** The list of figures: what is known, and nothing else. */
import type { Figures } from "../wire/frame";
import { element, make, setText } from "./element";
import { bytes, metres, short, whole } from "./numbers";

const ROWS: { name: string; of: keyof Figures; show(value: number): string }[] = [
  { name: "real-time factor", of: "realTime", show: (v) => `${short(v)}×` },
  { name: "step, mean", of: "msPerStep", show: (v) => `${short(v)} ms` },
  { name: "step, longest of a second", of: "msLongest", show: (v) => `${short(v)} ms` },
  { name: "steps", of: "steps", show: whole },
  { name: "steps per second", of: "stepsPerSecond", show: whole },
  { name: "contacts", of: "contacts", show: whole },
  { name: "greatest penetration", of: "penetration", show: metres },
  { name: "greatest gap of a joint", of: "gap", show: metres },
  { name: "bodies asleep", of: "asleep", show: whole },
  { name: "pixels per second that may be wrong", of: "pixelsPerSecond", show: short },
  { name: "bytes per frame", of: "bytes", show: bytes },
];

export class FigureList {
  private readonly rows = ROWS.map((row) => {
    const value = make("dd");
    const root = make("div", { hidden: true }, make("dt", { textContent: row.name }), value);
    return { ...row, root, value };
  });

  constructor() {
    element("numbers").append(...this.rows.map((row) => row.root));
  }

  set(figures: Figures): void {
    for (const row of this.rows) {
      const value = figures[row.of];
      row.root.hidden = Number.isNaN(value);
      if (!row.root.hidden) setText(row.value, row.show(value));
    }
  }
}
