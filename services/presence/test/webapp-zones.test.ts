import assert from "node:assert/strict";
import { test } from "node:test";
import { zoneChoices } from "../webapp/src/zones.ts";

test("the zone that somebody has is among those to choose from, however the browser spells it, and once", () => {
  for (const zone of ["Asia/Calcutta", "Asia/Kolkata", "Europe/Kiev", "Europe/Kyiv", "UTC"]) {
    const found = zoneChoices(zone).filter(({ value }) => value === zone);
    assert.equal(found.length, 1, zone);
  }
  const [first] = zoneChoices(null);
  assert.equal(first?.value, Intl.supportedValuesOf("timeZone")[0]);
});
