import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import type { Configuration } from "../src/domain/configuration.ts";
import { createDevices, MAX_LOOKS_BACK } from "../src/domain/devices.ts";

const MAC = "02:00:00:00:00:01";

test("of a client with a thousand identifiers the history of a few addresses is read", async () => {
  let asked = 0;
  const leases = Array.from({ length: 1000 }, (_, n) => {
    const client_id = `01:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
    return {
      ip: `10.0.${n >> 8}.${n & 255}`,
      mac: MAC,
      client_id,
      duid: null,
      hostname: null,
      vendor: null,
    } as Lease;
  });
  const devices = createDevices(
    {
      leases: async () => ({ items: leases, next_cursor: null, total: leases.length }),
      events: async ({ ip }) => {
        if (ip !== undefined) asked++;
        return { items: [], next_cursor: null, last: 0 };
      },
    },
    { full: async () => ({ config: {} }) } as unknown as Configuration,
  );
  const device = await devices.find(MAC, undefined, 100);
  assert.equal(device.leases.length, 1000);
  assert.equal(asked, MAX_LOOKS_BACK);
});
