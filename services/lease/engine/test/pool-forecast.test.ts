import assert from "node:assert/strict";
import { test } from "node:test";
import { PoolForecast } from "../src/leases/pool-forecast.ts";

/** Counts every ten minutes for so many hours, from a given second on. */
function counted(hours: number, free: (hour: number) => number, forecast = new PoolForecast(), from = 0) {
  for (let second = 0; second <= hours * 3600; second += 600) {
    forecast.sample(from + second, () => new Map([["pool", of(free(second / 3600))]]));
  }
  return forecast;
}
const of = (free: number, usable = 100_000) => ({ free, usable });

test("a pool that fills up evenly is full when its free addresses are used up", () => {
  assert.equal(counted(6, (hour) => 200 - 10 * hour).hoursUntilFull("pool", of(140)), 14);
});

test("a pool that does not fill up, or not within a month, is not told of", () => {
  assert.equal(counted(6, () => 100).hoursUntilFull("pool", of(100)), undefined);
  assert.equal(counted(6, (hour) => 100 + hour).hoursUntilFull("pool", of(106)), undefined);
  assert.equal(counted(6, (hour) => 100_000 - hour).hoursUntilFull("pool", of(99_994)), undefined);
});

test("a pool that is full is full now", () => {
  assert.equal(counted(6, (hour) => 60 - 10 * hour).hoursUntilFull("pool", of(0)), 0);
  assert.equal(new PoolForecast().hoursUntilFull("pool", of(0)), 0);
  assert.equal(new PoolForecast().hoursUntilFull("pool", of(-1)), 0);
});

test("nothing is told from less than an hour, nor of a pool that is not known", () => {
  const forecast = counted(0.9, (hour) => 200 - 10 * hour);
  assert.equal(forecast.hoursUntilFull("pool", of(100)), undefined);
  assert.equal(forecast.hoursUntilFull("other", of(100)), undefined);
});

test("only the last day counts", () => {
  const forecast = counted(48, (hour) => 1000 - 10 * hour);
  const day = 24 * 3600;
  assert.equal(counted(24, () => 520, forecast, 3 * day).hoursUntilFull("pool", of(520)), undefined);
});

test("a pool that was taken away and comes back begins anew", () => {
  const forecast = counted(6, (hour) => 200 - 10 * hour);
  forecast.sample(7 * 3600, () => new Map());
  forecast.sample(8 * 3600, () => new Map([["pool", of(100)]]));
  assert.equal(forecast.hoursUntilFull("pool", of(100)), undefined);
});

test("addresses that a reload keeps back are no demand: the forecast begins anew", () => {
  const forecast = counted(6, () => 500);
  assert.equal(forecast.hoursUntilFull("pool", of(400, 99_900)), undefined, "before it is counted");
  forecast.sample(7 * 3600, () => new Map([["pool", of(400, 99_900)]]));
  assert.equal(forecast.hoursUntilFull("pool", of(400, 99_900)), undefined);
  for (let hour = 8; hour <= 14; hour++) {
    forecast.sample(hour * 3600, () => new Map([["pool", of(400 - 10 * (hour - 7), 99_900)]]));
  }
  assert.equal(forecast.hoursUntilFull("pool", of(330, 99_900)), 33, "what is taken since is demand");
});
