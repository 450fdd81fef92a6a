/** What stands across the picture while nothing moves, and no command of the transport can help. */
export type ConnectionState = "waiting" | "connected" | "lost";

export interface Banner {
  text: string;
  /** Whether beginning anew helps. */
  reset: boolean;
}

/**
 * @param ended why the scene has ended by a fault, if it has
 * @param refused why the server does not let the page in, if it does not
 */
export function bannerOf(connection: ConnectionState, ended: string | null | undefined, refused: string | null): Banner | null {
  if (connection === "lost") return { text: refused ?? "Connection lost, trying again …", reset: false };
  return ended ? { text: ended, reset: true } : null;
}
