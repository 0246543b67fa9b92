import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineClock } from "../src/loop/engine-clock.ts";
import { desk, ip, MemoryStore } from "./desk.ts";
import { fakeTime } from "./fake-time.ts";

const POOL = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const A = "02:00:00:00:00:0a";
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

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
  assert.equal(store.offset, 0);
  store.broken = false;
  engine.tick();
  assert.equal(store.offset, -HOUR);
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
  const clock = new EngineClock(time, { offset: 0, newest: 0 });
  let last = clock.now();
  for (const step of [500, -900, 1200, -50 * HOUR, 3 * YEAR, -1, 0]) {
    time.step(step);
    clock.check();
    assert.ok(clock.now() >= last);
    last = clock.now();
    time.advance(10);
  }
  const calm = new EngineClock(time, { offset: 0, newest: 0 });
  time.step(1500);
  assert.equal(calm.check(), 0);
  time.step(1500);
  assert.equal(calm.check(), 3000);
});
