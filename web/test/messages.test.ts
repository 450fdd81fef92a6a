import { expect, it } from "vitest";
import { readMessage } from "../src/wire/messages";

const scene = { type: "scene", shapes: [{ type: "sphere", radius: 1 }], figures: [{ bodies: ["a"], solids: [{ body: 0, shape: 0, at: [] }] }], actors: [0], walls: [], policies: [] };

it("reads messages of the protocol", () => {
  expect(readMessage('{"type":"hello","version":1,"you":2}')).toEqual({ type: "hello", version: 1, you: 2 });
  expect(readMessage(JSON.stringify(scene)).type).toBe("scene");
});

it("reads that a scene has ended by a fault", () => {
  const message = readMessage('{"type":"state","playing":false,"ended":"pendulum has ended by a fault"}');
  expect(message.type === "state" && message.ended).toBe("pendulum has ended by a fault");
});

it.each([
  ["not JSON", "{"],
  ["a list", "[]"],
  ["nothing", "null"],
  ["an unknown type", '{"type":"dance"}'],
  ["a figure that does not exist", JSON.stringify({ ...scene, actors: [1] })],
  ["a shape that does not exist", JSON.stringify({ ...scene, walls: [{ shape: 4, at: [] }] })],
  ["no actors", JSON.stringify({ ...scene, actors: undefined })],
])("refuses %s", (_, text) => {
  expect(() => readMessage(text)).toThrow();
});
