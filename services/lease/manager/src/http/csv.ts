import { Readable } from "node:stream";
import type { LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import type { Engine, Query } from "../domain/engine.ts";

const PAGE = 1000;
const COLUMNS = [
  "id",
  "at",
  "type",
  "ip",
  "mac",
  "client_id",
  "duid",
  "hostname",
  "relay",
  "circuit_id",
  "remote_id",
  "expires_at",
  "reason",
  "renewals",
  "config",
] as const satisfies ReadonlyArray<keyof LeaseEvent>;

/**
 * All events of a filter, newest first, as they are read: however many there are, a page of them is in memory. The first
 * page is read before anything is sent: a filter that the engine refuses, and an engine that is away, are told as such.
 */
export async function eventsAsCsv(engine: Engine, query: Query): Promise<Readable> {
  const first = await engine.events({ ...query, limit: PAGE });
  return Readable.from(
    (async function* () {
      yield `${COLUMNS.join(",")}\r\n`;
      for (let page = first; ; ) {
        yield page.items.map(rowOf).join("");
        if (page.next_cursor === null) return;
        page = await engine.events({ ...query, limit: PAGE, cursor: page.next_cursor });
      }
    })(),
  );
}

const rowOf = (event: LeaseEvent) => `${COLUMNS.map((name) => field(event[name])).join(",")}\r\n`;

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe. */
export function field(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
