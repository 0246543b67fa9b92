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
  "hostname",
  "relay",
  "circuit_id",
  "remote_id",
  "expires_at",
  "reason",
  "renewals",
  "config",
] as const satisfies ReadonlyArray<keyof LeaseEvent>;

/** All events of a filter, newest first, as they are read: however many there are, a page of them is in memory. */
export const eventsAsCsv = (engine: Engine, query: Query): Readable =>
  Readable.from(
    (async function* () {
      yield `${COLUMNS.join(",")}\r\n`;
      let cursor: number | undefined;
      do {
        const page = await engine.events({ ...query, limit: PAGE, cursor });
        yield page.items
          .map((event) => `${COLUMNS.map((name) => field(event[name])).join(",")}\r\n`)
          .join("");
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    })(),
  );

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe. */
export function field(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
