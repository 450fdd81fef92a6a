import { expect, it } from "vitest";
import { bytes, metres, short, whole } from "../src/panel/numbers";

it("writes numbers as people read them", () => {
  expect(short(0)).toBe("0");
  expect(short(12.3456)).toBe("12.3");
  expect(short(1234.5)).toBe("1 235");
  expect(short(2.5e-5)).toBe("2.5·10⁻⁵");
  expect(short(-3e7)).toBe("-3·10⁷");
  expect(short(NaN)).toBe("–");
  expect(whole(1450000)).toBe("1 450 000");
  expect(bytes(812)).toBe("812 B");
  expect(bytes(81234)).toBe("81.2 kB");
  expect(metres(1.1e-7)).toBe("110 nm");
  expect(metres(0.015)).toBe("15 mm");
});
