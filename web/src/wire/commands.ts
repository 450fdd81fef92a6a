/** What the page may ask for: docs/viewer-protocol.md, "From the page". */
import type { Camera, Policy, Vector3 } from "./messages";

export type Command =
  | { do: "play" }
  | { do: "pause" }
  | { do: "reset" }
  | { do: "step"; count: number }
  | { do: "speed"; value: number }
  | { do: "detail"; policy: Policy; value?: number }
  | ({ do: "camera"; size: [number, number] } & Camera)
  | { do: "freeze"; frozen: boolean }
  | { do: "grab"; actor: number; body: number; point: Vector3; to: Vector3 }
  | { do: "pull"; to: Vector3 }
  | { do: "drop" }
  | { do: "open"; scene: string; settings: Record<string, string> }
  | { do: "follow"; actor: number };

export type Send = (command: Command) => void;
