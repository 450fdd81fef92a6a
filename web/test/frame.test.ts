import { describe, expect, it } from "vitest";
import { MalformedFrame, readFrame, WORLD, type FrameContext } from "../src/wire/frame";
import { FrameBytes, twoActors } from "./frame-bytes";

const context: FrameContext = { epoch: 7, actors: 2, bodiesOf: (actor) => [3, 1][actor], groupsOf: (actor) => [2, 1][actor] };

describe("readFrame", () => {
  it("reads all sections", () => {
    const frame = readFrame(twoActors().bytes(), context)!;
    expect(frame).toMatchObject({ epoch: 7, number: 5, complete: true, time: 1.25 });
    expect(frame.figures.activeJoints).toBe(1);
    expect(frame.figures.pixelsPerSecond).toBe(16);
    expect(frame.regrouped.map(({ actor, groups }) => [actor, groups])).toEqual([[0, 2]]);
    expect(frame.words[frame.regrouped[0].word + 8]).toBe(WORLD);
    expect(frame.moved.map(({ actor }) => actor)).toEqual([0, 1]);
    expect(frame.floats[frame.moved[1].word]).toBe(30);
    expect(frame.hand).toEqual({ actor: 1, body: 0, point: [1, 2, 3], to: [4, 5, 6] });
    expect([...frame.tree!]).toEqual([0, 1, 2, 3, 1]);
  });

  it("reads a frame in which nothing happens", () => {
    const frame = readFrame(new FrameBytes().header().u32(0, 0, 0, 0).bytes(), context)!;
    expect(frame.regrouped).toEqual([]);
    expect(frame.moved).toEqual([]);
    expect(frame.hand).toBeNull();
    expect(frame.tree).toBeNull();
  });

  it("takes the number of groups that the same frame tells", () => {
    // actor 1 had one group, now it stands in the world and has none
    const frame = readFrame(new FrameBytes().header().u32(1, 1, 0).u32(WORLD).f32(0, 0, 0, 0, 0, 0, 1).u32(1, 1).u32(0, 0).bytes(), context)!;
    expect(frame.moved).toHaveLength(1);
  });

  it("ignores frames of other scenes, whatever is in them", () => {
    expect(readFrame(new FrameBytes().u32(1, 8).bytes(), context)).toBeNull();
  });

  it("refuses what is cut off anywhere", () => {
    const whole = twoActors().bytes();
    for (let length = 8; length < whole.byteLength; length += 1) {
      expect(() => readFrame(whole.slice(0, length), context), `${length} bytes`).toThrow(MalformedFrame);
    }
  });

  it.each([
    ["an unknown kind", new FrameBytes().u32(2, 7)],
    ["an actor that does not exist", new FrameBytes().header().u32(0, 1, 2)],
    ["too many groups", new FrameBytes().header().u32(1, 1, 2)],
    ["a group that does not exist", new FrameBytes().header().u32(1, 1, 1).u32(1).f32(0, 0, 0, 0, 0, 0, 1).u32(0, 0, 0)],
    ["a body that does not exist", new FrameBytes().header().u32(0, 0, 1, 1, 1).f32(0, 0, 0, 0, 0, 0).u32(0)],
    ["a pose that is not finite", new FrameBytes().header().u32(0, 1, 1).f32(NaN, 0, 0, 0, 0, 0, 1, 0, 0).u32(0, 0)],
    ["two hands", new FrameBytes().header().u32(0, 0, 2, 0)],
    ["a tree longer than the frame", new FrameBytes().header().u32(0, 0, 0, 0xffffffff)],
    ["more actors than words", new FrameBytes().header().u32(0xffffffff, 0, 0, 0)],
  ])("refuses %s", (_, bytes) => {
    expect(() => readFrame(bytes.bytes(), context)).toThrow(MalformedFrame);
  });

  it("never throws anything else, whatever the bytes", () => {
    let seed = 12345;
    const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
    const whole = new Uint8Array(twoActors().bytes());
    for (let round = 0; round < 5000; round++) {
      const bytes = whole.slice();
      for (let change = 0; change < 1 + (round % 6); change++) bytes[random() % bytes.length] = random() >>> 24;
      try {
        readFrame(bytes.buffer, context);
      } catch (problem) {
        expect(problem, `round ${round}`).toBeInstanceOf(MalformedFrame);
      }
    }
  });
});
