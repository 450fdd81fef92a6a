/** How much drawing costs here: without a graphics processor, plain images that move are better than fine ones that do not.
 *
 *  `?quality=high` or `?quality=low` in the address of the page says otherwise. */
export interface Quality {
  /** Smooth edges. */
  smooth: boolean;
  /** Edge of the shadow's image [pixels]. */
  shadowPixels: number;
  /** Shadows from the start. */
  shadows: boolean;
}

const HIGH: Quality = { smooth: true, shadowPixels: 2048, shadows: true };
const LOW: Quality = { smooth: false, shadowPixels: 1024, shadows: false };

export function quality(): Quality {
  const asked = new URLSearchParams(location.search).get("quality");
  if (asked === "high") return HIGH;
  if (asked === "low") return LOW;
  return inSoftware() ? LOW : HIGH;
}

function inSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return true;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
