/** How much is simulated: policy, and one slider from little to much. */
import type { Send } from "../wire/commands";
import { POLICIES, type Detail, type Policy, type Scene } from "../wire/messages";
import { element, make, setText } from "./element";
import { short, whole } from "./numbers";
import { firstValue, scaleOf } from "./detail-scales";
import { nudge, placeOf, valueAt, type Scale } from "./scales";

const STEPS = 1000;

const NAMES: Record<Policy, string> = {
  scene: "as the scene has it",
  full: "full detail",
  joints: "joints per actor",
  error: "error ε",
  pixels: "pixel ε",
  budget: "world budget",
};

interface SliderText {
  label: string;
  value(value: number): string;
  less: string;
  more: string;
}

const SLIDERS: Partial<Record<Policy, SliderText>> = {
  joints: { label: "Joints in each actor", value: whole, less: "one joint", more: "full detail" },
  error: { label: "Error ε of the motion metric", value: short, less: "coarse", more: "exact" },
  pixels: { label: "Pixels wrong per step, ε", value: (v) => `${short(v)} px`, less: "coarse", more: "exact" },
  budget: { label: "Joints for the whole world", value: whole, less: "few", more: "all" },
};

export class DetailPanel {
  private readonly policy = element<HTMLSelectElement>("policy");
  private readonly slider = element<HTMLInputElement>("detail");
  private readonly remembered = new Map<Policy, number>();
  private scene: Scene | null = null;
  private detail: Detail = { policy: "full" };
  private sliding = false;

  constructor(private readonly send: Send) {
    this.policy.onchange = () => this.choose(this.policy.value as Policy);
    this.slider.oninput = () => {
      this.sliding = true;
      const scale = this.scale();
      if (scale) this.set(valueAt(scale, Number(this.slider.value) / STEPS));
    };
    this.slider.onchange = () => {
      this.sliding = false;
    };
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.remembered.clear();
    const policies = POLICIES.filter((policy) => scene.policies.includes(policy));
    this.policy.replaceChildren(...policies.map((value) => make("option", { value, textContent: NAMES[value] })));
    this.show();
  }

  setDetail(detail: Detail): void {
    if (typeof detail.value === "number") this.remembered.set(detail.policy, detail.value);
    // while the hand is on the slider, it leads
    if (this.sliding && detail.policy === this.detail.policy) return;
    this.detail = detail;
    this.show();
  }

  setFigures(active: number, groups: number): void {
    const joints = this.scene?.joints ?? 0;
    setText(element("active"), `${whole(active)} of ${whole(joints)}`);
    setText(element("groups"), whole(groups));
    setText(element("detail-now"), `${whole(active)} active`);
  }

  /** Less (−1) or more (1). */
  nudge(direction: -1 | 1): void {
    const scale = this.scale();
    if (scale) return this.set(nudge(scale, this.value(scale), 0.05 * direction));
    const policies = this.scene?.policies ?? [];
    if (direction === -1 && this.scene && policies.includes("joints")) {
      const joints = scaleOf("joints", this.scene)!;
      this.remembered.set("joints", nudge(joints, joints.to, -0.05));
      this.choose("joints");
    }
  }

  private scale(): Scale | null {
    return this.scene ? scaleOf(this.detail.policy, this.scene) : null;
  }

  private value(scale: Scale): number {
    return this.detail.value ?? firstValue(this.detail.policy, scale);
  }

  private choose(policy: Policy): void {
    if (!this.scene) return;
    const scale = scaleOf(policy, this.scene);
    this.detail = scale ? { policy, value: this.remembered.get(policy) ?? firstValue(policy, scale) } : { policy };
    this.tell();
  }

  private set(value: number): void {
    this.detail = { policy: this.detail.policy, value };
    this.remembered.set(this.detail.policy, value);
    this.tell();
  }

  private tell(): void {
    const { policy, value } = this.detail;
    this.send(typeof value === "number" ? { do: "detail", policy, value } : { do: "detail", policy });
    this.show();
  }

  private show(): void {
    const { policy } = this.detail;
    this.policy.value = policy;
    const scale = this.scale();
    const text = SLIDERS[policy];
    element("detail-slider").hidden = !scale || !text;
    if (!scale || !text) return;
    const value = this.value(scale);
    if (!this.sliding) this.slider.value = String(Math.round(STEPS * placeOf(scale, value)));
    const shown = text.value(value);
    this.slider.setAttribute("aria-valuetext", shown);
    setText(element("detail-label"), text.label);
    setText(element("detail-value"), shown);
    setText(element("detail-less"), text.less);
    setText(element("detail-more"), text.more);
  }
}
