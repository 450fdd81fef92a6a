/** The page: what the server says goes to the scene and the panels, what people do goes to the server. */
import { Dragging } from "./drag";
import { COLOUR_MODES, type ColourMode } from "./draw/colours";
import { quality } from "./draw/quality";
import { SHADOW_PARTS, Stage } from "./draw/stage";
import { Spring } from "./draw/spring";
import { DetailPanel } from "./panel/detail";
import { element, setText } from "./panel/element";
import { FigureList } from "./panel/figures";
import { fitToScreen, Fold } from "./panel/fold";
import { Gallery } from "./panel/gallery";
import { Help, listenToKeys, type Shortcut } from "./panel/help";
import { showLegend } from "./panel/legend";
import { bannerOf, type ConnectionState } from "./panel/banner";
import { showBanner, showConnection, showError, showStatus, showWatchers } from "./panel/messages";
import { whole } from "./panel/numbers";
import { Plots } from "./panel/plots";
import { Transport } from "./panel/transport";
import { TreeStrip } from "./panel/tree-strip";
import { DrawnScene } from "./scenery";
import "./test-hook";
import { onTheme, theme } from "./theme";
import { throttled } from "./throttle";
import { addressOf, socketOf } from "./wire/address";
import type { Send } from "./wire/commands";
import { Connection } from "./wire/connection";
import { readFrame, type Frame } from "./wire/frame";
import type { Camera, Message, Scene, State, Vector3 } from "./wire/messages";
import { transform } from "./world/pose";

/** Malformed frames in a row after which everything is taken anew. */
const PATIENCE = 5;
const CAMERA_PAUSE = 100;
const TEXT_PAUSE = 150;

let drawn: DrawnScene | null = null;
let state: State | null = null;
let frame: Frame | null = null;
let colour: ColourMode = "group";
let frames = 0;
let dropped = 0;
let droppedInRow = 0;
/** The camera that the server was told of last, and the size of the image. */
let told: { view: Camera; size: [number, number] } | null = null;
let shadowsWanted: boolean | null = null;
let shadowsNote = "";
let connected: ConnectionState = "waiting";
/** Why the server does not let the page in. */
let refused: string | null = null;

const send: Send = (command) => connection.send(command);
const stage = new Stage(element<HTMLCanvasElement>("canvas"), quality());
const spring = new Spring();
stage.scene.add(spring.root);
const transport = new Transport(send);
const detail = new DetailPanel(send);
const plots = new Plots();
const figureList = new FigureList();
const treeStrip = new TreeStrip(send);
const gallery = new Gallery(send);
const fold = new Fold();
const freeze = element<HTMLInputElement>("freeze");
const shadows = element<HTMLInputElement>("shadows");
const hover = element("hover");

const dragging = new Dragging(stage, () => drawn, send, (hit, event) => {
  const body = hit && drawn?.poses.bodyAt(hit.place);
  stage.canvas.classList.toggle("over", Boolean(body));
  if (drawn?.actors.setLit(body ? hit!.place : -1)) stage.changed();
  hover.hidden = !body;
  if (!body || !drawn) return;
  const name = drawn.poses.figure(body.actor).bodies[body.body] ?? "";
  setText(hover, drawn.scene.actors.length > 1 ? `${name} · actor ${body.actor}` : name);
  const box = stage.canvas.getBoundingClientRect();
  hover.style.translate = `${event.clientX - box.left + 14}px ${event.clientY - box.top + 14}px`;
});

// --- what the server says ---

const connection = new Connection(socketOf("ws", location.href), {
  opened: () => {
    told = null;
    refused = null;
  },
  lost: () => {
    dragging.forget();
    frame = null;
    say("lost");
    void askWhy();
  },
  message: take,
  frame: takeFrame,
});

function say(now: ConnectionState): void {
  connected = now;
  showConnection(now);
  showBanner(bannerOf(connected, state?.ended, refused), () => transport.reset());
}

/** A socket that is refused does not tell why; a plain request does. */
async function askWhy(): Promise<void> {
  try {
    const answer = await fetch(addressOf("api/scenes", location.href));
    refused = answer.status === 403 ? await answer.text() : null;
  } catch {
    refused = null;
  }
  if (connected === "lost") say("lost");
}

function take(message: Message): void {
  switch (message.type) {
    case "hello":
      if (message.version !== 1) showError(`The server speaks version ${message.version}, this page version 1. Reload the page.`);
      return;
    case "scene":
      return open(message);
    case "state":
      return takeState(message);
    case "tree":
      if (message.epoch === drawn?.scene.epoch) treeStrip.setTree(message);
      return;
    case "error":
      // what could not be taken is not held
      if (dragging.held && state?.holder !== "you") dragging.forget();
      return showError(message.message);
  }
}

function open(scene: Scene): void {
  const before = drawn?.scene;
  dragging.forget();
  drawn?.dispose();
  frame = null;
  droppedInRow = 0;
  spring.hide();
  hover.hidden = true;
  try {
    drawn = new DrawnScene(scene, stage, colour);
  } catch (problem) {
    drawn = null;
    console.warn("scene dropped:", problem);
    return showError(`${scene.name} cannot be drawn: ${(problem as Error).message}`);
  }
  document.title = `${scene.name} – supple`;
  setText(element("scene-name"), scene.name);
  setText(element("scene-summary"), scene.figure ? `${scene.summary} [${scene.figure}]` : scene.summary);
  // who only began anew keeps looking from where they were
  const same = before && before.name === scene.name && JSON.stringify(before.camera) === JSON.stringify(scene.camera);
  if (!same && scene.camera) stage.look(scene.camera, scene.up);
  setShadows(shadowsWanted ?? (stage.quality.shadows && drawn.actors.parts <= SHADOW_PARTS));
  detail.setScene(scene);
  gallery.setScene(scene);
  treeStrip.setActors(scene.actors.length);
  treeStrip.setTree(null);
  plots.clear();
  say("connected");
  sayStatus();
  told = null;
  tellCamera();
  stage.changed();
}

function takeState(now: State): void {
  if (now.holder === "other") dragging.forget();
  const thawed = state?.frozen_camera !== now.frozen_camera;
  state = now;
  transport.setPlaying(now.playing);
  transport.setSpeed(now.speed);
  detail.setDetail(now.detail);
  treeStrip.setFollow(now.follow);
  showWatchers(now.watchers);
  say("connected");
  freeze.checked = now.frozen_camera;
  if (thawed) showFrozenCamera();
  sayStatus();
}

function takeFrame(bytes: ArrayBuffer): void {
  if (!drawn) return;
  let next: Frame | null;
  try {
    next = readFrame(bytes, drawn.poses);
  } catch (problem) {
    dropped += 1;
    droppedInRow += 1;
    console.warn("frame dropped:", (problem as Error).message);
    if (droppedInRow >= PATIENCE) {
      droppedInRow = 0;
      connection.again();
    }
    return;
  }
  if (!next) return;
  droppedInRow = 0;
  frames += 1;
  const first = !drawn.poses.known;
  drawn.poses.apply(next);
  frame = next;
  if (first && drawn.poses.known) drawn.begin();
  if (next.tree) treeStrip.setStates(next.tree);
  if (state?.playing !== false || next.figures.steps > 0) plots.add(next.figures);
  showFigures();
  stage.changed();
}

const showFigures = throttled(TEXT_PAUSE, () => {
  if (!frame) return;
  transport.setTime(frame.time);
  detail.setFigures(frame.figures.activeJoints, frame.figures.groups);
  figureList.set(frame.figures);
});

// --- drawing ---

// what the graphics processor had is gone
stage.canvas.addEventListener("webglcontextrestored", () => connection.again());

stage.onRender = () => {
  drawn?.actors.update(stage.camera.position, stage.quality.thin * stage.pixel);
  showSpring();
};

/** Between the body's point, where it is now, and the hand: this page's own, or somebody else's. */
function showSpring(): void {
  const hand = dragging.held ?? (state?.holder === "other" ? frame?.hand : null);
  if (!hand || !drawn?.poses.known) return spring.hide();
  const from = transform(drawn.poses.pose(drawn.poses.placeOf(hand.actor, hand.body)), hand.point);
  spring.show(from, hand.to, stage.pixelAt(hand.to));
}

stage.onCamera = () => {
  drawn?.followCamera();
  tellCamera();
};

const tellCamera = throttled(CAMERA_PAUSE, () => {
  if (!drawn || !connection.connected) return;
  const now = { view: stage.view, size: stage.size };
  if (JSON.stringify(now) === JSON.stringify(told)) return;
  if (!freeze.checked || !told) {
    told = now;
    send({ do: "camera", ...now.view, size: now.size });
  } else if (!state?.frozen_camera) tellCamera();
});

function showFrozenCamera(): void {
  const frozen = state?.frozen_camera && told;
  stage.showCamera(frozen ? told!.view : null, frozen ? told!.size[0] / told!.size[1] : 1);
  if (!frozen) tellCamera();
}

stage.onSlow = () => {
  if (!stage.shadows || shadowsWanted !== null) return;
  setShadows(false);
  shadowsNote = "shadows are off, since images were slow";
  sayStatus();
};

function setShadows(on: boolean): void {
  shadows.checked = on;
  stage.shadows = on;
}

function setColour(mode: ColourMode): void {
  colour = mode;
  const radio = document.querySelector<HTMLInputElement>(`#colours input[value=${mode}]`);
  if (radio) radio.checked = true;
  drawn?.actors.setMode(mode);
  showLegend(mode);
  stage.changed();
}

function setFreeze(frozen: boolean): void {
  freeze.checked = frozen;
  send({ do: "freeze", frozen });
}

function sayStatus(): void {
  const actors = drawn?.actors;
  const says = [shadowsNote, state?.opening ? `${state.opening} is being built …` : ""];
  if (actors?.capped) says.unshift(`${whole(actors.drawn)} of ${whole(actors.parts)} parts are drawn, the nearest`);
  showStatus(says.filter(Boolean).join("; "));
}

function applyTheme(): void {
  const { dark, spring: colourOfSpring } = theme();
  stage.setLight(dark);
  spring.setColour(colourOfSpring);
  drawn?.setTheme();
  treeStrip.changed();
}

// --- what people do ---

for (const radio of document.querySelectorAll<HTMLInputElement>("#colours input")) {
  radio.onchange = () => setColour(radio.value as ColourMode);
}
freeze.onchange = () => setFreeze(freeze.checked);
shadows.onchange = () => {
  shadowsWanted = shadows.checked;
  shadowsNote = "";
  sayStatus();
  setShadows(shadows.checked);
};
const goHome = () => {
  if (drawn) stage.look(drawn.camera(), drawn.scene.up);
};
element("home").onclick = goHome;
const lookAtAll = () => {
  if (drawn?.poses.known) stage.look(drawn.cameraOfAll(), drawn.scene.up, true);
};
element("all").onclick = lookAtAll;

const shortcuts: Shortcut[] = [
  { key: " ", shown: "space", what: "play or pause", run: () => transport.toggle() },
  { key: ".", shown: ".", what: "one step", run: () => transport.step() },
  { key: "r", shown: "r", what: "reset", run: () => transport.reset() },
  { key: "[", shown: "[", what: "less detail", run: () => detail.nudge(-1) },
  { key: "]", shown: "]", what: "more detail", run: () => detail.nudge(1) },
  {
    key: "c",
    shown: "c",
    what: "next colours: rigid group, activity, pixel worth",
    run: () => setColour(COLOUR_MODES[(COLOUR_MODES.indexOf(colour) + 1) % COLOUR_MODES.length]),
  },
  { key: "f", shown: "f", what: "freeze the detail camera", run: () => setFreeze(!freeze.checked) },
  { key: "h", shown: "h", what: "camera as at first", run: goHome },
  { key: "a", shown: "a", what: "look at all bodies", run: lookAtAll },
  { key: "g", shown: "g", what: "gallery of scenes", run: () => gallery.toggle() },
  { key: "p", shown: "p", what: "fold the controls", run: () => fold.toggle() },
  { key: "?", shown: "?", what: "this help", run: () => help.toggle() },
];
const help = new Help(shortcuts);
listenToKeys(shortcuts);
fitToScreen();
onTheme(applyTheme);
applyTheme();

// --- what tests may ask ---

window.supple = {
  get connected() {
    return connection.connected && drawn !== null;
  },
  get epoch() {
    return drawn?.scene.epoch ?? -1;
  },
  get time() {
    return frame?.time ?? NaN;
  },
  get frames() {
    return frames;
  },
  get dropped() {
    return dropped;
  },
  get renders() {
    return stage.renders;
  },
  get scene() {
    return drawn?.scene ?? null;
  },
  get state() {
    return state;
  },
  get parts(): [number, number] {
    return [drawn?.actors.drawn ?? 0, drawn?.actors.parts ?? 0];
  },
  figures: () => frame?.figures ?? null,
  groups: () => drawn?.poses.groupTotal() ?? 0,
  active: () => frame?.figures.activeJoints ?? NaN,
  bodyPosition: (actor, body) => drawn?.poses.pose(drawn.poses.placeOf(actor, body)).position ?? null,
  bodyNamed: (name) => {
    const found: [number, number][] = [];
    for (let actor = 0; drawn && actor < drawn.poses.actors; actor++) {
      drawn.poses.figure(actor).bodies.forEach((body, number) => {
        if (body === name) found.push([actor, number]);
      });
    }
    return found;
  },
  screenOf: (actor, body) => (drawn ? stage.onScreen(drawn.middleOf(actor, body)) : null),
  screenAt: (point: Vector3) => stage.onScreen(point),
  under: (x, y) => {
    const hit = dragging.under(x, y, "mouse");
    const body = hit && drawn?.poses.bodyAt(hit.place);
    return body ? [body.actor, body.body] : null;
  },
  play: () => send({ do: "play" }),
  pause: () => send({ do: "pause" }),
  lookAtAll,
  open: (scene, settings = {}) => send({ do: "open", scene, settings }),
  held: () => {
    const held = dragging.held;
    if (!held || !drawn) return null;
    return { actor: held.actor, body: held.body, at: transform(drawn.poses.pose(drawn.poses.placeOf(held.actor, held.body)), held.point), to: held.to };
  },
};
