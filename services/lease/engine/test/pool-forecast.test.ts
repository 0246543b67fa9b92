import assert from "node:assert/strict";
import { test } from "node:test";
import { PoolForecast } from "../src/leases/pool-forecast.ts";

/** Counts every ten minutes for so many hours, from a given second on. */
function counted(hours: number, free: (hour: number) => number, forecast = new PoolForecast(), from = 0) {
  for (let second = 0; second <= hours * 3600; second += 600) {
    forecast.sample(from + second, () => new Map([["pool", free(second / 3600)]]));
  }
  return forecast;
}

test("a pool that fills up evenly is full when its free addresses are used up", () => {
  assert.equal(counted(6, (hour) => 200 - 10 * hour).hoursUntilFull("pool", 140), 14);
});

test("a pool that does not fill up, or not within a month, is not told of", () => {
  assert.equal(counted(6, () => 100).hoursUntilFull("pool", 100), undefined);
  assert.equal(counted(6, (hour) => 100 + hour).hoursUntilFull("pool", 106), undefined);
  assert.equal(counted(6, (hour) => 100_000 - hour).hoursUntilFull("pool", 99_994), undefined);
});

test("a pool that is full is full now", () => {
  assert.equal(counted(6, (hour) => 60 - 10 * hour).hoursUntilFull("pool", 0), 0);
  assert.equal(new PoolForecast().hoursUntilFull("pool", 0), 0);
});

test("nothing is told from less than an hour, nor of a pool that is not known", () => {
  const forecast = counted(0.9, (hour) => 200 - 10 * hour);
  assert.equal(forecast.hoursUntilFull("pool", 100), undefined);
  assert.equal(forecast.hoursUntilFull("other", 100), undefined);
});

test("only the last day counts", () => {
  const forecast = counted(48, (hour) => 1000 - 10 * hour);
  const day = 24 * 3600;
  assert.equal(counted(24, () => 520, forecast, 3 * day).hoursUntilFull("pool", 520), undefined);
});

test("a pool that was taken away and comes back begins anew", () => {
  const forecast = counted(6, (hour) => 200 - 10 * hour);
  forecast.sample(7 * 3600, () => new Map());
  forecast.sample(8 * 3600, () => new Map([["pool", 100]]));
  assert.equal(forecast.hoursUntilFull("pool", 100), undefined);
});
