/** What the page has to say: refusals, the banner of a lost connection, the status line. */
import { element, make, setText } from "./element";

const SHOWN = 8000;

/** An error of the server, for a while. */
export function showError(message: string): void {
  const messages = element("messages");
  // the same again is the same
  for (const old of messages.children) if (old.firstChild?.textContent === message) old.remove();
  const close = make("button", { type: "button", textContent: "✕" });
  close.setAttribute("aria-label", "Dismiss this message");
  const line = make("p", {}, make("span", { textContent: message }), close);
  close.onclick = () => line.remove();
  messages.append(line);
  while (messages.children.length > 3) messages.firstChild?.remove();
  setTimeout(() => line.remove(), SHOWN);
}

export type ConnectionState = "waiting" | "connected" | "lost";

export function showConnection(state: ConnectionState): void {
  const connection = element("connection");
  connection.dataset.state = state;
  setText(connection, state === "connected" ? "connected" : state === "lost" ? "connection lost" : "connecting");
  const banner = element("banner");
  banner.hidden = state !== "lost";
  setText(banner, state === "lost" ? "Connection lost, trying again …" : "");
}

export function showWatchers(count: number): void {
  setText(element("watchers"), count === 1 ? "1 watcher" : `${count} watchers`);
}

export function showStatus(text: string): void {
  setText(element("status"), text);
}
