import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, sameBytes } from "@frontdesk/lease-options/address";
import fc from "fast-check";
import { type Binding, isFree, STATE } from "../src/leases/binding.ts";
import { configOf, desk, ip } from "./desk.ts";

const CONFIG = `
[lease]
default_time = 100
max_time = 200
offer_time = 10
decline_quarantine = 300
[[subnet]]
network = "10.77.0.0/24"
[[subnet.pool]]
range = "10.77.0.10 - 10.77.0.15"
exclude = ["10.77.0.12"]
[[subnet.pool]]
range = "10.77.0.20 - 10.77.0.21"
[[subnet.reservation]]
ip = "10.77.0.14"
mac = "02:00:00:00:00:00"
`;
const SMALLER = CONFIG.replace("10.77.0.10 - 10.77.0.15", "10.77.0.11 - 10.77.0.15");
const GIVEABLE = new Set([
  "10.77.0.10",
  "10.77.0.11",
  "10.77.0.13",
  "10.77.0.14",
  "10.77.0.15",
  "10.77.0.20",
  "10.77.0.21",
]);

const copyOf = (binding: Binding<number> | undefined) =>
  binding && { ...binding, identity: binding.identity.slice() };

type Step =
  | { do: "discover" | "take" | "renew" | "release" | "decline" | "reboot"; client: number }
  | { do: "pass"; seconds: number }
  | { do: "reload"; small: boolean }
  | { do: "restart" };

const client = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("discover", "take", "renew", "release", "decline", "reboot"),
      client,
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      seconds: fc.constantFrom(1, 9, 11, 60, 101, 301),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reload" as const), small: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
);

/** What the outside world knows: who was told which address, until when. */
class Model {
  readonly held = new Map<number, { address: string; until: number }>();
  readonly quarantined = new Map<string, number>();
  readonly last = new Map<number, string>();

  liveHolders(address: string, now: number): number[] {
    return [...this.held]
      .filter(([, lease]) => lease.address === address && lease.until > now)
      .map(([who]) => who);
  }
}

test("never two live leases on an address, never one outside its pool, quarantined or excluded; a returning client keeps its address while it can", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 120 }), (steps) => {
      const model = new Model();
      let server = desk(CONFIG);
      let small = false;
      const now = () => server.clock.now() / 1000;
      const macOf = (who: number) => `02:00:00:00:00:0${who}`;
      const mayGive = (who: number, address: string) => {
        assert.ok(GIVEABLE.has(address), `${address} is outside the pools`);
        if (address === "10.77.0.14") assert.equal(who, 0, "a reserved address for someone else");
        if (small) assert.notEqual(address, "10.77.0.10", "an address that is no longer in the pool");
        assert.ok((model.quarantined.get(address) ?? 0) <= now(), `${address} is in quarantine`);
        assert.deepEqual(
          model.liveHolders(address, now()).filter((other) => other !== who),
          [],
          `${address} is held`,
        );
      };
      const keep = (who: number, reply: ReturnType<typeof server.discover>) => {
        if (reply?.type === "NAK") model.held.delete(who);
        if (reply?.type !== "ACK") return;
        mayGive(who, reply.ip);
        model.held.set(who, { address: reply.ip, until: now() + Number(reply.options.lease_time) });
        model.last.set(who, reply.ip);
      };

      for (const each of steps) {
        if (each.do === "pass") server.pass(each.seconds);
        else if (each.do === "restart") server = desk(small ? SMALLER : CONFIG, server.store, server.clock);
        else if (each.do === "reload") {
          small = each.small;
          server.dhcp4.reload(configOf(small ? SMALLER : CONFIG), "v2");
        } else {
          const mac = macOf(each.client);
          const mine = model.held.get(each.client);
          if (each.do === "discover" || each.do === "take") {
            const before = model.last.get(each.client);
            const binding = before === undefined ? undefined : copyOf(server.dhcp4.leases.find(ip(before)));
            const offer = server.discover({ mac });
            if (offer) mayGive(each.client, offer.ip);
            const remembered = binding !== undefined && binding.state !== STATE.declined;
            const identity = Uint8Array.of(0, 1, 2, 0, 0, 0, 0, each.client);
            if (
              before &&
              remembered &&
              sameBytes(binding.identity, identity) &&
              each.client !== 0 &&
              !(small && before === "10.77.0.10")
            ) {
              assert.equal(offer?.ip, before, "a returning client");
            }
            if (each.do === "take" && offer) keep(each.client, server.select(offer.ip, { mac }));
          } else if (mine) {
            if (each.do === "renew") keep(each.client, server.renew(mine.address, { mac }));
            if (each.do === "reboot") keep(each.client, server.reboot(mine.address, { mac }));
            if (each.do === "release") {
              server.release(mine.address, { mac });
              model.held.delete(each.client);
            }
            if (each.do === "decline" && mine.until > now()) {
              server.decline(mine.address, { mac });
              model.quarantined.set(mine.address, now() + 300);
              model.held.delete(each.client);
            }
          }
        }
        for (const { address, state, until } of server.dhcp4.leases.all()) {
          if (state === STATE.bound) {
            const stored = server.store.leases.get(address);
            assert.equal(stored?.until, until, `${formatIpv4(address)} is not on disk as in memory`);
          }
          assert.ok(
            isFree(state) || state === STATE.bound || state === STATE.offered || state === STATE.declined,
          );
        }
        for (const [who, lease] of model.held) {
          if (lease.until <= now()) continue;
          const stored = server.store.leases.get(ip(lease.address));
          assert.equal(stored?.state, STATE.bound, `the lease of client ${who} is not on disk`);
        }
      }
    }),
    { numRuns: 400 },
  );
});
