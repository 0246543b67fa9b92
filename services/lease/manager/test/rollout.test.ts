import assert from "node:assert/strict";
import { test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { createRollouts, type KeptRollout } from "../src/domain/rollout.ts";
import { managerDesk } from "./manager-desk.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A network of devices that answer as they are told to, and a clock that stands until it is moved. */
function house(ways: readonly string[]) {
  let now = START;
  let saved: KeptRollout | undefined;
  const told: string[] = [];
  const leases = new Map<string, Lease>();
  for (const [n, way] of ways.entries()) {
    const ip = way === "DHCPv6" ? `fd77::${n + 1}` : `10.0.0.${n + 1}`;
    const seen = now - HOUR_MS / 4;
    const isEndless = way === "for ever" || way === "endless";
    leases.set(ip, {
      ip,
      mac: way === "DHCPv6" ? null : `02:00:00:00:00:0${n}`,
      duid: way === "DHCPv6" ? `00:0${n}` : null,
      hostname: way,
      last_seen_at: new Date(seen).toISOString(),
      expires_at: isEndless ? null : new Date(seen + HOUR_MS).toISOString(),
      renews_at: isEndless ? null : new Date(seen + HOUR_MS / 2).toISOString(),
      renewals: 0,
    } as Lease);
  }
  const due: Array<{ at: number; act: () => void }> = [];
  let away = false;
  let listing = Promise.resolve();
  const create = () =>
    createRollouts({
      kept: {
        load: async () => saved,
        save: async (rollout) => {
          saved = rollout;
        },
      },
      engine: {
        leases: async () => {
          await listing;
          return { items: [...leases.values()], next_cursor: null, total: leases.size };
        },
        forceRenew: async (ip) => {
          if (away) throw new DomainError("engine_away");
          told.push(ip);
          const way = leases.get(ip)?.hostname;
          if (way === "no nonce" || way === "for ever") throw new DomainError("no_nonce");
          if (way === "left") throw new DomainError("no_lease");
        },
      },
      clock: { now: () => now },
      log: { warn: () => {} },
      schedule: (milliseconds, act) => {
        const entry = { at: now + milliseconds, act };
        due.push(entry);
        return () => void due.splice(due.indexOf(entry), 1);
      },
    });
  const rollouts = create();
  return {
    rollouts,
    /** As after a restart of the manager. */
    another: async () => {
      rollouts.close();
      const next = create();
      await next.resume();
      return next;
    },
    told,
    renew: (ip: string) => {
      const lease = leases.get(ip) as Lease;
      const last_seen_at = new Date(now).toISOString();
      leases.set(ip, { ...lease, renewals: lease.renewals + 1, last_seen_at });
    },
    /** The lease ends, and another device has the address. */
    handOn: (ip: string, holder: Partial<Lease>) => {
      const last_seen_at = new Date(now).toISOString();
      leases.set(ip, { ...(leases.get(ip) as Lease), ...holder, last_seen_at });
    },
    holdListing: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      listing = promise;
      return resolve;
    },
    setAway: (is: boolean) => {
      away = is;
    },
    pass: async (milliseconds: number) => {
      now += milliseconds;
      for (const entry of due.filter(({ at }) => at <= now)) {
        due.splice(due.indexOf(entry), 1);
        entry.act();
      }
      // What was begun is done when nothing is left to do at once.
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    },
  };
}

const PACE = { wave: 2, pauseSeconds: 10 };

test("clients are told in waves, and each is counted by how far it is", async () => {
  const { rollouts, told, renew, pass } = house(["nonce", "no nonce", "for ever", "left", "nonce"]);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  assert.deepEqual(told, ["10.0.0.1", "10.0.0.2"]);
  await pass(9_000);
  assert.equal(told.length, 2, "not before the pause is over");
  renew("10.0.0.1");
  await pass(1_000);
  assert.equal(told.length, 4);
  await pass(10_000);
  const { state, counts, until: last } = rollouts.current ?? assert.fail();
  assert.equal(state, "watching");
  assert.deepEqual(counts, { queued: 0, told: 1, waiting: 1, converged: 1, unreachable: 1, gone: 1 });
  assert.equal(last, START + HOUR_MS / 4, "when half of the lease is over");
  renew("10.0.0.5");
  renew("10.0.0.2");
  await pass(5_000);
  assert.deepEqual([rollouts.current?.state, rollouts.current?.counts.converged], ["done", 3]);
});

test("it is over when everybody should have renewed, whether they did or not", async () => {
  const { rollouts, pass } = house(["nonce"]);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  await pass(5_000);
  assert.equal(rollouts.current?.state, "watching");
  await pass(HOUR_MS / 4 + 60_000);
  assert.deepEqual([rollouts.current?.state, rollouts.current?.counts.told], ["done", 1]);
});

test("while the engine is away nobody is counted as told; when it is back they are", async () => {
  const { rollouts, told, setAway, pass } = house(["nonce", "nonce", "nonce"]);
  setAway(true);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  assert.equal(rollouts.current?.counts.queued, 3);
  setAway(false);
  await pass(10_000);
  await pass(10_000);
  assert.equal(told.length, 3);
});

test("an engine that is away in the last wave is asked again too", async () => {
  const { rollouts, told, setAway, pass } = house(["nonce", "nonce", "nonce"]);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  setAway(true);
  await pass(10_000);
  assert.deepEqual([rollouts.current?.state, rollouts.current?.counts.queued], ["running", 1]);
  setAway(false);
  await pass(10_000);
  assert.deepEqual([rollouts.current?.state, told.length], ["watching", 3]);
});

test("a client whose lease never ends and that does not answer is waited for no longer than others", async () => {
  const { rollouts, pass } = house(["endless"]);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  await pass(5_000);
  assert.equal(rollouts.current?.state, "watching");
  await pass(61_000);
  assert.equal(rollouts.current?.state, "done");
});

test("a restart of the manager goes on with it; who renewed before is not told again", async () => {
  const { rollouts, another, told, renew, pass } = house(["nonce", "nonce", "nonce"]);
  await rollouts.start("ada", { subnet: "office" }, PACE);
  await pass(0);
  assert.deepEqual(told.splice(0), ["10.0.0.1", "10.0.0.2"]);
  await pass(1_000);
  renew("10.0.0.1");
  const next = await another();
  await pass(0);
  assert.deepEqual(told.splice(0), ["10.0.0.2", "10.0.0.3"]);
  const { startedAt, startedBy, filter, counts } = next.current ?? assert.fail();
  assert.deepEqual([startedAt, startedBy, filter], [START, "ada", { subnet: "office" }]);
  assert.deepEqual([counts.converged, counts.told], [1, 2]);
  renew("10.0.0.2");
  renew("10.0.0.3");
  await pass(10_000);
  assert.equal(next.current?.state, "done");
  assert.equal((await another()).current, undefined, "one that is over is not taken up again");
});

test("one at a time; one that is stopped tells nobody any more", async () => {
  const { rollouts, told, pass } = house(["nonce", "nonce", "nonce"]);
  await rollouts.start("ada", {}, PACE);
  await assert.rejects(rollouts.start("bob", {}, PACE), { code: "rollout_running" });
  await pass(0);
  assert.equal((await rollouts.stop()).state, "stopped");
  await pass(60_000);
  assert.equal(told.length, 2);
  await assert.rejects(rollouts.stop(), { code: "no_rollout" });
  assert.equal((await rollouts.start("bob", {}, PACE)).startedBy, "bob");
});

test("a client whose address is another's by now is gone, also where only DUIDs tell them apart", async () => {
  const { rollouts, handOn, pass } = house(["nonce", "DHCPv6", "DHCPv6", "DHCPv6"]);
  await rollouts.start("ada", {}, { ...PACE, wave: 4 });
  await pass(0);
  handOn("10.0.0.1", { mac: "02:00:00:00:00:99" });
  handOn("fd77::2", { duid: "00:99" });
  // A relay tells their hardware addresses by now.
  handOn("fd77::3", { mac: "02:00:00:00:00:03" });
  handOn("fd77::4", { mac: "02:00:00:00:00:04" });
  await pass(5_000);
  const { gone, converged } = rollouts.current?.counts ?? assert.fail();
  assert.deepEqual({ gone, converged }, { gone: 2, converged: 2 });
});

test("one that is forgotten tells nobody any more, and does not stand in the way of another", async () => {
  const { rollouts, told, holdListing, pass } = house(["nonce", "nonce", "nonce"]);
  await rollouts.start("ada", {}, PACE);
  await pass(0);
  rollouts.forget();
  assert.equal(rollouts.current, undefined);
  await pass(60_000);
  assert.equal(told.length, 2);
  const letGo = holdListing();
  const refused = assert.rejects(rollouts.start("ada", {}, PACE), { code: "engine_busy" });
  rollouts.forget();
  letGo();
  await refused;
  assert.equal((await rollouts.start("bob", {}, PACE)).startedBy, "bob");
});

test("through the manager: a client that understands is told, one that does not waits, and who renews has converged", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const join = async (mac: string, more: Array<[number, Uint8Array]>) => {
    const said: Array<[number, Uint8Array]> = [[CODE.hostName, textBytes("rolled")], ...more];
    const offer = await clients.ask(TYPE.discover, mac, said);
    const took: Array<[number, Uint8Array]> = [
      [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ];
    assert.equal((await clients.ask(TYPE.request, mac, [...said, ...took]))?.type, TYPE.ack);
    return (await admin("GET", `leases?q=${encodeURIComponent(mac)}`)).json.items[0].ip as string;
  };
  const capable = await join("02:00:00:00:00:01", [[CODE.forceRenewNonce, Uint8Array.of(1)]]);
  const plain = await join("02:00:00:00:00:02", []);
  assert.ok(await clients.join("02:00:00:00:00:03"), "not of the filter");
  // Leases tell seconds: who renews in the second of its grant could not be told from one who did not.
  const granted = Math.floor(Date.now() / 1000);
  await until("that second is over", () => Math.floor(Date.now() / 1000) > granted);
  const rollout = async () => (await admin("GET", "rollout")).json.rollout;
  assert.equal(await rollout(), null);
  const started = await admin("POST", "rollout", { body: { q: "rolled", wave: 10, pause_seconds: 1 } });
  assert.equal(started.status, 202, started.text);
  await until("both have been looked at", async () => (await rollout()).counts.queued === 0);
  const { items, counts } = await rollout();
  assert.deepEqual(
    items.map((each: { ip: string; state: string }) => [each.ip, each.state]).toSorted(),
    [
      [capable, "told"],
      [plain, "waiting"],
    ].toSorted(),
  );
  assert.equal(counts.told + counts.waiting, 2);
  assert.equal((await admin("POST", "rollout", { body: {} })).json.code, "rollout_running");
  assert.ok(await clients.renew("02:00:00:00:00:01", capable));
  assert.ok(await clients.renew("02:00:00:00:00:02", plain));
  await until("both have converged", async () => (await rollout()).counts.converged === 2);
  await until("it is over", async () => (await rollout()).state === "done");
  assert.equal((await admin("DELETE", "rollout")).json.code, "no_rollout");
  const { items: audit } = (await admin("GET", "audit")).json;
  assert.ok(audit.some(({ action }: { action: string }) => action === "rollout_start"));
});
