/** What the colours mean, beside the scene. */
import { ACTIVITY, css, rampColour, WORTH, type ColourMode } from "../draw/colours";
import { element, setText } from "./element";
import { short } from "./numbers";

export function showLegend(mode: ColourMode): void {
  const ramp = mode === "activity" ? ACTIVITY : mode === "worth" ? WORTH : null;
  element("legend").hidden = ramp === null;
  if (!ramp) return;
  setText(element("legend-title"), mode === "activity" ? "speed of the joint" : "worth of the joint");
  setText(element("legend-scale"), `${short(ramp.low)} to ${short(ramp.high)} ${ramp.unit}${mode === "worth" ? ", grey: not known" : ""}`);
  const canvas = element<HTMLCanvasElement>("legend-ramp");
  const context = canvas.getContext("2d");
  if (!context) return;
  for (let x = 0; x < canvas.width; x++) {
    context.fillStyle = css(rampColour(ramp, x / (canvas.width - 1)));
    context.fillRect(x, 0, 1, canvas.height);
  }
}
