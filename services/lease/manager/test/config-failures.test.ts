import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigApplied, ConfigState } from "@frontdesk/lease-control-api/schemas";
import { createConfiguration } from "../src/domain/configuration.ts";
import type { Engine } from "../src/domain/engine.ts";
import type { Desk, Rows } from "../src/domain/rows.ts";

const BEFORE = '[server]\nlisten = ["127.0.0.1:6767"]\n';
const AFTER = `${BEFORE}# changed\n`;
const STEPS = ["read the configuration", "write it", "keep the version", "tell the audit log"] as const;
type Step = (typeof STEPS)[number];

/** An engine and a database in memory; one step of applying fails. */
function house(failing: Step | undefined) {
  let text = BEFORE;
  let trial: string | undefined;
  const versions: string[] = [];
  const reach = (step: Step) => {
    if (step === failing) throw new Error(`cannot ${step}`);
  };
  const applied = (): ConfigApplied => ({ version: text, restart: [], trial: null });
  const engine: Partial<Engine> = {
    config: async () => {
      reach("read the configuration");
      return { running: text, file: text, restart: [], trial: null, text, file_text: text } as ConfigState;
    },
    writeConfig: async (next, seen, confirmWithin) => {
      if (next !== BEFORE) reach("write it");
      if (seen !== text) return { kind: "changed", version: text };
      trial = confirmWithin === undefined ? undefined : text;
      text = next;
      return { kind: "applied", applied: applied() };
    },
    rollBackConfig: async () => {
      text = trial ?? assert.fail("nothing is on trial");
      return { kind: "applied", applied: applied() };
    },
  };
  const rows = {
    versions: {
      newest: async () => undefined,
      add: async ({ version }: { version: string }) => {
        reach("keep the version");
        versions.push(version);
      },
      keepNewest: async () => {},
    },
    audit: { add: async () => reach("tell the audit log") },
  } as unknown as Rows;
  const desk: Desk = {
    read: rows,
    // All of it or nothing.
    write: async (work) => {
      const kept = versions.length;
      try {
        return await work(rows);
      } catch (error) {
        versions.length = kept;
        throw error;
      }
    },
  };
  const configuration = createConfiguration({ engine: engine as Engine, desk, clock: { now: () => 0 } });
  return { configuration, running: () => text, versions };
}

for (const step of STEPS) {
  test(`whoever is told that it failed to ${step} finds the old configuration running`, async () => {
    for (const options of [{}, { confirmWithin: 60 }]) {
      const { configuration, running, versions } = house(step);
      await assert.rejects(configuration.write("ada", AFTER, BEFORE, options), { message: `cannot ${step}` });
      assert.equal(running(), BEFORE);
      assert.deepEqual(versions, []);
    }
  });
}

test("where nothing fails the new one runs, and is kept", async () => {
  const { configuration, running, versions } = house(undefined);
  await configuration.write("ada", AFTER, BEFORE);
  assert.equal(running(), AFTER);
  assert.deepEqual(versions, [AFTER]);
});

test("no words are left out because the version that was seen comes back while its successor is read", async () => {
  const withSubnet = `${BEFORE}[[subnet]]\nnetwork = "10.0.0.0/8"\n`;
  const written: string[] = [];
  const tried = `${withSubnet}# on trial\n`;
  const shown = [tried, withSubnet];
  const engine: Partial<Engine> = {
    // The trial of another administrator ends between two looks.
    config: async () => {
      const text = shown.shift() ?? withSubnet;
      return { running: text, file: text, restart: [], trial: null, text, file_text: text } as ConfigState;
    },
    writeConfig: async (text) => {
      written.push(text);
      return { kind: "applied", applied: { version: text, restart: [], trial: null } };
    },
  };
  const rows = { versions: { list: async () => [] } } as unknown as Rows;
  const configuration = createConfiguration({
    engine: engine as Engine,
    desk: { read: rows, write: async (work) => work(rows) },
    clock: { now: () => 0 },
  });
  await assert.rejects(configuration.write("ada", BEFORE, withSubnet), { code: "config_changed" });
  assert.deepEqual(written, []);
});
