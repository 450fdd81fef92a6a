/** What the page has to say: refusals, the banner of a lost connection, the status line. */
import type { Banner, ConnectionState } from "./banner";
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

export function showConnection(state: ConnectionState): void {
  const connection = element("connection");
  connection.dataset.state = state;
  setText(connection, state === "connected" ? "connected" : state === "lost" ? "connection lost" : "connecting");
}

export function showBanner(banner: Banner | null, reset: () => void): void {
  element("banner").hidden = banner === null;
  setText(element("banner-text"), banner?.text ?? "");
  const button = element<HTMLButtonElement>("banner-reset");
  button.hidden = !banner?.reset;
  button.onclick = reset;
}

export function showWatchers(count: number): void {
  setText(element("watchers"), count === 1 ? "1 watcher" : `${count} watchers`);
}

export function showStatus(text: string): void {
  setText(element("status"), text);
}
