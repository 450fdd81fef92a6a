import { describe, expect, it } from "vitest";
import { layOut } from "../src/panel/tree-layout";
import type { TreeNode } from "../src/wire/messages";

describe("layOut", () => {
  it("gives the root all the room, and children their part of it", () => {
    //       4
    //     2   3 (two joints, cut)
    //    0 1
    const nodes: TreeNode[] = [[-1, -1, 0], [-1, -1, 0], [0, 1, 1], [-1, -1, 2], [2, 3, 4]];
    const { left, right, row, rows } = layOut(nodes);
    expect(rows).toBe(3);
    expect([...row]).toEqual([2, 2, 1, 1, 0]);
    expect([left[4], right[4]]).toEqual([0, 1]);
    expect(right[2]).toBeCloseTo(2 / 5);
    expect(left[3]).toBeCloseTo(2 / 5);
    expect(right[3]).toBeCloseTo(1);
    expect(right[0]).toBeCloseTo(1 / 5);
  });

  it("takes a single body, and none", () => {
    expect(layOut([[-1, -1, 0]]).rows).toBe(1);
    expect(layOut([]).rows).toBe(0);
  });

  it("takes a tree as deep as it is long", () => {
    const nodes: TreeNode[] = [[-1, -1, 0]];
    for (let joints = 1; joints < 5000; joints++) {
      nodes.push([-1, -1, 0]);
      nodes.push([nodes.length - 2, nodes.length - 1, joints]);
    }
    const { rows, left, right } = layOut(nodes);
    expect(rows).toBe(5000);
    for (let node = 0; node < nodes.length; node++) expect(right[node]).toBeGreaterThan(left[node]);
  });

  it("leaves out what hangs on nothing", () => {
    expect([...layOut([[-1, -1, 0], [-1, -1, 0]]).row]).toEqual([-1, 0]);
  });

  it("refuses children that come later", () => {
    expect(() => layOut([[0, -1, 1]])).toThrow();
    expect(() => layOut([[-2, -1, 1]])).toThrow();
  });
});
