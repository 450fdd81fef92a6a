/** Places of the assembly tree's nodes: an icicle, the root on top, as wide as the bodies inside. */
import type { TreeNode } from "../wire/messages";

/** Left and right edge (0 to 1) and row of each node, −1 for nodes that hang on nothing. */
export interface TreeLayout {
  left: Float64Array;
  right: Float64Array;
  row: Int32Array;
  rows: number;
}

/** @throws if a node names a child that does not come before it */
export function layOut(nodes: TreeNode[]): TreeLayout {
  const count = nodes.length;
  const weight = new Float64Array(count);
  nodes.forEach(([a, b, joints], node) => {
    for (const child of [a, b]) {
      if (child >= node || child < -1 || !Number.isInteger(child)) throw new Error(`node ${node} has child ${child}`);
    }
    weight[node] = (a >= 0 ? weight[a] : 0) + (b >= 0 ? weight[b] : 0);
    // a leaf is a body, or so many joints and one body more that were cut off
    if (a < 0 && b < 0) weight[node] = Math.max(0, joints) + 1;
  });
  const left = new Float64Array(count);
  const right = new Float64Array(count);
  const row = new Int32Array(count).fill(-1);
  let rows = 0;
  if (count > 0) {
    right[count - 1] = 1;
    row[count - 1] = 0;
  }
  for (let node = count - 1; node >= 0; node--) {
    if (row[node] < 0) continue;
    rows = Math.max(rows, row[node] + 1);
    const [a, b] = nodes[node];
    let at = left[node];
    for (const child of [a, b]) {
      if (child < 0) continue;
      left[child] = at;
      at += ((right[node] - left[node]) * weight[child]) / weight[node];
      right[child] = at;
      row[child] = row[node] + 1;
    }
  }
  return { left, right, row, rows };
}
