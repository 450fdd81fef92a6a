/** The server under test: `supple view`, or with SUPPLE_FAKE=1 the fake one, for work on the page alone. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { startFake } from "./fake-server";

const FAKE = Boolean(process.env.SUPPLE_FAKE);
const SUPPLE = process.env.SUPPLE ?? resolve(import.meta.dirname, "../../target/release/supple");
/** A folder to take the page from, such as `dist`: work on the page needs no build of the command then. */
const PAGE = process.env.PAGE && resolve(process.env.PAGE);
const STARTS_WITHIN = 20_000;

/** Scenes that the tests open, and what is in them. */
export const SCENES = FAKE
  ? { person: "people", limbs: ["hand"], chain: "chain", chainLinks: 40, other: "chain", maximal: "people" }
  : { person: "humanoid", limbs: ["left_hand", "right_hand", "left_forearm", "right_forearm", "left_foot", "right_foot", "head"], chain: "pendulum-300", chainLinks: 300, other: "double-pendulum", maximal: "net" };

export interface Server {
  url: string;
  port: number;
  stop(): Promise<void>;
}

export async function startServer(scene: string, port = 0): Promise<Server> {
  if (FAKE) {
    const fake = await startFake(port, scene);
    return { url: fake.url, port: Number(new URL(fake.url).port), stop: fake.close };
  }
  if (!existsSync(SUPPLE)) throw new Error(`no ${SUPPLE}: cargo build --release, or tell where it is by SUPPLE`);
  const child = spawn(SUPPLE, ["view", scene, "--port", String(port), ...(PAGE ? ["--page", PAGE] : [])], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await addressOf(child);
  return { url, port: Number(new URL(url).port), stop: () => end(child) };
}

/** The address that the server prints once it listens. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, fail) => {
    let said = "";
    const timer = setTimeout(() => fail(new Error(`supple view told no address within ${STARTS_WITHIN} ms:\n${said}`)), STARTS_WITHIN);
    const hear = (bytes: Buffer) => {
      said += bytes.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
      if (!address) return;
      clearTimeout(timer);
      found(address[0]);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("exit", (code) => {
      clearTimeout(timer);
      fail(new Error(`supple view ended with ${code}:\n${said}`));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
    child.on("exit", () => {
      clearTimeout(timer);
      done();
    });
    child.kill("SIGTERM");
  });
}
