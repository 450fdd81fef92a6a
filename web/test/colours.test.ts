import { describe, expect, it } from "vitest";
import { ACTIVITY, css, groupColour, rampColour, rampPlace, WORTH } from "../src/draw/colours";

describe("colours of groups", () => {
  it("are the same each time", () => {
    expect(groupColour(3, 17)).toEqual(groupColour(3, 17));
  });

  it("are colours", () => {
    for (let body = 0; body < 300; body++) for (const part of groupColour(5, body)) expect(part >= 0 && part <= 1).toBe(true);
  });

  it("differ between neighbours", () => {
    for (let body = 0; body < 300; body++) {
      for (const other of [body + 1, body + 2]) {
        const [a, b] = [groupColour(0, body), groupColour(0, other)];
        expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `bodies ${body} and ${other}`).toBeGreaterThan(0.1);
      }
    }
  });
});

describe("ramps", () => {
  it("are logarithmic, and end at their ends", () => {
    expect(rampPlace(ACTIVITY, 0)).toBe(0);
    expect(rampPlace(ACTIVITY, ACTIVITY.low)).toBe(0);
    expect(rampPlace(ACTIVITY, 1e9)).toBe(1);
    expect(rampPlace(WORTH, 1)).toBeCloseTo(0.5, 12);
    expect(rampPlace(WORTH, NaN)).toBe(0);
  });

  it("go from blue to red", () => {
    const [coldRed, , coldBlue] = rampColour(ACTIVITY, 0);
    const [hotRed, , hotBlue] = rampColour(ACTIVITY, 1);
    expect(coldBlue).toBeGreaterThan(coldRed);
    expect(hotRed).toBeGreaterThan(hotBlue);
  });

  it("are continuous", () => {
    for (let i = 0; i < 1000; i++) {
      const [a, b] = [rampColour(WORTH, i / 1000), rampColour(WORTH, (i + 1) / 1000)];
      expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])).toBeLessThan(0.01);
    }
  });

  it("are written as CSS", () => {
    expect(css([0, 0, 0])).toBe("rgb(0 0 0)");
    expect(css([1, 1, 1])).toBe("rgb(255 255 255)");
    expect(css(ACTIVITY.stops[0])).toBe("rgb(47 95 179)");
  });
});
