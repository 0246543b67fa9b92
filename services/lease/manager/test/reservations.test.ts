import assert from "node:assert/strict";
import { test } from "node:test";
import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import type { Configuration } from "../src/domain/configuration.ts";
import { parseCsv } from "../src/domain/csv-text.ts";
import type { Engine } from "../src/domain/engine.ts";
import { columnsOf, planImport } from "../src/domain/reservation-import.ts";
import { createReservations } from "../src/domain/reservations.ts";

const ADA = { actor: "ada", isLocal: true } as const;
const V4 = "10.77.0.0/16";
const V6 = "fd77::/64";

/** Reservations over a document in memory, and what is held of them. */
function house(network: string, reservation: TomlTable[], held: Array<Partial<Lease>> = []) {
  let document: TomlTable = { subnet: [{ network, reservation }] };
  const configuration = {
    full: async () => ({ config: document, version: "1" }),
    edit: async (
      _author: unknown,
      _options: object,
      edit: (before: TomlTable, version: string) => TomlTable,
    ) => {
      document = edit(document, "1");
    },
  } as unknown as Configuration;
  const nobody = { mac: null, client_id: null, duid: null, circuit_id: null, remote_id: null };
  const items = held.map((lease) => ({ ...nobody, state: "active", expires_at: null, ...lease }));
  const engine = { reservedLeases: async () => ({ items, elsewhere: [] }) } as unknown as Engine;
  return createReservations(configuration, engine);
}

for (const [kind, written, shown] of [
  ["mac", "02-00-00-00-00-51", "02:00:00:00:00:51"],
  ["mac", "0x020000000051", "02:00:00:00:00:51"],
  ["client_id", "01020000000051", "01:02:00:00:00:00:51"],
  ["circuit_id", "0x706f727431", "port1"],
] as const) {
  test(`a device that has what is reserved for ${kind} ${written} is its own, however that is written`, async () => {
    const reserved = { ip: "10.77.0.51", [kind]: written };
    const reservations = house(V4, [reserved], [{ ip: "10.77.0.51", subnet: V4, [kind]: shown }]);
    assert.deepEqual(
      (await reservations.list()).items.map(({ status }) => status),
      ["in_use"],
    );
    await assert.rejects(reservations.add(ADA, { ip: "10.77.0.52", [kind]: shown }), {
      code: "identifier_taken",
    });
  });
}

test("circuits whose names differ in a capital letter are two", async () => {
  const reservations = house(
    V4,
    [{ ip: "10.77.0.51", circuit_id: "Port1" }],
    [{ ip: "10.77.0.51", subnet: V4, circuit_id: "port1" }],
  );
  assert.equal((await reservations.list()).items[0]?.status, "held_by_another");
  await reservations.add(ADA, { ip: "10.77.0.52", circuit_id: "port1" });
});

test("an address of IPv6 is the same however it is written", async () => {
  const duid = "00:03:00:01:02:00:00:00:00:51";
  const reservations = house(V6, [{ ip: "fd77:0::0051", duid }], [{ ip: "fd77::51", subnet: V6, duid }]);
  assert.equal((await reservations.list()).items[0]?.status, "in_use");
  const other = { duid: "00:03:00:01:02:00:00:00:00:52" };
  await assert.rejects(reservations.add(ADA, { ip: "fd77::51", ...other }), { code: "reservation_exists" });
  await reservations.change(ADA, "fd77::51", { ip: "FD77::52", ...other });
  await reservations.remove(ADA, "fd77::52");
  assert.deepEqual((await reservations.list()).items, []);
});

test("a reservation of a prefix is changed in the subnet that delegates it, and stays one of a prefix", async () => {
  const duid = "00:03:00:01:02:00:00:00:00:51";
  const reservations = house(V6, [{ prefix: "fd77:1::/56", duid }]);
  const changed = { ip: "fd77:1::/56", duid, note: "the branch office", enabled: false };
  await reservations.change(ADA, "fd77:1::/56", changed);
  const [item]: Array<Record<string, unknown>> = (await reservations.list()).items;
  assert.deepEqual(
    [item?.prefix, item?.note, item?.status],
    ["fd77:1::/56", "the branch office", "disabled"],
  );
  await reservations.remove(ADA, "fd77:1::/56");
  assert.deepEqual((await reservations.list()).items, []);
});

test("a note of a CSV file that looks like hex is compared as the text that it is", () => {
  const document = {
    subnet: [{ network: V4, reservation: [{ ip: "10.77.0.51", circuit_id: "ab", note: "AB12" }] }],
  };
  const rows = parseCsv("ip,circuit_id,note\n10.77.0.51,AB,ab12\n") ?? [];
  const columns = columnsOf(rows[0]);
  assert.ok(Array.isArray(columns));
  const plan = planImport(document, columns, rows.slice(1));
  assert.deepEqual(plan.rows[0]?.columns, ["circuit_id", "note"]);
});
