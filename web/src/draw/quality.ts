/** How much drawing costs here: without a graphics processor, plain images that move are better than fine ones that do not.
 *
 *  `?quality=high` or `?quality=low` in the address of the page says otherwise, `?thin=3` has thin bodies drawn thicker. */
export interface Quality {
  /** Smooth edges. */
  smooth: boolean;
  /** Edge of the shadow's image [pixels]. */
  shadowPixels: number;
  /** Shadows from the start. */
  shadows: boolean;
  /** Capsules have at least this radius on the screen [pixels]. */
  thin: number;
}

const HIGH: Quality = { smooth: true, shadowPixels: 2048, shadows: true, thin: 1.1 };
const LOW: Quality = { smooth: false, shadowPixels: 1024, shadows: false, thin: 1.1 };

export function quality(): Quality {
  const asked = new URLSearchParams(location.search);
  const level = asked.get("quality");
  const chosen = level === "high" ? HIGH : level === "low" || inSoftware() ? LOW : HIGH;
  return { ...chosen, thin: Math.min(Number(asked.get("thin")) || chosen.thin, 20) };
}

function inSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return true;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
