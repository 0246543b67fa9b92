import assert from "node:assert/strict";
import { test } from "node:test";
import type { Configuration } from "../src/domain/configuration.ts";
import type { Engine } from "../src/domain/engine.ts";
import { createReservations } from "../src/domain/reservations.ts";

const SUBNET = "10.77.0.0/16";
const COUNT = 1_000;
const macOf = (n: number) => `02:00:00:00:${hex(n >> 8)}:${hex(n & 255)}`;
const hex = (n: number) => n.toString(16).padStart(2, "0");

test("each lease is looked at once, however many reservations wait for their devices", async () => {
  let looks = 0;
  const elsewhere = Array.from({ length: COUNT }, (_, n) => ({
    ip: `10.77.1.${n}`,
    subnet: SUBNET,
    renews_at: new Date(n * 1000).toISOString(),
    get mac() {
      looks++;
      return macOf(n);
    },
  }));
  const reservation = Array.from({ length: COUNT }, (_, n) => ({
    ip: `10.77.${100 + (n >> 8)}.${n & 255}`,
    mac: macOf(n),
  }));
  const configuration = {
    full: async () => ({ config: { subnet: [{ network: SUBNET, reservation }] }, version: "1" }),
  } as unknown as Configuration;
  const engine = { reservedLeases: async () => ({ items: [], elsewhere }) } as unknown as Engine;
  const { items } = await createReservations(configuration, engine).list();
  assert.deepEqual(
    items.map(({ at }) => at),
    elsewhere.map(({ renews_at }) => renews_at),
  );
  assert.equal(looks, COUNT);
});

test("of a device with several addresses in a subnet, a reservation waits for the one that is renewed first", async () => {
  const duid = "00:03:00:01:02:00:00:00:00:61";
  const subnet = "fd77::/64";
  const times = ["2026-01-01T02:00:00.000Z", "2026-01-01T01:00:00.000Z", null];
  const reservation = [{ ip: "fd77::60", duid }];
  const configuration = {
    full: async () => ({ config: { subnet: [{ network: subnet, reservation }] }, version: "1" }),
  } as unknown as Configuration;
  for (const order of [times, times.toReversed()]) {
    const elsewhere = order.map((renews_at, iaid) => ({
      ip: `fd77::${iaid + 1}`,
      iaid,
      duid,
      subnet,
      renews_at,
    }));
    const engine = { reservedLeases: async () => ({ items: [], elsewhere }) } as unknown as Engine;
    const { items } = await createReservations(configuration, engine).list();
    assert.deepEqual(
      items.map(({ at }) => at),
      [times[1]],
    );
  }
});
