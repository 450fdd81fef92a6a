/** Play, pause, step, reset, speed, and the clock. */
import type { Send } from "../wire/commands";
import { element, make, setText } from "./element";
import { short } from "./numbers";

const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];
const PLAY = '<svg viewBox="0 0 20 20" aria-hidden="true"><path class="fill" d="M5 3.5l11 6.5-11 6.5z"/></svg>';
const PAUSE = '<svg viewBox="0 0 20 20" aria-hidden="true"><path class="fill" d="M5 4h3.5v12H5zM11.5 4H15v12h-3.5z"/></svg>';

export class Transport {
  private readonly play = element<HTMLButtonElement>("play");
  private readonly speed = element<HTMLSelectElement>("speed");
  private playing = false;

  constructor(private readonly send: Send) {
    this.play.onclick = () => this.toggle();
    element("step").onclick = () => this.step();
    element("reset").onclick = () => this.reset();
    this.speed.onchange = () => send({ do: "speed", value: Number(this.speed.value) });
    this.setPlaying(false);
    this.setSpeed(1);
  }

  toggle(): void {
    this.send({ do: this.playing ? "pause" : "play" });
  }

  step(): void {
    this.send({ do: "step", count: 1 });
  }

  reset(): void {
    this.send({ do: "reset" });
  }

  setPlaying(playing: boolean): void {
    if (this.playing === playing && this.play.innerHTML !== "") return;
    this.playing = playing;
    this.play.innerHTML = playing ? PAUSE : PLAY;
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  setSpeed(speed: number): void {
    const speeds = [...new Set([...SPEEDS, speed])].sort((a, b) => a - b);
    if (this.speed.options.length !== speeds.length) {
      this.speed.replaceChildren(...speeds.map((value) => make("option", { value: String(value), textContent: `${short(value)}×` })));
    }
    this.speed.value = String(speed);
  }

  setTime(time: number): void {
    setText(element("clock"), `${time.toFixed(2)} s`);
  }
}
