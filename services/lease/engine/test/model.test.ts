import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import fc from "fast-check";
import { desk, packetOf, SERVER } from "./desk.ts";
import { LEASE, POOL, RESERVED, Reference, type Request } from "./reference.ts";

/**
 * The whole engine beside a simple one: random packets in batches, time, control calls, commits that
 * fail, restarts, and a wall clock that is set. After each step both must have given the same
 * replies, hold the same leases in memory and on disk, have told the same story and counted the same.
 */
const CONFIG = `
[lease]
default_time = ${LEASE}
offer_time = 10
decline_quarantine = 300
[[subnet]]
network = "10.77.0.0/24"
[[subnet.pool]]
range = "${formatIpv4(POOL[0])} - ${formatIpv4(POOL[1])}"
[[subnet.reservation]]
ip = "${formatIpv4(RESERVED)}"
mac = "02:00:00:00:00:00"
`;

// Other runs each time. A failure prints its seed: PROPERTY_SEED=<seed> runs the same again.
if (process.env.PROPERTY_SEED) fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED) });

type Step =
  | { do: "packets"; requests: Request[] }
  | { do: "pass"; seconds: number }
  | { do: "clear"; address: number }
  | { do: "disk"; broken: boolean }
  | { do: "set-clock"; seconds: number }
  | { do: "restart" };

const client = fc.nat(6);
const address = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: POOL[0], max: POOL[1] }) },
  { weight: 2, arbitrary: fc.constant(RESERVED) },
  { weight: 1, arbitrary: fc.constant(0x0a4d0063) },
);
const request = fc.record({
  do: fc.constantFrom(
    "discover",
    "discover",
    "select",
    "select",
    "select-other",
    "reboot",
    "renew",
    "renew",
    "release",
    "decline",
  ),
  client,
  address,
}) as fc.Arbitrary<Request>;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("packets" as const),
      requests: fc.array(request, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      seconds: fc.constantFrom(0, 1, 9, 11, 60, 101, 301, 90_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const), address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("disk" as const), broken: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("set-clock" as const),
      seconds: fc.constantFrom(-86_400, -3600, 3600, 31_536_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
);

/** A client of five names half its requests by what it was last offered, as real ones do. */
function bytesOf(each: Request): Uint8Array {
  const mac = `02:00:00:00:00:0${each.client}`;
  const ip = formatIpv4(each.address);
  const asked: [number, string] = [CODE.requestedAddress, ip];
  const server = (address: number): [number, Uint8Array] => [CODE.serverIdentifier, u32Bytes(address)];
  if (each.do === "discover") return packetOf(TYPE.discover, { mac, options: [asked] });
  if (each.do === "select") return packetOf(TYPE.request, { mac, options: [asked, server(SERVER)] });
  if (each.do === "select-other")
    return packetOf(TYPE.request, { mac, options: [asked, server(SERVER + 1)] });
  if (each.do === "reboot") return packetOf(TYPE.request, { mac, options: [asked] });
  if (each.do === "renew") return packetOf(TYPE.request, { mac, ciaddr: ip });
  if (each.do === "release") return packetOf(TYPE.release, { mac, ciaddr: ip });
  return packetOf(TYPE.decline, { mac, options: [asked, server(SERVER)] });
}

const COUNTED = [
  "sent_offer",
  "sent_ack",
  "sent_nak",
  "expired",
  "drop_store",
  "drop_no_free_address",
  "drop_other_server_chosen",
  "drop_unknown_client",
  "drop_not_held",
  "drop_decline_limit",
];

test("random packets, time, control calls, failing commits, restarts and clock steps end as in a simple reference", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const reference = new Reference();
      let server = desk(CONFIG);
      const { clock, store } = server;
      const startedAt = clock.monotonic();
      const base = Math.floor(clock.wall() / 1000);
      const now = () => base + Math.floor((clock.monotonic() - startedAt) / 1000);
      const lastOffer = new Map<number, number>();
      for (const each of steps) {
        const { broken } = store;
        if (each.do === "packets") {
          // Half of those who take an offer take the one they got.
          const requests = each.requests.map((one) => {
            const offered = lastOffer.get(one.client);
            return offered !== undefined && one.client % 2 === 0 ? { ...one, address: offered } : one;
          });
          const ingress = (one: Request) =>
            one.do === "renew" || one.do === "release"
              ? { ...server.ingress, unicast: true }
              : server.ingress;
          server.engine.handle(requests.map((one) => ({ bytes: bytesOf(one), ingress: ingress(one) })));
          const replies = server.taken();
          const expected = reference.batch(now(), broken, () => {
            for (const one of requests) reference.packet(one);
          });
          assert.deepEqual(
            replies.map(({ type, ip }) => `${type} ${ip}`),
            expected,
            JSON.stringify(requests),
          );
          for (const { type, ip, message } of replies) {
            if (type === "OFFER")
              lastOffer.set(
                message.chaddr[5] ?? 0,
                ip.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0),
              );
          }
        } else if (each.do === "pass" || each.do === "set-clock") {
          if (each.do === "pass") clock.advance(each.seconds * 1000);
          else clock.step(each.seconds * 1000);
          server.engine.tick();
          reference.batch(now(), broken, () => reference.tick());
          // A clock that is set, and a disk that was full, are written down by themselves: that may fail, too.
          assert.deepEqual(server.taken(), []);
        } else if (each.do === "clear") {
          const done = server.engine.run((batch) => server.dhcp4.release(each.address, batch));
          let found = false;
          reference.batch(now(), broken, () => {
            found = reference.clear(each.address);
          });
          if (done.saved) assert.equal(done.value, found);
          else assert.ok(broken && found);
        } else if (each.do === "disk") {
          store.broken = each.broken;
          if (!each.broken) {
            server.engine.tick();
            reference.batch(now(), false, () => reference.tick());
          }
        } else if (!broken) {
          server = desk(CONFIG, store, clock);
          reference.restart();
        }
        compare(server, reference);
      }
    }),
    { numRuns: 1500 },
  );
});

function compare({ dhcp4, store, counters }: ReturnType<typeof desk>, { state }: Reference): void {
  const clientOf = (identity: Uint8Array) => identity.at(-1);
  const isWhole = counters.get("events_suppressed") === 0;
  assert.deepEqual(
    Object.fromEntries(
      [...dhcp4.leases.all()].map((each) => [
        formatIpv4(each.address),
        [clientOf(each.identity), each.state, each.starts, each.until, isWhole && each.told],
      ]),
    ),
    Object.fromEntries(
      [...state.slots].map(([ip, slot]) => [
        formatIpv4(ip),
        [slot.client, slot.state, slot.starts, slot.until, isWhole && slot.told],
      ]),
    ),
    "in memory",
  );
  assert.deepEqual(
    Object.fromEntries(
      [...store.leases.values()].map((row) => [
        formatIpv4(row.ip),
        [row.mac.at(-1), row.state, row.starts, row.until, row.renewals],
      ]),
    ),
    Object.fromEntries(
      [...state.disk].map(([ip, row]) => [
        formatIpv4(ip),
        [row.client, row.state, row.starts, row.until, row.renewals],
      ]),
    ),
    "on disk",
  );
  if (isWhole) {
    assert.deepEqual(
      store.events.map(({ type, ip, mac, reason, renewals }) =>
        [type, formatIpv4(ip), mac.at(-1), reason, renewals].join(" "),
      ),
      state.events,
      "the history",
    );
  }
  assert.deepEqual(
    Object.fromEntries(COUNTED.map((name) => [name, counters.get(name)])),
    Object.fromEntries(COUNTED.map((name) => [name, state.counters.get(name) ?? 0])),
    "counters",
  );
}
