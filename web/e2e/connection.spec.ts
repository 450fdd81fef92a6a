/** Connections come and go; several pages watch one world. */
import { bodyInReach, drawn, expect, images, seize, sweep, test, troubles, watch } from "./page";
import { SCENES } from "./server";

test("the page comes back when the server does", async ({ page, serve }) => {
  const first = await serve(SCENES.chain);
  await watch(page, first.url);
  await first.stop();
  await expect(page.locator("#banner")).toBeVisible();
  await expect(page.locator("#banner")).toContainText("Connection lost, trying again");
  await serve(SCENES.person, first.port);
  await expect(page.locator("#banner")).toBeHidden({ timeout: 15_000 });
  await drawn(page);
  await expect(page.locator("#scene-name")).toHaveText(SCENES.person);
  // there is no time until the first frame of the new scene
  await page.waitForFunction(() => window.supple.time >= 0);
  const time = await page.evaluate(() => window.supple.time);
  await page.waitForFunction((before) => window.supple.time > before, time);
  await images(page, 1);
});

test("two pages watch one world", async ({ page, context, serve }) => {
  const { url } = await serve(SCENES.person);
  await watch(page, url);
  const other = await context.newPage();
  await watch(other, url);
  await expect(page.locator("#watchers")).toHaveText("2 watchers");
  await expect(other.locator("#watchers")).toHaveText("2 watchers");

  await page.getByRole("button", { name: "Pause" }).click();
  await other.waitForFunction(() => !window.supple.state!.playing);
  await expect(other.getByRole("button", { name: "Play" })).toBeVisible();
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => window.supple.time)).toBe(await other.evaluate(() => window.supple.time));

  // one drags, the other sees it
  const [actor, body] = await bodyInReach(page, SCENES.limbs);
  await page.bringToFront();
  const from = await seize(page, actor, body);
  await page.waitForFunction(() => window.supple.state!.holder === "you");
  await other.waitForFunction(() => window.supple.state!.holder === "other");
  await sweep(page, from, [from[0] + 40, from[1]]);
  await page.mouse.up();
  await other.waitForFunction(() => window.supple.state!.holder === null);

  await page.close();
  await expect(other.locator("#watchers")).toHaveText("1 watcher");
});

test("malformed frames and messages do not harm the page", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  const exceptions: string[] = [];
  page.on("pageerror", (error) => exceptions.push(error.message));
  let inject: (message: string | Buffer) => void = () => {};
  await page.routeWebSocket(/\/ws$/, (socket) => {
    socket.connectToServer();
    inject = (message) => socket.send(message);
  });
  await watch(page, url);
  const epoch = await page.evaluate(() => window.supple.epoch);
  const words = (...list: number[]) => Buffer.from(Uint32Array.from(list).buffer);
  inject(Buffer.from([1, 2, 3]));
  inject(words(9));
  inject(words(1, epoch, 3, 0));
  inject(words(1, epoch, ...new Array<number>(20).fill(0), 0xffffffff, 0, 0, 0));
  inject("this is no message");
  inject('{"type":"dance"}');
  inject('{"type":"scene","actors":[5]}');
  await page.waitForFunction(() => window.supple.dropped >= 2);
  const time = await page.evaluate(() => window.supple.time);
  await page.waitForFunction((before) => window.supple.connected && window.supple.time > before, time);
  await images(page, 1);
  expect(exceptions).toEqual([]);
});

test("a scene that has ended by a fault can begin anew", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  let inject: (message: string) => void = () => {};
  await page.routeWebSocket(/\/ws/, (socket) => {
    socket.connectToServer();
    inject = (message) => socket.send(message);
  });
  await watch(page, url);
  const state = await page.evaluate(() => window.supple.state);
  inject(JSON.stringify({ ...state, playing: false, ended: "the scene has ended by a fault" }));
  await expect(page.locator("#banner")).toContainText("has ended by a fault");
  const epoch = await page.evaluate(() => window.supple.epoch);
  await page.locator("#banner").getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction((before) => window.supple.epoch > before, epoch);
  await expect(page.locator("#banner")).toBeHidden();
});

test("what is refused is told", async ({ page, serve }) => {
  const { url } = await serve(SCENES.person);
  let say: (message: string) => void = () => {};
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    say = (message) => server.send(message);
  });
  const found = troubles(page);
  await watch(page, url);
  say('{"do":"open","scene":"no-such-scene","settings":{}}');
  await expect(page.getByRole("alert")).toContainText("no-such-scene");
  await page.getByRole("button", { name: "Dismiss this message" }).click();
  await expect(page.getByRole("alert")).toBeEmpty();
  expect(found).toEqual([]);
});
