/** A server and a page for each test; what a test may want to know of the page. */
import { test as base, expect, type Page } from "@playwright/test";
import type {} from "../src/test-hook";
import { startServer, type Server } from "./server";

export { expect };

interface Fixtures {
  /** Starts a server with a scene; it ends with the test. */
  serve(scene: string, port?: number): Promise<Server>;
}

export const test = base.extend<Fixtures>({
  serve: async ({}, use) => {
    const servers: Server[] = [];
    await use(async (scene, port) => {
      const server = await startServer(scene, port);
      servers.push(server);
      return server;
    });
    for (const server of servers) await server.stop();
  },
});

/** Opens the page, and waits until something is drawn. */
export async function watch(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await drawn(page);
}

export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => window.supple?.connected && window.supple.frames > 0 && window.supple.renders > 0);
}

/** Waits until so many images were drawn from now on. */
export async function images(page: Page, count: number): Promise<void> {
  const before = await page.evaluate(() => window.supple.renders);
  await page.waitForFunction((wanted) => window.supple.renders >= wanted, before + count);
}

/** All that went wrong on the page from now on. */
export function troubles(page: Page): string[] {
  const found: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") found.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => found.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => found.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) found.push(`${response.status()}: ${response.url()}`);
  });
  return found;
}

/** Moves the pointer in small steps, as hands do. */
export async function sweep(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const steps = 12;
  for (let i = 1; i <= steps; i++) {
    await page.mouse.move(from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps);
    await page.waitForTimeout(20);
  }
}

/** Takes hold of a body where it is seen, and tells where that was. The scene should be paused. */
export async function seize(page: Page, actor: number, body: number): Promise<[number, number]> {
  const at = await page.evaluate(([a, b]) => window.supple.screenOf(a, b), [actor, body] as const);
  expect(at).not.toBeNull();
  await page.mouse.move(...at!);
  await page.mouse.down();
  return at!;
}

/** Some body of these names that the pointer can reach: its middle is on the screen, and nothing in front of it. */
export async function bodyInReach(page: Page, names: string[]): Promise<[number, number]> {
  const found = await page.evaluate((wanted) => {
    const bodies = wanted.flatMap((name) => window.supple.bodyNamed(name));
    return bodies.find(([actor, body]) => {
      const at = window.supple.screenOf(actor, body);
      const under = at && window.supple.under(...at);
      return under && under[0] === actor && under[1] === body;
    });
  }, names);
  expect(found, `${names.join(", ")}: in reach`).toBeDefined();
  return found!;
}
