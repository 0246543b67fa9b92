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
    renews_at: `of ${n}`,
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
