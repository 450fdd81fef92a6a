/** The page shows what the server simulates. */
import { drawn, expect, images, test, troubles, watch } from "./page";
import { SCENES } from "./server";

test("the page loads without errors, and asks nobody else", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  const found = troubles(page);
  const asked = new Set<string>();
  page.on("request", (request) => asked.add(new URL(request.url()).host));
  await watch(page, url);
  await images(page, 3);
  await expect(page).toHaveTitle(/supple/);
  await expect(page.locator("#scene-name")).toHaveText(SCENES.person);
  await expect(page.locator("#connection")).toHaveText("connected");
  expect(found).toEqual([]);
  expect([...asked]).toEqual([new URL(url).host]);
});

test("bodies move: poses change, and pixels do", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  const look = () =>
    page.evaluate(() => ({
      time: window.supple.time,
      at: window.supple.bodyPosition(0, window.supple.scene!.figures[0].bodies.length - 1)!,
    }));
  await images(page, 2);
  const before = await look();
  const imageBefore = await page.locator("#canvas").screenshot();
  await page.waitForFunction((time) => window.supple.time > time + 0.3, before.time);
  await images(page, 2);
  const after = await look();
  const imageAfter = await page.locator("#canvas").screenshot();
  expect(Math.hypot(...before.at.map((x, i) => x - after.at[i]))).toBeGreaterThan(1e-3);
  expect(imageAfter.equals(imageBefore)).toBe(false);
});

test("the detail slider changes the number of groups", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  await page.getByLabel("Policy").selectOption("full");
  await page.waitForFunction((links) => window.supple.groups() >= 0.9 * links, SCENES.chainLinks);
  await page.getByLabel("Policy").selectOption("joints");
  const slider = page.getByRole("slider", { name: /joints in each actor/i });
  await slider.fill("500");
  await page.waitForFunction((links) => window.supple.groups() < 0.3 * links && window.supple.groups() > 2, SCENES.chainLinks);
  const middle = await page.evaluate(() => window.supple.groups());
  await slider.fill("0");
  await expect(page.locator("#detail-value")).toHaveText("1");
  await page.waitForFunction(() => window.supple.groups() <= 2);
  expect(await page.evaluate(() => window.supple.active())).toBeLessThanOrEqual(1);
  await slider.fill("1000");
  await page.waitForFunction((links) => window.supple.groups() >= 0.9 * links, SCENES.chainLinks);
  expect(middle).toBeGreaterThan(2);
  await expect(page.locator("#active")).toContainText(`of ${SCENES.chainLinks}`);
});

test("pause, step and reset", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  await page.waitForFunction(() => window.supple.time > 0.1);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  await page.waitForTimeout(300);
  const paused = await page.evaluate(() => window.supple.time);
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => window.supple.time)).toBe(paused);

  await page.getByRole("button", { name: "Take one step" }).click();
  await page.waitForFunction((time) => window.supple.time > time, paused);
  const { time, dt } = await page.evaluate(() => ({ time: window.supple.time, dt: window.supple.scene!.dt }));
  expect(time - paused).toBeCloseTo(dt, 9);

  await page.getByRole("button", { name: "Reset the scene" }).click();
  await page.waitForFunction((before) => window.supple.time < before, paused);
  await page.getByRole("button", { name: /^(Play|Pause)$/ }).click();
  await page.waitForTimeout(200);
});

test("another scene, from the gallery", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  const epoch = await page.evaluate(() => window.supple.epoch);
  await page.getByRole("button", { name: SCENES.person }).click();
  const dialog = page.getByRole("dialog", { name: "Scenes" });
  await expect(dialog.locator("li").first()).toBeVisible();
  const all = await dialog.locator("li:visible").count();
  await dialog.getByRole("searchbox").fill(SCENES.other);
  await expect.poll(() => dialog.locator("li:visible").count()).toBeLessThan(all);
  await dialog.getByRole("button", { name: new RegExp(`^${SCENES.other}`) }).first().click();
  await expect(dialog).toBeHidden();
  await page.waitForFunction((before) => window.supple.epoch !== before, epoch);
  await expect(page.locator("#scene-name")).toHaveText(SCENES.other);
  await page.waitForFunction(() => window.supple.time > 0);
  const before = await page.evaluate(() => window.supple.time);
  await page.waitForFunction((time) => window.supple.time > time, before);
});

test("a scene with settings of one's own", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  await page.keyboard.press("g");
  const card = page.locator("#cards li").filter({ has: page.locator(".name", { hasText: /^(chain|pendulum)$/ }) });
  await card.locator("details summary").click();
  await card.getByLabel(/^links/).fill("17");
  await card.getByRole("button", { name: /with these settings/ }).click();
  await page.waitForFunction(() => window.supple.scene!.settings.links === "17");
  await drawn(page);
  expect(await page.evaluate(() => window.supple.scene!.figures[0].bodies.length)).toBeGreaterThanOrEqual(17);
});

test("colours by group, activity and worth", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  const pictures: Buffer[] = [];
  for (const mode of ["rigid group", "activity", "pixel worth"]) {
    await page.getByRole("radio", { name: mode }).check();
    await page.waitForTimeout(400);
    await expect(page.locator("#legend")).toBeVisible({ visible: mode !== "rigid group" });
    pictures.push(await page.locator("#canvas").screenshot());
  }
  expect(pictures[0].equals(pictures[1])).toBe(false);
  expect(pictures[1].equals(pictures[2])).toBe(false);
});

test("the detail camera freezes while the page's goes on", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  await page.getByRole("checkbox", { name: "freeze detail camera" }).check();
  await page.waitForFunction(() => window.supple.state!.frozen_camera);
  const before = await page.locator("#canvas").screenshot();
  await page.mouse.move(60, 400);
  await page.mouse.down();
  await page.mouse.move(200, 420, { steps: 5 });
  await page.mouse.up();
  await images(page, 1);
  expect((await page.locator("#canvas").screenshot()).equals(before)).toBe(false);
  await page.keyboard.press("f");
  await page.waitForFunction(() => !window.supple.state!.frozen_camera);
});

test("keys", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => !window.supple.state!.playing);
  await page.waitForTimeout(300);
  const paused = await page.evaluate(() => window.supple.time);
  await page.keyboard.press(".");
  await page.waitForFunction((time) => window.supple.time > time, paused);
  await page.keyboard.press("r");
  await page.waitForFunction((time) => window.supple.time < time, paused);
  await page.keyboard.press("c");
  await expect(page.getByRole("radio", { name: "activity" })).toBeChecked();
  await page.getByLabel("Policy").selectOption("full");
  await page.locator("#canvas").focus();
  await page.keyboard.press("[");
  await page.waitForFunction(() => window.supple.state!.detail.policy === "joints");
  const value = await page.evaluate(() => window.supple.state!.detail.value!);
  expect(value).toBeLessThan(SCENES.chainLinks);
  await page.keyboard.press("]");
  await page.waitForFunction((less) => window.supple.state!.detail.value! > less, value);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys and mouse" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Keys and mouse" })).toBeHidden();
  await page.keyboard.press("p");
  await expect(page.getByLabel("Policy")).toBeHidden();
});
