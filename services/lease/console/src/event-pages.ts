import { isSameAddress } from "@frontdesk/lease-options/plain-address";
import type { RowPage } from "@frontdesk/ui";
import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { call, type LeaseEvent } from "./api.ts";

/** What a list of events shows. Empty: all. */
export interface EventFilter {
  readonly ip: string;
  readonly mac: string;
  readonly type: LeaseEvent["type"] | "";
  /** Instants, ISO 8601. */
  readonly from: string;
  readonly to: string;
}

export type EventPages = InfiniteData<RowPage<LeaseEvent>, string | null>;

const PAGE = 100;
/** More new rows than this in one list, and the old ones are asked for again when they are scrolled to. */
const MAX_NEW = 500;

/** The part of the address that asks for this. */
export const eventQuery = (filter: EventFilter) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));

/** The name of a list of events in the cache. */
export const eventPagesKey = (filter: EventFilter): QueryKey => ["event-pages", filter];

export async function loadEvents(
  filter: EventFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RowPage<LeaseEvent>> {
  const query = { limit: PAGE, ...eventQuery(filter), ...(cursor ? { cursor: Number(cursor) } : {}) };
  const { items, next_cursor } = await call("GET /lease-events", { query, signal });
  return { items, next_cursor: next_cursor === null ? null : String(next_cursor) };
}

/** A list after something has happened that fits it: on top. */
export function placeEvent(data: EventPages, event: LeaseEvent): EventPages {
  const [first] = data.pages;
  if (!first || (first.items[0]?.id ?? 0) >= event.id) return data;
  const items = [event, ...first.items];
  if (items.length <= MAX_NEW) return { ...data, pages: data.pages.with(0, { ...first, items }) };
  const kept = items.slice(0, PAGE);
  return { pages: [{ items: kept, next_cursor: String(kept.at(-1)?.id) }], pageParams: [null] };
}

/** Whether a list shows it. */
export function fits({ ip, mac, type, from, to }: EventFilter, event: LeaseEvent): boolean {
  const at = Date.parse(event.at);
  return (
    (!ip || isSameAddress(baseOf(ip), baseOf(event.ip ?? ""))) &&
    (!mac || mac === event.mac) &&
    (!type || type === event.type) &&
    (!from || at >= Date.parse(from)) &&
    (!to || at <= Date.parse(to))
  );
}

/** A prefix is looked for by its address alone, as the engine does it. */
const baseOf = (leased: string) => leased.split("/")[0] ?? "";
