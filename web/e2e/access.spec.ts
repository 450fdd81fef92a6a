/** Small screens, keyboards and screen readers. */
import type { Page } from "@playwright/test";
import { expect, images, test, watch } from "./page";
import { SCENES } from "./server";

const NAMED = new Set(["button", "checkbox", "radio", "slider", "combobox", "spinbutton", "textbox", "searchbox", "dialog", "img", "image", "DisclosureTriangle", "link"]);

/** Roles of what has no name, as the browser tells it to screen readers. */
async function nameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const bad: string[] = [];
  let seen = 0;
  for (const node of nodes) {
    const role = String(node.role?.value ?? "");
    if (node.ignored || !NAMED.has(role)) continue;
    seen += 1;
    if (!String(node.name?.value ?? "").trim()) bad.push(`${role} ${JSON.stringify(node.properties ?? [])}`);
  }
  expect(seen).toBeGreaterThan(8);
  return bad;
}

test("all controls have names", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  await page.getByLabel("Policy").selectOption("joints");
  expect(await nameless(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.locator("#canvas").focus();
  await page.keyboard.press("g");
  await expect(page.locator("#cards li").first()).toBeVisible();
  await page.evaluate(() => document.querySelectorAll<HTMLDetailsElement>("#cards details").forEach((one) => (one.open = true)));
  expect(await nameless(page)).toEqual([]);
});

test("all controls are reached by the tab key", async ({ page, serve }) => {
  const { url } = await serve(SCENES.chain);
  await watch(page, url);
  await page.getByLabel("Policy").selectOption("joints");
  const wanted = new Set(["canvas", "open-gallery", "play", "step", "reset", "speed", "policy", "detail", "freeze", "shadows", "home", "fold", "open-help"]);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  for (let i = 0; i < 40 && wanted.size > 0; i++) {
    await page.keyboard.press("Tab");
    wanted.delete(await page.evaluate(() => document.activeElement?.id ?? ""));
  }
  expect([...wanted]).toEqual([]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("nothing is wider than the screen, and the sheet opens", async ({ page, serve }, info) => {
    const { url } = await serve(SCENES.person);
    await watch(page, url);
    await images(page, 1);
    const overflow = () =>
      page.evaluate(() => {
        const wide = [...document.querySelectorAll<HTMLElement>("#app *, dialog[open] *")].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width > 0 && one.checkVisibility() && (box.right > innerWidth + 0.5 || box.left < -0.5);
        });
        return [document.documentElement.scrollWidth - innerWidth, ...wide.map((one) => one.id || one.className || one.tagName)];
      });
    expect(await overflow()).toEqual([0]);
    await page.screenshot({ path: info.outputPath("phone.png") });
    await expect(page.getByRole("button", { name: "Pause" })).toBeInViewport({ ratio: 1 });
    await expect(page.getByLabel("Policy")).toBeHidden();
    await page.getByRole("button", { name: "Show the controls" }).tap();
    await expect(page.getByLabel("Policy")).toBeInViewport({ ratio: 1 });
    expect(await overflow()).toEqual([0]);
    await page.screenshot({ path: info.outputPath("phone-open.png") });
    await page.locator("#open-gallery").tap();
    await expect(page.locator("#cards li").first()).toBeVisible();
    expect(await overflow()).toEqual([0]);
    await page.screenshot({ path: info.outputPath("phone-gallery.png") });
  });
});
