/** Hands on bodies, in reduced and in maximal coordinates. */
import type { Page } from "@playwright/test";
import { bodyInReach, expect, seize, sweep, test, watch } from "./page";
import { SCENES } from "./server";

/** How far the point that is held is from the pointer [CSS pixels]. */
function lag(page: Page, pointer: [number, number]): Promise<number> {
  return page.evaluate(([x, y]) => {
    const held = window.supple.held();
    const seen = held && window.supple.screenAt(held.at);
    return seen ? Math.hypot(seen[0] - x, seen[1] - y) : Infinity;
  }, pointer);
}

async function pause(page: Page): Promise<void> {
  if (!(await page.evaluate(() => window.supple.state!.playing))) return;
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.supple.state!.playing);
  await page.waitForTimeout(200);
}

test("dragging a hand moves that hand to the pointer, and lets go", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  await pause(page);
  const [actor, body] = await bodyInReach(page, SCENES.limbs);
  const from = await seize(page, actor, body);
  await page.waitForFunction(() => window.supple.state!.holder === "you");
  expect(await page.evaluate(() => window.supple.held())).toMatchObject({ actor, body });
  const before = await page.evaluate(([a, b]) => window.supple.bodyPosition(a, b)!, [actor, body] as const);

  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.supple.state!.playing);
  const to: [number, number] = [from[0] + 60, from[1] - 50];
  await sweep(page, from, to);
  await expect.poll(() => lag(page, to), { timeout: 15_000 }).toBeLessThan(10);
  const after = await page.evaluate(([a, b]) => window.supple.bodyPosition(a, b)!, [actor, body] as const);
  expect(Math.hypot(...before.map((x, i) => x - after[i]))).toBeGreaterThan(0.02);

  await page.mouse.up();
  await page.waitForFunction(() => window.supple.state!.holder === null);
  expect(await page.evaluate(() => window.supple.held())).toBeNull();
});

test("a hard pull in maximal coordinates: all stays finite, and nobody flies away", async ({ page, serve }) => {
  const { url } = await serve(SCENES.maximal);
  await watch(page, url);
  await pause(page);
  // some body that is seen, in the middle of the list
  const [actor, body] = await page.evaluate(() => {
    const { scene } = window.supple;
    const seen: [number, number][] = [];
    scene!.actors.forEach((figure, a) => {
      for (let b = 0; b < scene!.figures[figure].bodies.length; b++) {
        const at = window.supple.screenOf(a, b);
        if (at && at[0] > 150 && at[0] < 550 && at[1] > 120 && at[1] < 400) seen.push([a, b]);
      }
    });
    return seen[Math.floor(seen.length / 2)];
  });
  const from = await seize(page, actor, body);
  await page.waitForFunction(() => window.supple.state!.holder === "you");
  await page.keyboard.press(" ");
  for (const to of [[20, 80], [620, 420], [20, 420], [620, 80]] as [number, number][]) await sweep(page, from, to);
  await page.mouse.up();
  await page.waitForFunction(() => window.supple.state!.holder === null);
  const time = await page.evaluate(() => window.supple.time);
  await page.waitForFunction((before) => window.supple.time > before + 0.2, time);
  // frames with numbers that are not finite would have been dropped
  expect(await page.evaluate(() => window.supple.dropped)).toBe(0);
  const farthest = await page.evaluate(() => {
    const { actors } = window.supple.scene!;
    return Math.max(...actors.map((_, actor) => Math.hypot(...window.supple.bodyPosition(actor, 0)!)));
  });
  expect(farthest).toBeLessThan(100);
});

test("beside all bodies the pointer turns the camera", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  await pause(page);
  // corners of a box in the world, on the screen
  const where = () => page.evaluate(() => [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, 0]].map((p) => window.supple.screenAt(p as [number, number, number])!));
  const before = await where();
  await page.mouse.move(40, 420);
  await page.mouse.down();
  await sweep(page, [40, 420], [200, 420]);
  await page.mouse.up();
  const after = await where();
  expect(await page.evaluate(() => window.supple.state!.holder)).toBeNull();
  const shifts = before.map((at, i) => Math.hypot(at[0] - after[i][0], at[1] - after[i][1]));
  expect(Math.max(...shifts)).toBeGreaterThan(20);
});
