import { hash } from "node:crypto";
import type { RawConfig } from "@frontdesk/lease-config/raw-config";

/** What each machine has of its own: nothing that its clients are told. */
const OF_THE_MACHINE = new Set([
  "place",
  "keyPlace",
  "ha",
  "logging",
  "interfaces",
  "interface",
  "listen",
  "listen6",
  "control_listen",
  "control_token",
  "control_open",
  "metrics_listen",
  "run_as",
]);

/**
 * What clients are told and how they are told apart, as two nodes of a pair compare it. Nodes whose hashes differ serve
 * all the same: which of the two answers decides what a client gets.
 */
export const serviceHashOf = (raw: RawConfig): string =>
  hash("sha256", JSON.stringify(plain(raw)) ?? "", "hex");

/** Without the order of keys, and without where in the file they are. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  const entries: Array<[unknown, unknown]> = value instanceof Map ? [...value] : Object.entries(value);
  return entries
    .filter(([key, each]) => each !== undefined && !OF_THE_MACHINE.has(String(key)))
    .map(([key, each]) => [String(key), plain(each)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
