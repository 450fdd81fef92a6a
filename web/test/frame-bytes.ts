/** Frames written by hand, word by word. */
import { WORLD } from "../src/wire/frame";

export class FrameBytes {
  private readonly words: ArrayBuffer[] = [];

  u32(...values: number[]): this {
    this.words.push(Uint32Array.from(values).buffer);
    return this;
  }

  f32(...values: number[]): this {
    this.words.push(Float32Array.from(values).buffer);
    return this;
  }

  /** Of epoch 7: frame 5 at 1.25 s, figures 1 to 16. */
  header(): this {
    this.u32(1, 7, 5, 1);
    this.words.push(Float64Array.of(1.25).buffer);
    return this.f32(...Array.from({ length: 16 }, (_, i) => i + 1));
  }

  bytes(): ArrayBuffer {
    const parts = this.words.map((word) => new Uint8Array(word));
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all.buffer;
  }
}

const HERE = [0, 0, 0, 0, 0, 0, 1];

/** Two actors, of three bodies (the second of them in the world) and of one; somebody drags; a tree of five nodes. */
export function twoActors(): FrameBytes {
  const half = Math.SQRT1_2;
  return (
    new FrameBytes()
      .header()
      .u32(1, 0, 2)
      .u32(0)
      .f32(...HERE)
      .u32(WORLD)
      .f32(9, 0, 0, 0, 0, 0, 1)
      .u32(1)
      .f32(1, 0, 0, 0, 0, 0, 1)
      .u32(2)
      .u32(0)
      .f32(10, 0, 0, 0, 0, 0, 1, 0.5, NaN)
      // a quarter turn about z
      .f32(20, 0, 0, 0, 0, half, half, -2, 3)
      .u32(1)
      .f32(30, 0, 0, 0, 0, 0, 1, 0, 0)
      .u32(1, 1, 0)
      .f32(1, 2, 3, 4, 5, 6)
      .u32(5)
      .u32(0x03020100, 0x00000001)
  );
}
