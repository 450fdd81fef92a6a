/** The gallery: a dialog with a card for each scene, its picture, and its settings. */
import type { Send } from "../wire/commands";
import type { GalleryScene, Scene } from "../wire/messages";
import { addressOf } from "../wire/address";
import { element, make } from "./element";

export class Gallery {
  private readonly dialog = element<HTMLDialogElement>("gallery");
  private readonly filter = element<HTMLInputElement>("filter");
  private readonly cards = element("cards");
  private readonly empty = element("gallery-empty");
  private scenes: GalleryScene[] = [];
  private current: Scene | null = null;

  constructor(private readonly send: Send) {
    element("open-gallery").onclick = () => this.toggle();
    this.dialog.querySelector<HTMLButtonElement>(".close")!.onclick = () => this.dialog.close();
    // a click beside the dialog closes it
    this.dialog.onclick = (event) => {
      if (event.target === this.dialog) this.dialog.close();
    };
    this.filter.oninput = () => this.narrow();
  }

  setScene(scene: Scene): void {
    this.current = scene;
  }

  toggle(): void {
    if (this.dialog.open) return this.dialog.close();
    this.dialog.showModal();
    this.filter.value = "";
    // on a touch screen a keyboard would cover the scenes
    if (!window.matchMedia("(pointer: coarse)").matches) this.filter.focus();
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      const answer = await fetch(addressOf("api/scenes", location.href));
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      this.scenes = (await answer.json()) as GalleryScene[];
    } catch (problem) {
      console.warn("no gallery:", problem);
      if (this.scenes.length === 0) return this.say("The list of scenes could not be fetched. Try again when the server is back.");
    }
    this.cards.replaceChildren(...this.scenes.map((scene) => this.card(scene)));
    this.narrow();
  }

  private card(scene: GalleryScene): HTMLElement {
    const current = scene.name === this.current?.name;
    const open = make("button", { type: "button", className: "open" });
    if (current) open.setAttribute("aria-current", "true");
    open.append(
      thumbnail(scene),
      make("span", { className: "name", textContent: scene.name }),
      make("span", { className: "summary", textContent: scene.summary }),
    );
    if (scene.figure) open.append(make("span", { className: "figure", textContent: scene.figure }));
    const form = scene.parameters.length > 0 ? settingsForm(scene, current ? (this.current?.settings ?? {}) : {}) : null;
    const choose = () => {
      this.send({ do: "open", scene: scene.name, settings: form ? settingsOf(form, scene) : {} });
      this.dialog.close();
    };
    open.onclick = choose;
    const card = make("li", {}, open);
    card.dataset.words = `${scene.name} ${scene.summary} ${scene.figure ?? ""}`.toLowerCase();
    if (form) {
      form.onsubmit = (event) => {
        event.preventDefault();
        choose();
      };
      card.append(make("details", {}, make("summary", { textContent: "Settings" }), form));
    }
    return card;
  }

  private narrow(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of this.cards.children as HTMLCollectionOf<HTMLElement>) {
      card.hidden = !words.every((word) => card.dataset.words?.includes(word));
      if (!card.hidden) shown += 1;
    }
    this.say(shown === 0 ? "No scene has these words." : "");
  }

  private say(text: string): void {
    this.empty.hidden = text === "";
    this.empty.textContent = text;
  }
}

/** The scene's picture, or its first letters on a quiet ground. */
function thumbnail(scene: GalleryScene): HTMLElement {
  const frame = make("span", { className: "thumb" });
  const placeholder = make("span", { className: "letters", textContent: letters(scene.name) });
  placeholder.setAttribute("aria-hidden", "true");
  frame.append(placeholder);
  if (scene.thumb) {
    const image = make("img", { src: scene.thumb, alt: "", loading: "lazy", decoding: "async" });
    image.onerror = () => image.remove();
    frame.append(image);
  }
  return frame;
}

function letters(name: string): string {
  return name
    .split("-")
    .map((word) => word[0] ?? "")
    .join("")
    .slice(0, 3);
}

function settingsForm(scene: GalleryScene, settings: Record<string, string>): HTMLFormElement {
  const rows = scene.parameters.map((parameter) => {
    const input = make("input", { name: parameter.name, value: settings[parameter.name] ?? parameter.default, placeholder: parameter.default, autocomplete: "off" });
    const takes = parameter.takes ? ` (${parameter.takes})` : "";
    return make("label", { title: `${parameter.doc}${takes}` }, make("span", { textContent: parameter.name }), input, make("small", { textContent: parameter.doc }));
  });
  const open = make("button", { type: "submit", textContent: "Open with these" });
  open.setAttribute("aria-label", `Open ${scene.name} with these settings`);
  return make("form", { className: "settings" }, ...rows, open);
}

/** What differs from the defaults. */
function settingsOf(form: HTMLFormElement, scene: GalleryScene): Record<string, string> {
  const values = new FormData(form);
  const settings: Record<string, string> = {};
  for (const { name, default: usual } of scene.parameters) {
    const value = String(values.get(name) ?? "").trim();
    if (value !== "" && value !== usual) settings[name] = value;
  }
  return settings;
}
