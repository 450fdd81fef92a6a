import { describe, expect, it } from "vitest";
import type { Vector3 } from "../src/wire/messages";
import { compose, multiply, rotate, transform, turnFromZ, untransform, type Pose } from "../src/world/pose";

const half = Math.SQRT1_2;

function close(a: readonly number[], b: readonly number[]): void {
  a.forEach((value, i) => expect(value).toBeCloseTo(b[i], 12));
}

describe("poses", () => {
  it("turns by quarters", () => {
    close(rotate([0, 0, half, half], [1, 0, 0]), [0, 1, 0]);
    close(rotate([half, 0, 0, half], [0, 1, 0]), [0, 0, 1]);
    close(rotate([0, half, 0, half], [0, 0, 1]), [1, 0, 0]);
  });

  it("multiplies turns in the order they are written", () => {
    const about_z = [0, 0, half, half] as const;
    const about_x = [half, 0, 0, half] as const;
    const v: Vector3 = [0.3, -1, 2];
    close(rotate(multiply([...about_z], [...about_x]), v), rotate([...about_z], rotate([...about_x], v)));
  });

  it("composes, and goes back", () => {
    const a: Pose = { position: [1, 2, 3], turn: [0, 0, half, half] };
    const b: Pose = { position: [0, 1, 0], turn: [half, 0, 0, half] };
    const point: Vector3 = [0.2, 0.4, -0.7];
    close(transform(compose(a, b), point), transform(a, transform(b, point)));
    close(untransform(a, transform(a, point)), point);
  });

  it.each<[Vector3]>([[[0, 0, 2]], [[0, 0, -3]], [[1, 0, 0]], [[1, -2, 0.5]], [[1e-9, 0, -1]]])("takes z to %j", (direction) => {
    const size = Math.hypot(...direction);
    const found = rotate(turnFromZ(direction), [0, 0, 1]);
    found.forEach((value, i) => expect(value).toBeCloseTo(direction[i] / size, 6));
  });
});
