import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { formatHex, formatIpv6, readIpv6 } from "@frontdesk/lease-options/address";

/** A condition of SQL with its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const TEXTS = ["hostname", "fqdn", "vendor", "classes"];
const NOTES = ["note", "dns_name"];
/** The address of a lease as text. */
export const ADDRESS =
  "((ip >> 24) || '.' || ((ip >> 16) & 255) || '.' || ((ip >> 8) & 255) || '.' || (ip & 255))";
const IDENTIFIERS = ["mac", "client_id"];

/** What the condition calls for the few rows that SQLite's own functions leave. */
export function addSearchFunctions(database: DatabaseSync): void {
  database.function("ip6_text", (value: unknown, length: unknown) => {
    const address = formatIpv6(readIpv6(value as Uint8Array, 0));
    return length === 128 ? address : `${address}/${length}`;
  });
  database.function("ipv6_text", (value: unknown) => formatIpv6(readIpv6(value as Uint8Array, 0)));
  database.function("hex_text", (value: unknown) => (value ? formatHex(value as Uint8Array) : ""));
}

/**
 * Leases of which a shown field contains a text, whatever the case of its letters (A to Z). A field that cannot contain it is not
 * looked at, and all rows are compared by SQLite's own functions: one in JavaScript costs fifty times as much a row.
 */
export function contains(text: string): Condition {
  const pattern = `%${text.replace(/[%_\\]/g, "\\$&")}%`;
  const like = (fields: readonly string[]): Condition => ({
    sql: fields.map((field) => `${field} LIKE ? ESCAPE '\\'`).join(" OR "),
    values: fields.map(() => pattern),
  });
  const notes = like(NOTES);
  const conditions = [
    like(TEXTS),
    { sql: `mac IN (SELECT mac FROM device WHERE ${notes.sql})`, values: notes.values },
  ];
  const wanted = text.toLowerCase();
  if (/^[\d.]+$/.test(wanted)) conditions.push({ sql: `instr(${ADDRESS}, ?) > 0`, values: [wanted] });
  if (/^[\da-f:]+$/.test(wanted)) {
    const digits = wanted.replaceAll(":", "").toUpperCase();
    for (const field of IDENTIFIERS) {
      conditions.push({
        sql: `(instr(hex(${field}), ?) > 0 AND instr(hex_text(${field}), ?) > 0)`,
        values: [digits, wanted],
      });
    }
  }
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(" OR ")})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

const TEXTS6 = ["hostname", "vendor", "classes"];
const IDENTIFIERS6 = ["duid", "mac"];

/** The same of leases of DHCPv6. */
export function contains6(text: string): Condition {
  const pattern = `%${text.replace(/[%_\\]/g, "\\$&")}%`;
  const like = (fields: readonly string[]) =>
    fields.map((field) => `${field} LIKE ? ESCAPE '\\'`).join(" OR ");
  const conditions = [like(TEXTS6), `mac IN (SELECT mac FROM device WHERE ${like(NOTES)})`];
  const values: SQLInputValue[] = [...TEXTS6, ...NOTES].map(() => pattern);
  const wanted = text.toLowerCase();
  if (/^[\da-f:./]+$/.test(wanted)) {
    conditions.push("instr(ip6_text(address, length), ?) > 0");
    values.push(wanted);
  }
  if (/^[\da-f:]+$/.test(wanted)) {
    const digits = wanted.replaceAll(":", "").toUpperCase();
    for (const field of IDENTIFIERS6) {
      conditions.push(`(instr(hex(${field}), ?) > 0 AND instr(hex_text(${field}), ?) > 0)`);
      values.push(digits, wanted);
    }
  }
  return { sql: `(${conditions.join(" OR ")})`, values };
}
