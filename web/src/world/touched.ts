/** Which part of a list changed since it was last sent to the graphics processor: rows of a texture. */

/** Floats in a row: 2048 texels of four. */
export const ROW = 2048 * 4;

export function wholeRows(floats: number): number {
  return Math.max(1, Math.ceil(floats / ROW)) * ROW;
}

export class Touched {
  private readonly rows = new Set<number>();

  add(begin: number, count: number): void {
    if (count === 0) return;
    const last = Math.floor((begin + count - 1) / ROW);
    for (let row = Math.floor(begin / ROW); row <= last; row++) this.rows.add(row);
  }

  /** The rows, each once; forgets them. */
  take(): number[] {
    const rows = [...this.rows];
    this.rows.clear();
    return rows;
  }
}
