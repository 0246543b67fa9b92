import { gather } from "@frontdesk/ui";
import type { Board, Me } from "./shapes.ts";

/** What the board showed last, for when the server is away. Only where the browser lets pages keep things: https, or this machine. */
const PLACE = "presence-board";
const EVERY_MS = 5_000;

export interface KeptBoard {
  readonly at: number;
  readonly me: Me;
  readonly board: Board;
}

const addressOf = (org: string) => `/kept-board/${encodeURIComponent(org)}`;
const waiting = new Map<string, KeptBoard>();
const keeping = gather(() => void keepAll().catch(() => {}), EVERY_MS);

/** Soon, and once for many changes. */
export function keepBoard(org: string, kept: KeptBoard): void {
  if (!("caches" in globalThis)) return;
  waiting.set(org, kept);
  keeping.soon();
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(PLACE);
  for (const [org, kept] of waiting) {
    waiting.delete(org);
    // Tabs of a browser share it: one that is behind must not put its board over a newer one.
    const before = await keptBoard(org);
    if (before && before.board.sequence > kept.board.sequence) continue;
    await cache.put(addressOf(org), Response.json(kept));
  }
}

export async function keptBoard(org: string): Promise<KeptBoard | undefined> {
  if (!("caches" in globalThis)) return undefined;
  const reply = await (await caches.open(PLACE)).match(addressOf(org));
  return reply ? ((await reply.json()) as KeptBoard) : undefined;
}

/** Whoever signs out leaves nothing in the browser. */
export async function forgetBoards(): Promise<void> {
  waiting.clear();
  if ("caches" in globalThis) await caches.delete(PLACE);
}
