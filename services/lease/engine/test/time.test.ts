import assert from "node:assert/strict";
import { test } from "node:test";
import { FOREVER } from "../src/leases/binding.ts";
import { EngineClock } from "../src/loop/engine-clock.ts";
import { desk, ip, MemoryStore } from "./desk.ts";
import { desk6, ip6, octets, TOML6 } from "./desk6.ts";
import { fakeTime } from "./fake-time.ts";

const POOL = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const A = "02:00:00:00:00:0a";
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const NEW = { offset: 0, bootId: null, bootTime: 0, replayAhead: 0, newest: 0 };

for (const [name, step] of [
  ["an hour back", -HOUR],
  ["a year ahead", YEAR],
  ["fifty years ahead", 50 * YEAR],
] as const) {
  test(`the wall clock set ${name} ends no live lease and prolongs none, across a restart too`, () => {
    const server = desk(POOL);
    server.join(A);
    server.pass(1800);
    server.clock.step(step);
    server.engine.tick();
    assert.equal(server.dhcp4.leases.active, 1);
    assert.equal(server.counters.get("clock_steps"), 1);
    assert.ok(server.logged.some((line) => line.includes("the wall clock was set")));
    server.pass(900);
    const again = desk(POOL, server.store, server.clock);
    again.engine.tick();
    assert.equal(again.dhcp4.leases.active, 1);
    again.pass(899);
    assert.equal(again.dhcp4.leases.active, 1);
    again.pass(2);
    assert.equal(again.dhcp4.leases.active, 0);
    assert.equal(again.store.events.at(-1)?.at, again.clock.wall(), "the history tells wall time");
  });
}

for (const [name, step] of [
  ["fifty years ahead", 50 * YEAR],
  ["past 2106", 100 * YEAR],
  ["a day back", -24 * HOUR],
] as const) {
  test(`the wall clock set ${name} while the engine is stopped ends no live lease and prolongs none`, () => {
    const server = desk(POOL);
    server.join(A);
    server.pass(600);
    server.clock.step(step);
    server.clock.advance(600_000);
    const again = desk(POOL, server.store, server.clock);
    again.pass(2399);
    assert.equal(again.dhcp4.leases.active, 1);
    again.pass(2);
    assert.equal(again.dhcp4.leases.active, 0);
    assert.equal(again.store.events.at(-1)?.at, again.clock.wall(), "the history tells wall time");
  });
}

test("when the machine was started anew, its wall clock tells how much time has passed", () => {
  const server = desk(POOL);
  server.join(A);
  server.pass(600);
  server.clock.reboot(1_200_000);
  const again = desk(POOL, server.store, server.clock);
  again.pass(1799);
  assert.equal(again.dhcp4.leases.active, 1);
  again.pass(2);
  assert.equal(again.dhcp4.leases.active, 0);
});

test("a start with a clock past 2106 gives leases their time, and leaves nothing behind once it is right", () => {
  const time = fakeTime("2199-01-01T00:00:00Z");
  const first = desk(POOL, new MemoryStore(), time);
  first.join(A);
  first.pass(3599);
  assert.equal(first.dhcp4.leases.active, 1);
  first.pass(2);
  assert.equal(first.dhcp4.leases.active, 0);
  first.join(A);
  assert.ok([...first.store.leases.values()].every(({ seen, until }) => Math.max(seen, until) < 0xffffffff));
  time.step(Date.parse("2026-06-01T00:00:00Z") - time.wall());
  first.engine.tick();
  time.reboot(60_000);
  const again = desk(POOL, first.store, time);
  again.pass(3500);
  assert.equal(again.dhcp4.leases.active, 1);
  again.pass(100);
  assert.equal(again.dhcp4.leases.active, 0);
  again.join(A);
  assert.equal(again.store.events.at(-1)?.until, Math.floor(time.wall() / 1000) + 3600);
});

test("leases that a clock past 2106 has left on disk do not set the time", () => {
  const first = desk(POOL);
  first.join(A);
  for (const [ip, lease] of first.store.leases)
    first.store.leases.set(ip, { ...lease, seen: 7e9, until: 7e9 });
  const again = desk(POOL, first.store, first.clock);
  assert.equal(again.join("02:00:00:00:00:0b") !== undefined, true);
  assert.ok(Math.abs((again.store.events.at(-1)?.at ?? 0) - again.clock.wall()) < 1000);
});

test("a lease that ends while the clock is being set back is not given to another before its time", () => {
  const one = POOL.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1");
  const { join, clock, engine, discover, pass } = desk(one);
  join(A);
  clock.step(10 * HOUR);
  engine.tick();
  clock.step(-20 * HOUR);
  engine.tick();
  assert.equal(discover({ mac: "02:00:00:00:00:0b" }), undefined);
  pass(3599);
  assert.equal(discover({ mac: "02:00:00:00:00:0b" }), undefined);
  pass(2);
  assert.equal(discover({ mac: "02:00:00:00:00:0b" })?.ip, "10.77.1.1");
});

test("a start with the clock behind the newest commit goes on from that commit, and is put right when the clock is", () => {
  const store = new MemoryStore();
  const first = desk(POOL, store, fakeTime("2026-06-01T00:00:00Z"));
  first.join(A);
  const kept = store.leases.get(ip("10.77.1.1")) ?? [...store.leases.values()][0];
  const wrong = fakeTime("1970-01-01T00:00:10Z");
  const second = desk(POOL, store, wrong);
  second.engine.tick();
  assert.equal(second.dhcp4.leases.active, 1);
  assert.equal(second.join("02:00:00:00:00:0b") !== undefined, true);
  second.pass(60);
  wrong.step(Date.parse("2026-06-01T00:02:00Z") - wrong.wall());
  second.engine.tick();
  second.pass(3500);
  assert.equal(second.dhcp4.leases.active, 2);
  second.pass(100);
  assert.equal(second.dhcp4.leases.active, 0);
  assert.ok(kept);
});

test("a first start in 1970 loses nothing when the clock is set, nor at the next start", () => {
  const time = fakeTime("1970-01-01T00:00:10Z");
  const first = desk(POOL, new MemoryStore(), time);
  first.join(A);
  time.step(Date.parse("2026-06-01T00:00:00Z") - time.wall());
  first.engine.tick();
  const again = desk(POOL, first.store, time);
  again.engine.tick();
  assert.equal(again.dhcp4.leases.active, 1);
  again.pass(3599);
  assert.equal(again.dhcp4.leases.active, 1);
  again.pass(2);
  assert.equal(again.dhcp4.leases.active, 0);
});

test("the offset survives a disk that is full when the clock is set", () => {
  const { clock, engine, store } = desk(POOL);
  store.broken = true;
  clock.step(HOUR);
  engine.tick();
  assert.equal(store.kept.offset, 0);
  store.broken = false;
  engine.tick();
  assert.equal(store.kept.offset, -HOUR);
});

test("while the machine sleeps, leases run on", () => {
  const { join, clock, engine, dhcp4, counters } = desk(POOL);
  join(A);
  clock.sleep(2 * HOUR);
  engine.tick();
  assert.equal(dhcp4.leases.active, 0);
  assert.equal(counters.get("clock_steps"), 0, "which is no step of the clock");
});

test("the engine's clock never goes back, and small differences are not steps", () => {
  const time = fakeTime();
  const clock = new EngineClock(time, NEW);
  let last = clock.now();
  for (const step of [500, -900, 1200, -50 * HOUR, 3 * YEAR, -1, 0]) {
    time.step(step);
    clock.check();
    assert.ok(clock.now() >= last);
    last = clock.now();
    time.advance(10);
  }
  const calm = new EngineClock(time, NEW);
  time.step(1500);
  assert.equal(calm.check(), 0);
  time.step(1500);
  assert.equal(calm.check(), 3000);
});

test("a packet that waited while the machine slept is decided in the time after it", () => {
  const { join, clock, store } = desk(POOL);
  clock.sleep(2 * HOUR);
  join(A);
  assert.equal(store.events.at(-1)?.at, clock.wall());
});

test("replay detection follows the other server's, never goes back, and is ahead of both after a restart", () => {
  const time = fakeTime();
  const clock = new EngineClock(time, NEW);
  assert.equal(clock.replay(), clock.now(), "alone");
  const theirs = clock.now() + HOUR + 1;
  clock.raiseReplay(theirs);
  assert.equal(clock.replay(), theirs);
  clock.raiseReplay(theirs - 5);
  clock.raiseReplay(Number.MAX_SAFE_INTEGER);
  assert.equal(clock.replay(), theirs, "neither by less nor by what is past belief");
  const again = new EngineClock(time, { ...clock.kept, newest: 0 });
  assert.ok(again.replay() >= theirs);
  assert.deepEqual(again.kept, clock.kept, "which is not written again");
});

test("a lease that begins late within a second lasts its whole time, in both families", () => {
  const one = `[lease]\ndefault_time = 60\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1"\n`;
  const four = desk(one);
  const six = desk6(TOML6.replace("fd77::ffff:ffff:ffff:ffff", "fd77::1000"));
  const [first, second] = ["00:03:00:01:02:00:00:00:00:01", "00:03:00:01:02:00:00:00:00:02"];
  four.clock.advance(999);
  six.clock.advance(999);
  assert.equal(four.join("02:00:00:00:00:0a"), "10.77.1.1");
  assert.equal(six.join({ duid: first }), "fd77::1000");
  four.pass(59.5);
  six.pass(1999.5);
  assert.equal(four.discover({ mac: "02:00:00:00:00:0b" }), undefined);
  assert.deepEqual(six.solicit({ duid: second })?.leases, []);
  four.pass(0.5);
  six.pass(0.5);
  assert.equal(four.discover({ mac: "02:00:00:00:00:0b" })?.ip, "10.77.1.1");
  assert.equal(six.solicit({ duid: second })?.leases.length, 1);
});

for (const [name, end] of [
  ["past 2106", FOREVER - 1],
  ["that would be none by the engine's clock", FOREVER - HOUR / 1000],
] as const) {
  test(`a lease that is imported with an end ${name} goes on after the wall clock was set back, and has an end`, () => {
    const one = desk(POOL.replace("1.10", "1.1"));
    one.clock.step(-HOUR);
    one.engine.tick();
    const client = { mac: Uint8Array.of(2, 0, 0, 0, 0, 9), clientId: null, hostname: null };
    const lease = { ...client, ip: ip("10.77.1.1"), until: end };
    const answer = one.engine.run((batch) => one.dhcp4.import(lease, batch));
    assert.deepEqual(answer, { saved: true, value: undefined });
    one.pass(2);
    assert.equal(one.store.find(lease.ip)?.until, FOREVER - 1);
    assert.equal(one.dhcp4.leases.active, 1);
    assert.equal(one.join(A), undefined, "nobody else gets it");

    const other = desk6(TOML6);
    other.clock.step(-HOUR);
    other.engine.tick();
    const device = { duid: octets("00:03:00:01:02:00:00:00:00:09"), iaid: 1, mac: new Uint8Array(0) };
    const lease6 = { ...device, hostname: null, address: ip6("fd77::1000"), length: 128, until: end };
    const answer6 = other.engine.run((batch) => other.dhcp6.import(lease6, batch));
    assert.deepEqual(answer6, { saved: true, value: undefined });
    other.pass(2);
    assert.equal(other.store.find6(lease6.address)?.until, FOREVER - 1);
    assert.equal(other.dhcp6.leases.active, 1);
  });
}

test("the history tells an end of a lease that ends near 2106 after the wall clock was set ahead", () => {
  const server = desk(`[lease]\ndefault_time = 4294866000\n${POOL}`);
  server.clock.step(HOUR);
  server.engine.tick();
  server.join(A);
  assert.equal(server.store.events.at(-1)?.until, FOREVER - 1);
});
