import { gather } from "@frontdesk/ui/gather";
import type { Board, Me } from "./shapes.ts";

/** What the board showed last, for when the server is away. Only where the browser lets pages keep things: https, or this machine. */
const PLACE = "presence-board";
export const EVERY_MS = 5_000;
/** One that has not changed is kept anew this often, for its time. */
export const SAME_EVERY_MS = 60_000;
/** Who is in is not told by what was known a week ago. */
export const MAX_AGE_MS = 7 * 24 * 3_600_000;

export interface KeptBoard {
  /** When it was last known to be right. */
  readonly at: number;
  readonly me: Me;
  readonly board: Board;
}

const addressOf = (org: string) => `/kept-board/${encodeURIComponent(org)}`;
const waiting = new Map<string, KeptBoard>();
/** What was handed over last, to tell a change from a sign of life. */
const latest = new Map<string, KeptBoard>();
const keeping = gather(() => void keepAll().catch(() => {}), EVERY_MS);

/** Soon, and once for many changes. */
export function keepBoard(org: string, kept: KeptBoard): void {
  if (!("caches" in globalThis)) return;
  const before = latest.get(org);
  const isKnown = before?.board === kept.board && before.me === kept.me;
  if (isKnown && Math.abs(kept.at - before.at) < SAME_EVERY_MS) return;
  latest.set(org, kept);
  waiting.set(org, kept);
  keeping.soon();
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(PLACE);
  for (const [org, kept] of waiting) {
    waiting.delete(org);
    // Tabs of a browser share it: one that is behind must not put its board over a newer one.
    const before = await keptBoard(org);
    // Not by the sequence, which is smaller after a backup was brought back.
    if (before && before.at > kept.at && before.at <= Date.now()) continue;
    await cache.put(addressOf(org), Response.json(kept));
  }
}

export async function keptBoard(org: string): Promise<KeptBoard | undefined> {
  if (!("caches" in globalThis)) return undefined;
  const cache = await caches.open(PLACE);
  const reply = await cache.match(addressOf(org));
  const kept = reply && ((await reply.json()) as KeptBoard);
  if (kept === undefined || Date.now() - kept.at <= MAX_AGE_MS) return kept;
  await cache.delete(addressOf(org));
  return undefined;
}

/** Whoever signs out leaves nothing in the browser. */
export async function forgetBoards(): Promise<void> {
  waiting.clear();
  latest.clear();
  if ("caches" in globalThis) await caches.delete(PLACE);
}

/** Somebody who no longer belongs to an organisation keeps nothing of it. */
export async function forgetOtherBoards(orgs: readonly string[]): Promise<void> {
  if (!("caches" in globalThis)) return;
  const cache = await caches.open(PLACE);
  const kept = new Set(orgs.map(addressOf));
  for (const request of await cache.keys()) {
    if (!kept.has(new URL(request.url).pathname)) await cache.delete(request);
  }
}
