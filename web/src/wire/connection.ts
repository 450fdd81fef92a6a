/** The socket to the server, opened again and again when it is lost. */
import type { Command } from "./commands";
import { readMessage, type Message } from "./messages";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;

export interface Listener {
  opened(): void;
  /** @param wait milliseconds until the next try */
  lost(wait: number): void;
  message(message: Message): void;
  frame(bytes: ArrayBuffer): void;
}

export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Bytes that wait to be sent: a page on a slow line skips what can be skipped. */
  get waiting(): number {
    return this.socket?.bufferedAmount ?? 0;
  }

  send(command: Command): void {
    if (this.connected) this.socket!.send(JSON.stringify(command));
  }

  /** Takes everything anew, as after a loss. */
  again(): void {
    this.socket?.close();
  }

  private open(): void {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.listener.opened();
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data !== "string") return this.listener.frame(event.data);
      let message: Message;
      try {
        message = readMessage(event.data);
      } catch (problem) {
        console.warn("message dropped:", problem);
        return;
      }
      // only a server that talks counts as back
      this.wait = FIRST_WAIT;
      this.listener.message(message);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      const wait = this.wait;
      this.wait = Math.min(2 * wait, LONGEST_WAIT);
      this.listener.lost(wait);
      setTimeout(() => this.open(), wait);
    };
  }
}
