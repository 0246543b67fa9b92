import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FIELDS } from "@frontdesk/lease-config/class-expression";
import { SECTIONS } from "@frontdesk/lease-config/raw-config";
import { readConfig } from "@frontdesk/lease-config/validate";
import { HA_STATES } from "@frontdesk/lease-control-api/ha-states";
import { OPTIONS } from "@frontdesk/lease-options/option-table";
import { CUSTOM_TYPES } from "@frontdesk/lease-options/option-types";
import { OPTIONS6 } from "@frontdesk/lease-options/option6-table";
import { SAMPLE_CONFIG } from "../src/config/sample-config.ts";
import { HA_METRICS } from "../src/control/ha-metrics.ts";
import { GAUGES, LATENCY } from "../src/control/metrics.ts";
import { METRICS } from "../src/metric-table.ts";

const page = readFileSync(new URL("../../../../docs/lease-engine.md", import.meta.url), "utf8");

test("the guide names every setting, option, metric, field and type", () => {
  const names = [
    ...Object.values(SECTIONS).flatMap((section) => Object.keys(section)),
    ...Object.values(OPTIONS).map(({ name }) => name),
    ...METRICS.map(({ name }) => name),
    ...Object.keys(GAUGES),
    LATENCY.name,
    ...Object.keys(FIELDS),
    ...Object.keys(CUSTOM_TYPES),
  ];
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}`) && !page.includes(`${name}\``)),
    [],
  );
});

test("the page on the pair names its metrics and states, and its sample is right", () => {
  const pair = readFileSync(new URL("../../../../docs/lease-ha.md", import.meta.url), "utf8");
  const names = [...Object.keys(HA_METRICS), ...HA_STATES];
  assert.deepEqual(
    names.filter((name) => !pair.includes(`\`${name}`)),
    [],
  );
  const [, sample = ""] = /```toml\n([\s\S]*?)```/.exec(pair) ?? [];
  assert.equal(readConfig(`${SAMPLE_CONFIG}\n${sample}`).haNodes?.primary.port, 31_077);
});

test("the page on DHCPv6 names every option, and its sample is right", () => {
  const page6 = readFileSync(new URL("../../../../docs/lease-v6.md", import.meta.url), "utf8");
  const names = Object.values(OPTIONS6).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !page6.includes(`\`${name}\``)),
    [],
  );
  const [, whole = ""] = /```toml\n([\s\S]*?)```/.exec(page6) ?? [];
  assert.equal(readConfig(whole).v6.subnets.length, 1);
});

test("the Grafana dashboard asks only for metrics that the engine has", () => {
  const file = new URL("../../../../docs/lease-grafana.json", import.meta.url);
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
    panels: Array<{ targets: Array<{ expr: string }> }>;
  };
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/lease_\w+/g) ?? []),
  );
  const known = new Set([
    ...METRICS.map(({ name }) => name),
    ...Object.keys(GAUGES),
    `${LATENCY.name}_bucket`,
  ]);
  assert.ok(asked.length > 15);
  assert.deepEqual(
    asked.filter((name) => !known.has(name)),
    [],
  );
});

test("the sample configuration of the first start is right, and so is the one in the guide", () => {
  assert.equal(readConfig(SAMPLE_CONFIG).subnets.length, 1);
  const [, whole = ""] = /```toml\n([\s\S]*?)```/.exec(page) ?? [];
  assert.equal(readConfig(whole).subnets.length, 1);
});

test("the guide names every reason for silence", () => {
  for (const { values } of METRICS.filter(({ name }) => name === "lease_drops_total")) {
    const missing = values
      .map(({ labels }) => labels.reason)
      .filter((reason) => !page.includes(`\`${reason}\``));
    assert.deepEqual(missing, []);
  }
});
