/** A picture of each scene of the gallery, in `out/shots/NAME.png`: `npm run shots`, or some of them with SCENES=net,ramp. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { GalleryScene } from "../src/wire/messages";
import { expect, test, troubles } from "./page";
import { SCENES, type Server, startServer } from "./server";

const OUT = resolve(import.meta.dirname, "../../out/shots");
/** Simulated, and waited for at most [s]. */
const RUN = 1;
const PATIENCE = 8;
const EDGE = { width: 640, height: 400 };

let server: Server;
let scenes: GalleryScene[] = [];

test.use({ viewport: EDGE, colorScheme: "dark" });
test.setTimeout(60 * 60_000);

test("a picture of each scene", async ({ page }) => {
  mkdirSync(OUT, { recursive: true });
  server = await startServer(SCENES.person);
  try {
    scenes = (await (await fetch(new URL("api/scenes", server.url))).json()) as GalleryScene[];
    const wanted = process.env.SCENES?.split(",");
    const found = troubles(page);
    await page.goto(`${server.url}?quality=high&thin=2.5`);
    await page.waitForFunction(() => window.supple?.connected);
    await page.evaluate(() => document.body.classList.add("folded", "picture"));
    for (const { name } of scenes) {
      if (wanted && !wanted.includes(name)) continue;
      const epoch = await page.evaluate(() => window.supple.epoch);
      await page.evaluate((scene) => window.supple.open(scene), name);
      await page.evaluate(() => window.supple.play());
      await page.waitForFunction((before) => window.supple.epoch !== before, epoch, { timeout: 60_000 });
      const begun = Date.now();
      await page.waitForFunction((run) => window.supple.time >= run, RUN, { timeout: 1000 * PATIENCE }).catch(() => undefined);
      await page.evaluate(() => window.supple.pause());
      await page.waitForTimeout(200);
      await page.evaluate(() => window.supple.lookAtAll());
      const drawn = await page.evaluate(() => window.supple.renders);
      await page.waitForFunction((before) => window.supple.renders > before, drawn, { timeout: 20_000 }).catch(() => undefined);
      await page.screenshot({ path: resolve(OUT, `${name}.png`) });
      const { time, figures } = await page.evaluate(() => ({ time: window.supple.time, figures: window.supple.figures() }));
      console.log(`${name}: ${time.toFixed(2)} s in ${((Date.now() - begun) / 1000).toFixed(1)} s, ${figures?.groups} groups, ${figures?.activeJoints} joints`);
    }
    expect(found).toEqual([]);
  } finally {
    await server.stop();
  }
});
