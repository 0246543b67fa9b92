import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import { createNameUpdates } from "../src/ddns/name-updates.ts";
import { createUpdateExchange } from "../src/ddns/update-exchange.ts";
import { startBind } from "./bind.ts";
import { FORWARD, REVERSE } from "./dns-server.ts";
import { nameDesk } from "./name-desk.ts";

const LEASES = repetitions(1_000, 10_000);
const NAMES = LEASES / 20;
const CAP = 1000;
const addressOf = (n: number) => `10.77.${n >> 8}.${n & 255}`;
const reverseOf = (n: number) => `${n & 255}.${n >> 8}.${REVERSE}.`;

test("BIND: thousands of new leases come there at the rate cap; a name that changes hands does so in order", async (t) => {
  const bind = await startBind(t);
  if (!bind) return;
  const { lease, end, senderWith, time } = nameDesk(
    t,
    `[ddns]
enabled = true
server = "127.0.0.1:${bind.port}"
forward_zone = "${FORWARD}"
reverse_zone = "${REVERSE}"
tsig_name = "${bind.key.name}"
tsig_secret = "${Buffer.from(bind.key.secret).toString("base64")}"
max_updates_per_second = ${CAP}
`,
  );
  const counts = { updates: 0, failures: 0, conflicts: 0 };
  // The time of the cap moves only by waiting: what BIND takes is not counted.
  const sender = senderWith({
    updates: createNameUpdates(createUpdateExchange({ now: () => Date.now() })),
    count: (what) => {
      counts[what]++;
    },
  });
  const bring = async () => {
    while ((await sender.round()) > 0);
  };
  const all = Array.from({ length: LEASES }, (_, n) => n);
  lease(...all.map((n) => ({ at: addressOf(n), hostname: `n${n}` })));
  await bring();
  assert.deepEqual(counts, { updates: 2 * LEASES, failures: 0, conflicts: 0 });
  assert.equal(Math.round(time()), (2 * LEASES * 1000) / CAP);

  // Each owner leaves, and another device is called by its name: at every moment one of them has it.
  const passed = all.slice(0, NAMES);
  for (const n of passed) {
    end(addressOf(n));
    lease({ at: addressOf(LEASES + n), hostname: `n${n}` });
  }
  await bring();
  assert.equal(counts.conflicts, 0);
  const holder = (n: number) => (n < NAMES ? LEASES + n : n);
  assert.deepEqual(
    bind.transfer(FORWARD, "A").filter((record) => /^n\d/.test(record)),
    all.map((n) => `n${n}.${FORWARD}. ${addressOf(holder(n))}`).sort(),
  );
  assert.deepEqual(
    bind.transfer(REVERSE, "PTR"),
    all.map((n) => `${reverseOf(holder(n))} n${n}.${FORWARD}.`).sort(),
  );
  assert.equal(bind.transfer(FORWARD, "DHCID").length, LEASES);
});
