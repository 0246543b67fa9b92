import assert from "node:assert/strict";
import { test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { ConfigApplied, ConfigState } from "@frontdesk/lease-control-api/schemas";
import { createAudited } from "../src/domain/audited.ts";
import { versionOf } from "../src/domain/config-version.ts";
import { type Configuration, createConfiguration } from "../src/domain/configuration.ts";
import type { ConfigAnswer, Engine } from "../src/domain/engine.ts";
import type { AuditEntry, ConfigVersion, Desk, Rows } from "../src/domain/rows.ts";

const BEFORE = '[server]\nlisten = ["127.0.0.1:6767"]\n';
const AFTER = `${BEFORE}# changed\n`;
const ADA = { actor: "ada", isLocal: true } as const;
const BOB = { actor: "bob", isLocal: true } as const;
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
  const applied = (): ConfigApplied => ({
    version: text,
    restart: [],
    trial: trial === undefined ? null : { version: text, ends_at: "", seconds_left: 60 },
  });
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
      list: async () => [],
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
  const clock = { now: () => 0 };
  const { audited } = createAudited(desk, clock);
  const configuration = createConfiguration({ engine: engine as Engine, desk, clock, audited });
  return { configuration, running: () => text, versions, engine };
}

for (const step of STEPS) {
  test(`whoever is told that it failed to ${step} finds the old configuration running`, async () => {
    for (const options of [{}, { confirmWithin: 60 }]) {
      const { configuration, running, versions } = house(step);
      await assert.rejects(configuration.write(ADA, AFTER, BEFORE, options), { message: `cannot ${step}` });
      assert.equal(running(), BEFORE);
      assert.deepEqual(versions, []);
    }
  });
}

const NOT_UNDONE: Readonly<Record<string, () => Promise<ConfigAnswer>>> = {
  "somebody else was faster": async () => ({ kind: "changed", version: "" }),
  "it is refused": async () => ({ kind: "wrong", problems: [] }),
  "the engine is away": () => Promise.reject(new Error("away")),
};
for (const [how, answer] of Object.entries(NOT_UNDONE)) {
  test(`where a change that could not be kept cannot be taken back either, that is told: ${how}`, async () => {
    for (const options of [{}, { confirmWithin: 60 }]) {
      const { configuration, running, engine } = house("keep the version");
      const write = engine.writeConfig ?? assert.fail();
      engine.writeConfig = (text, seen, seconds) => (text === BEFORE ? answer() : write(text, seen, seconds));
      engine.rollBackConfig = answer;
      await assert.rejects(configuration.write(ADA, AFTER, BEFORE, options), (error: Error) => {
        assert.equal((error as { code?: string }).code, "config_not_undone");
        assert.match(String(error.cause), /cannot keep the version/, "for the log");
        return true;
      });
      assert.equal(running(), AFTER);
    }
  });
}

test("a change that could not be kept and ended a trial does not make the trial the configuration for good", async () => {
  const { configuration, running, engine } = house("keep the version");
  const read = engine.config ?? assert.fail();
  const trial = { version: BEFORE, ends_at: "", seconds_left: 60 };
  engine.config = async () => ({ ...(await read()), trial });
  await assert.rejects(configuration.write(ADA, AFTER, BEFORE), { code: "config_not_undone" });
  assert.equal(running(), AFTER);
});

test("where no engine runs, a change that was to be tried out and cannot be kept is written back", async () => {
  const { configuration, running, engine } = house("keep the version");
  const write = engine.writeConfig ?? assert.fail();
  engine.writeConfig = (text, seen) => write(text, seen);
  engine.rollBackConfig = () => Promise.reject(new DomainError("no_trial"));
  await assert.rejects(configuration.write(ADA, AFTER, BEFORE, { confirmWithin: 60 }), {
    message: "cannot keep the version",
  });
  assert.equal(running(), BEFORE);
});

/** An engine and a database in memory, for the managers that are started there one after the other. */
function history() {
  let text = BEFORE;
  let before = BEFORE;
  let edited: string | undefined;
  let now = 0;
  const versions: ConfigVersion[] = [];
  const entries: AuditEntry[] = [];
  const rows = {
    versions: {
      newest: async () => versions.at(-1),
      add: async (version: Omit<ConfigVersion, "id">) =>
        void versions.push({ id: versions.length, ...version }),
      keepNewest: async () => {},
    },
    audit: {
      add: async (entry: Omit<AuditEntry, "id">) => void entries.push({ id: entries.length, ...entry }),
      newestWith: async (details: string) => entries.findLast((each) => each.details === details),
    },
  } as unknown as Rows;
  const authors = () => versions.map(({ text: each, actor }) => `${actor}: ${each.split("\n").at(-2)}`);
  const manager = (onApplied: (configuration: Configuration) => Promise<unknown>) => {
    const change = async (next: string) => {
      before = text;
      text = next;
      await onApplied(configuration);
      const applied = { version: versionOf(text), restart: [], trial: null };
      return { kind: "applied", applied } as const;
    };
    const engine: Partial<Engine> = {
      config: async () => {
        const [running, file] = [versionOf(text), versionOf(edited ?? text)];
        const state = { running, file, restart: [], trial: null, text, file_text: edited ?? text };
        return state as ConfigState;
      },
      writeConfig: change,
      rollBackConfig: () => change(before),
    };
    const clock = { now: () => ++now };
    const desk: Desk = { read: rows, write: async (work) => work(rows) };
    const { audited } = createAudited(desk, clock);
    const configuration = createConfiguration({ engine: engine as Engine, desk, clock, audited });
    return configuration;
  };
  return {
    manager,
    authors,
    byHand: (next: string) => {
      text = next;
    },
    /** In the file alone: nobody has taken it up. */
    edit: (next: string) => {
      edited = next;
    },
  };
}

test("a version has the administrator as its author, also where its running is noticed before it is kept", async () => {
  const { manager, authors } = history();
  const configuration = manager(async (own) => {
    void own.notice((await own.read()).version);
    // All that is noticed in memory has been by then.
    await new Promise(setImmediate);
  });
  await configuration.write(ADA, AFTER, versionOf(BEFORE));
  await configuration.takeBack(BOB);
  assert.deepEqual(authors(), ["ada: # changed", 'bob: listen = ["127.0.0.1:6767"]']);
});

test("what is kept of a trial that was taken back is what runs, not an edit of the file that nobody has taken up", async () => {
  const { manager, authors, edit } = history();
  const configuration = manager(async () => {});
  await configuration.write(ADA, AFTER, versionOf(BEFORE));
  edit(`${BEFORE}# by hand\n`);
  await configuration.takeBack(BOB);
  assert.deepEqual(authors(), ["ada: # changed", 'bob: listen = ["127.0.0.1:6767"]']);
});

test("the author of a version is the administrator also where the manager was killed before it was kept", async () => {
  const { manager, authors, byHand } = history();
  void manager(() => new Promise(() => {})).write(ADA, AFTER, versionOf(BEFORE));
  await new Promise(setImmediate);
  const next = manager(async () => {});
  await next.notice(versionOf(AFTER));
  await next.write(BOB, BEFORE, versionOf(AFTER));
  byHand(AFTER);
  await next.notice(versionOf(AFTER));
  assert.deepEqual(authors(), ["ada: # changed", 'bob: listen = ["127.0.0.1:6767"]', "the file: # changed"]);
});

test("where nothing fails the new one runs, and is kept", async () => {
  const { configuration, running, versions } = house(undefined);
  await configuration.write(ADA, AFTER, BEFORE);
  assert.equal(running(), AFTER);
  assert.deepEqual(versions, [AFTER]);
});

test("edits at the same time are all made, also where the file is written past the manager meanwhile", async () => {
  const { configuration, running, engine } = house(undefined);
  const write = engine.writeConfig ?? assert.fail();
  engine.writeConfig = async (next, seen) => {
    engine.writeConfig = write;
    await write(`${running()}# by hand\n`, running());
    return write(next, seen);
  };
  const names = Array.from({ length: 8 }, (_, n) => `edit_${n}`);
  await Promise.all(
    names.map((name) => configuration.edit(ADA, {}, (document) => ({ ...document, [name]: 1 }))),
  );
  for (const name of [...names, "# by hand"]) assert.ok(running().includes(name), name);
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
    audited: () => assert.fail("nothing is done"),
  });
  await assert.rejects(configuration.write(ADA, BEFORE, withSubnet), { code: "config_changed" });
  assert.deepEqual(written, []);
});

test("edits while the engine does not answer are told so together, not one after the other", async () => {
  const away = Promise.withResolvers<ConfigState>();
  let asked = 0;
  const engine: Partial<Engine> = {
    config: () => {
      asked++;
      return away.promise;
    },
  };
  const rows = {} as Rows;
  const configuration = createConfiguration({
    engine: engine as Engine,
    desk: { read: rows, write: async (work) => work(rows) },
    clock: { now: () => 0 },
    audited: () => assert.fail("nothing is done"),
  });
  const edits = [1, 2, 3].map(() => configuration.edit(ADA, {}, (document) => document));
  assert.equal(asked, 3);
  away.reject(new Error("no answer"));
  for (const edit of edits) await assert.rejects(edit, { message: "no answer" });
});
