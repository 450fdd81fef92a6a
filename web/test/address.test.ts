import { expect, it } from "vitest";
import { addressOf, socketOf } from "../src/wire/address";

it("goes beside the page", () => {
  expect(socketOf("ws", "http://127.0.0.1:7878/")).toBe("ws://127.0.0.1:7878/ws");
  expect(addressOf("api/scenes", "https://example.org/supple/?quality=low").href).toBe("https://example.org/supple/api/scenes");
});

it("shows the token that the page was opened with, and nothing else of its address", () => {
  const page = "http://192.168.1.5:7878/?quality=low&token=0a1b#part";
  expect(socketOf("ws", page)).toBe("ws://192.168.1.5:7878/ws?token=0a1b");
  expect(addressOf("api/scenes", page).href).toBe("http://192.168.1.5:7878/api/scenes?token=0a1b");
});
