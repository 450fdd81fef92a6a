import { expect, it } from "vitest";
import { bannerOf } from "../src/panel/banner";

it("says nothing while all goes well", () => {
  expect(bannerOf("connected", null, null)).toBeNull();
  expect(bannerOf("connected", undefined, null)).toBeNull();
  expect(bannerOf("waiting", null, null)).toBeNull();
});

it("offers to begin anew when the scene has ended by a fault", () => {
  expect(bannerOf("connected", "pendulum has ended by a fault", null)).toEqual({ text: "pendulum has ended by a fault", reset: true });
});

it("offers nothing that a lost server could not hear", () => {
  expect(bannerOf("lost", "pendulum has ended by a fault", null)).toEqual({ text: "Connection lost, trying again …", reset: false });
  expect(bannerOf("lost", null, "this server wants its token")).toEqual({ text: "this server wants its token", reset: false });
});
