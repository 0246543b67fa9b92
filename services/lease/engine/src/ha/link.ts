import type { Message } from "./messages.ts";

/** What the link to the peer has to tell, in the order in which it happened. */
export type LinkEvent =
  /** A connection has been made; it replaces the one before, whose frames may still come. Numbers are not used again. */
  | { readonly kind: "up"; readonly id: number }
  | { readonly kind: "down"; readonly id: number }
  /** A frame. A message of an unknown connection is left to whoever takes it. */
  | { readonly kind: "message"; readonly link: number; readonly counter: number; readonly message: Message };

/** The link to the peer as the packet thread sees it. Nothing here waits. */
export interface LinkPort {
  /** Hands messages to a connection, in order; when it is gone they are dropped. */
  send(link: number, messages: readonly Message[]): void;
  /** Closes a connection, after what was sent before; without a number, whichever there is. The secondary dials again. */
  close(link?: number): void;
  /** The next thing that happened; undefined when there is nothing. */
  take(): LinkEvent | undefined;
  /** The connection takes less than it is handed: pages and updates are held back until it has room. */
  readonly isCongested: boolean;
}
