/** A server that speaks docs/viewer-protocol.md and simulates nothing: chains that wave. For work on the page alone.
 *
 *  `npm run build && npm run fake [PORT]`, or beside it `npm run dev`. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { WebSocketServer, type WebSocket } from "ws";
import type { Command } from "../src/wire/commands";
import { WORLD } from "../src/wire/frame";
import type { Detail, Figure, GalleryScene, Policy, Scene, Seven, Shape, TreeNode, Vector3 } from "../src/wire/messages";
import { add, compose, rotate, scale, subtract, transform, type Pose } from "../src/world/pose";

const DIST = join(import.meta.dirname, "../dist");
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png" };

interface Recipe {
  summary: string;
  actors: number;
  links: number;
  length: number;
}

const RECIPES: Record<string, Recipe> = {
  chain: { summary: "one chain of 40 links that waves", actors: 1, links: 40, length: 0.1 },
  people: { summary: "twelve arms with hands at their ends", actors: 12, links: 10, length: 0.15 },
  crowd: { summary: "200 ropes of 90 links", actors: 200, links: 90, length: 0.02 },
  "crowd-large": { summary: "50,000 ropes of 20 links", actors: 50_000, links: 20, length: 0.08 },
};
const DT = 1 / 240;
const POLICIES: Policy[] = ["full", "joints", "error", "pixels", "budget"];

/** Turns about y: chains hang along −z. */
function bend(angle: number): Pose["turn"] {
  return [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}

class World {
  readonly recipe: Recipe;
  readonly scene: Scene;
  time = 0;
  steps = 0;
  playing = true;
  speed = 1;
  detail: Detail = { policy: "full", value: null };
  frozen = false;
  follow = 0;
  holder: WebSocket | null = null;
  hand: { actor: number; body: number; point: Vector3; to: Vector3 } | null = null;
  /** Joint angles and which joints move, by actor. */
  private readonly angles: Float64Array[];
  readonly active: Uint8Array[];
  private readonly offsets: Vector3[];

  constructor(
    readonly epoch: number,
    name: string,
    settings: Record<string, string>,
  ) {
    this.recipe = { ...RECIPES[name] };
    if (settings.links) this.recipe.links = Math.max(1, Math.min(1000, Number(settings.links) || 1));
    const { actors, links, length } = this.recipe;
    const shapes: Shape[] = [
      { type: "capsule", from: [0, 0, 0], to: [0, 0, -length], radius: length / 5 },
      { type: "sphere", radius: length / 2.5 },
      { type: "box", size: [length, length / 2, length / 2] },
      { type: "half-space" },
    ];
    const figure: Figure = {
      bodies: Array.from({ length: links }, (_, i) => (i === links - 1 ? "hand" : `link ${i}`)),
      joints: links,
      solids: Array.from({ length: links }, (_, body) => ({ body, shape: 0, at: [0, 0, 0, 0, 0, 0, 1] as Seven })),
    };
    figure.solids.push({ body: links - 1, shape: 1, at: [0, 0, -length, 0, 0, 0, 1] });
    figure.solids.push({ body: 0, shape: 2, at: [0, 0, 0, 0, 0, 0, 1] });
    const tall = links * length;
    const side = Math.ceil(Math.sqrt(actors));
    const room = tall * 0.7;
    this.offsets = Array.from({ length: actors }, (_, i) => [((i % side) - (side - 1) / 2) * room, (Math.floor(i / side) - (side - 1) / 2) * room, tall * 1.05]);
    const wide = Math.min(side, 30) * room;
    this.scene = {
      type: "scene",
      epoch,
      name,
      summary: RECIPES[name].summary,
      figure: "",
      settings,
      dt: DT,
      joints: actors * links,
      up: [0, 0, 1],
      camera: { eye: [0.6 * wide, -2.2 * Math.max(tall, wide), 1.1 * tall + 0.4 * wide], target: [0, 0, tall * 0.5], up: [0, 0, 1], field: 0.7 },
      shapes,
      figures: [figure],
      actors: new Array<number>(actors).fill(0),
      walls: [{ shape: 3, at: [0, 0, 0, 0, 0, 0, 1] }],
      policies: POLICIES,
    };
    this.angles = Array.from({ length: actors }, () => new Float64Array(links));
    this.active = Array.from({ length: actors }, () => new Uint8Array(links).fill(1));
    this.bendAll();
  }

  get activeJoints(): number {
    return this.active.reduce((sum, list) => sum + list.reduce((a, b) => a + b, 0), 0);
  }

  setDetail(detail: Detail): void {
    this.detail = detail;
    const { actors, links } = this.recipe;
    const value = detail.value ?? 0;
    const each: Record<Policy, number> = { scene: links, full: links, joints: value, error: 5 / value, pixels: 20 / value, budget: value / actors };
    const count = Math.max(0, Math.min(links, Math.round(each[detail.policy])));
    for (const list of this.active) {
      list.fill(0);
      for (let i = 0; i < count; i++) list[Math.floor((i * links) / count)] = 1;
    }
  }

  step(): void {
    this.steps += 1;
    this.time = this.steps * DT;
    this.bendAll();
    if (this.hand) {
      const { actor, body, point, to } = this.hand;
      const at = transform(this.bodyPoses(actor)[body], point);
      this.offsets[actor] = add(this.offsets[actor], scale(subtract(to, at), 0.1));
    }
  }

  private bendAll(): void {
    const { links } = this.recipe;
    this.angles.forEach((angles, actor) => {
      for (let i = 0; i < links; i++) {
        if (this.active[actor][i]) angles[i] = (1.2 / Math.sqrt(links)) * Math.sin(2 * this.time + 0.25 * i + actor) * (i === 0 ? 2 : 0.6);
      }
    });
  }

  bodyPoses(actor: number): Pose[] {
    const { links, length } = this.recipe;
    let at: Pose = { position: this.offsets[actor], turn: [0, 0, 0, 1] };
    return Array.from({ length: links }, (_, i) => {
      at = compose(at, { position: i === 0 ? [0, 0, 0] : [0, 0, -length], turn: bend(this.angles[actor][i]) });
      return at;
    });
  }

  /** Group of each body: a joint that does not move holds its body to the one before. */
  groupsOf(actor: number): { group: number[]; count: number } {
    let count = 0;
    const group = Array.from(this.active[actor], (moves) => {
      if (moves) return count++;
      if (count > 0) return count - 1;
      return WORLD;
    });
    return { group, count };
  }

  tree(): TreeNode[] {
    const nodes: TreeNode[] = [];
    const build = (from: number, to: number): number => {
      if (to - from === 1) return nodes.push([-1, -1, 1]) - 1;
      const middle = (from + to) >> 1;
      const a = build(from, middle);
      const b = build(middle, to);
      return nodes.push([a, b, to - from]) - 1;
    };
    build(0, this.recipe.links);
    return nodes;
  }

  treeStates(): Uint8Array {
    const nodes = this.tree();
    const states = new Uint8Array(nodes.length);
    let leaf = 0;
    nodes.forEach(([a, b], node) => {
      states[node] = a < 0 ? this.active[this.follow][leaf++] : states[a] || states[b] ? 1 : 0;
    });
    nodes.forEach(([a, b], node) => {
      if (states[node] === 1) for (const child of [a, b]) if (child >= 0 && states[child] === 0) states[child] = 2;
    });
    return states;
  }

  frame(number: number, complete: boolean, previousBytes: number): ArrayBuffer {
    const out: number[] = [];
    const floats: [number, number][] = [];
    const u32 = (value: number) => out.push(value);
    const f32 = (value: number) => {
      floats.push([out.length, value]);
      out.push(0);
    };
    u32(1);
    u32(this.epoch);
    u32(number);
    u32(complete ? 1 : 0);
    const timeAt = out.length;
    out.push(0, 0);
    let groups = 0;
    for (let actor = 0; actor < this.recipe.actors; actor++) groups += this.groupsOf(actor).count;
    const kinetic = 20 + 20 * Math.sin(3 * this.time) ** 2;
    for (const value of [this.activeJoints, groups, 0.4 + 0.1 * Math.sin(this.time), 0.7, this.playing ? this.speed : 0, kinetic, 60 - kinetic, 0.01, NaN, NaN, NaN, NaN, previousBytes, this.steps, 240, NaN]) f32(value);
    const actors = complete ? this.recipe.actors : Math.min(this.recipe.actors, 2000);
    const poses = Array.from({ length: actors }, (_, actor) => this.bodyPoses(actor));
    u32(actors);
    for (let actor = 0; actor < actors; actor++) {
      const { group, count } = this.groupsOf(actor);
      u32(actor);
      u32(count);
      let frame: Pose = { position: [0, 0, 0], turn: [0, 0, 0, 1] };
      group.forEach((g, body) => {
        if (g !== WORLD && (body === 0 || group[body - 1] !== g)) frame = poses[actor][body];
        u32(g);
        const inGroup = g === WORLD ? poses[actor][body] : relative(frame, poses[actor][body]);
        for (const value of [...inGroup.position, ...inGroup.turn]) f32(value);
      });
    }
    u32(actors);
    for (let actor = 0; actor < actors; actor++) {
      const { group } = this.groupsOf(actor);
      u32(actor);
      group.forEach((g, body) => {
        if (g === WORLD || (body > 0 && group[body - 1] === g)) return;
        const pose = poses[actor][body];
        for (const value of [...pose.position, ...pose.turn]) f32(value);
        f32(Math.abs(3 * Math.cos(2 * this.time + 0.25 * body + actor)));
        f32(body % 7 === 0 ? NaN : 10 * Math.abs(Math.sin(this.time + body)));
      });
    }
    u32(this.hand ? 1 : 0);
    if (this.hand) {
      u32(this.hand.actor);
      u32(this.hand.body);
      for (const value of [...this.hand.point, ...this.hand.to]) f32(value);
    }
    const states = this.treeStates();
    u32(states.length);
    const treeAt = out.length;
    for (let i = 0; i < Math.ceil(states.length / 4); i++) out.push(0);
    const words = Uint32Array.from(out);
    const view = new Float32Array(words.buffer);
    for (const [at, value] of floats) view[at] = value;
    new DataView(words.buffer).setFloat64(timeAt * 4, this.time, true);
    new Uint8Array(words.buffer, treeAt * 4).set(states);
    return words.buffer;
  }
}

function relative(a: Pose, b: Pose): Pose {
  const inverse: Pose = { turn: [-a.turn[0], -a.turn[1], -a.turn[2], a.turn[3]], position: [0, 0, 0] };
  inverse.position = scale(rotate(inverse.turn, a.position), -1);
  return compose(inverse, b);
}

export async function startFake(port: number, first = "people"): Promise<{ url: string; close(): Promise<void> }> {
  let epoch = 1;
  let world = new World(epoch, first, {});
  let number = 0;
  let bytes = 0;
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0];
    if (path === "/api/scenes") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(gallery()));
      return;
    }
    const file = join(DIST, normalize(path === "/" ? "/index.html" : path));
    readFile(file).then(
      (body) => {
        response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
        response.end(body);
      },
      () => {
        response.statusCode = 404;
        response.end("not found");
      },
    );
  });
  const sockets = new WebSocketServer({ server, path: "/ws" });
  const say = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message));
  const tellState = () => {
    for (const socket of sockets.clients) {
      say(socket, {
        type: "state",
        playing: world.playing,
        speed: world.speed,
        detail: world.detail,
        frozen_camera: world.frozen,
        holder: world.holder === null ? null : world.holder === socket ? "you" : "other",
        watchers: sockets.clients.size,
        follow: world.follow,
      });
    }
  };
  const tellScene = (socket: WebSocket) => {
    say(socket, world.scene);
    say(socket, { type: "tree", epoch: world.epoch, actor: world.follow, nodes: world.tree() });
  };
  const tellFrame = (complete: boolean) => {
    if (sockets.clients.size === 0) return;
    const frame = world.frame(number++, complete, bytes);
    bytes = frame.byteLength;
    for (const socket of sockets.clients) if (socket.bufferedAmount < 1e7) socket.send(frame);
  };
  const obey = (socket: WebSocket, command: Command) => {
    switch (command.do) {
      case "play":
      case "pause":
        world.playing = command.do === "play";
        break;
      case "step":
        world.playing = false;
        for (let i = 0; i < command.count; i++) world.step();
        break;
      case "reset":
        world.steps = 0;
        world.time = 0;
        break;
      case "speed":
        world.speed = command.value;
        break;
      case "detail":
        world.setDetail({ policy: command.policy, value: command.value ?? null });
        break;
      case "freeze":
        world.frozen = command.frozen;
        break;
      case "grab":
        if (world.holder && world.holder !== socket) return say(socket, { type: "error", message: "somebody else drags: wait until they let go" });
        world.holder = socket;
        world.hand = { actor: command.actor, body: command.body, point: command.point, to: command.to };
        break;
      case "pull":
        if (world.holder === socket && world.hand) world.hand.to = command.to;
        return;
      case "drop":
        world.holder = null;
        world.hand = null;
        break;
      case "follow":
        world.follow = command.actor;
        for (const other of sockets.clients) say(other, { type: "tree", epoch: world.epoch, actor: world.follow, nodes: world.tree() });
        break;
      case "open":
        if (!RECIPES[command.scene]) return say(socket, { type: "error", message: `no scene ${command.scene}: see the gallery` });
        world = new World(++epoch, command.scene, command.settings);
        for (const other of sockets.clients) tellScene(other);
        break;
      case "camera":
        return;
    }
    tellState();
    tellFrame(true);
  };
  sockets.on("connection", (socket) => {
    say(socket, { type: "hello", version: 1, you: number });
    tellScene(socket);
    tellState();
    tellFrame(true);
    socket.on("message", (data, binary) => {
      if (binary) return say(socket, { type: "error", message: "binary messages are not understood" });
      obey(socket, JSON.parse(String(data)) as Command);
    });
    socket.on("close", () => {
      if (world.holder === socket) {
        world.holder = null;
        world.hand = null;
      }
      tellState();
    });
  });
  let owed = 0;
  const clock = setInterval(() => {
    if (!world.playing) return;
    owed += world.speed / 30 / DT;
    while (owed >= 1) {
      owed -= 1;
      world.step();
    }
    tellFrame(false);
  }, 1000 / 30);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : port}/`;
  return {
    url,
    close: () => {
      clearInterval(clock);
      for (const socket of sockets.clients) socket.terminate();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function gallery(): GalleryScene[] {
  return Object.entries(RECIPES).map(([name, recipe]) => ({
    name,
    figure: name === "chain" ? "a paper, figure 1" : null,
    summary: recipe.summary,
    world: false,
    thumb: `/thumbs/${name}.png`,
    parameters: [{ name: "links", default: String(recipe.links), takes: "1 to 1000", doc: "how many links a chain has" }],
  }));
}

// started by itself
if (process.argv[1]?.endsWith("fake-server.ts")) {
  void startFake(Number(process.argv[2] ?? 7878), process.argv[3]).then(({ url }) => console.log(`listening on ${url}`));
}
