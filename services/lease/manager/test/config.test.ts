import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { managerDesk, PASSWORD } from "./manager-desk.ts";

test("the configuration through the manager", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const file = () => readFileSync(desk.configPath, "utf8");
  const current = async () => {
    const { text, headers } = await admin("GET", "config");
    return { text, headers: { "if-match": String(headers.etag) } };
  };

  await t.test("it is the file, with its version as ETag", async () => {
    const answer = await admin("GET", "config");
    assert.equal(answer.headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(answer.text, file());
    assert.equal((await admin("GET", "config/full")).json.text, file());
  });

  await t.test("a structured save that changes nothing is byte-identical", async () => {
    const before = file();
    const { config, version } = (await admin("GET", "config/full")).json;
    const headers = { "if-match": `"${version}"` };
    const answer = await admin("PUT", "config/full", { body: { config }, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(file(), before);
  });

  await t.test("a structured edit changes its line and no other", async () => {
    const before = file();
    const { config, version } = (await admin("GET", "config/full")).json;
    config.subnet[0].options.routers = ["10.77.0.2"];
    const headers = { "if-match": `"${version}"` };
    assert.equal((await admin("PUT", "config/full", { body: { config }, headers })).status, 200);
    assert.equal(file(), before.replace('routers = ["10.77.0.1"]', 'routers = ["10.77.0.2"]'));
  });

  await t.test("a mistake in values is told by the value, without line and column", async () => {
    const { config, version } = (await admin("GET", "config/full")).json;
    const wrong = {
      ...config,
      lease: { ...config.lease, default_time: "an hour" },
      subnet: [{ ...config.subnet[0], options: { routers: ["10.77.0.1", "nowhere"] } }],
    };
    const headers = { "if-match": `"${version}"` };
    const { status, json } = await admin("PUT", "config/full", { body: { config: wrong }, headers });
    assert.deepEqual([status, json.code], [422, "bad_config"]);
    assert.deepEqual(
      json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ["#/config/subnet/0/options/routers", "#/config/lease/default_time"],
    );
    assert.match(json.detail, /^routers must be .* default_time must be a whole number from \d+ to \d+\.$/);
  });

  await t.test("a mistake is told by line and column, and changes nothing", async () => {
    const before = file();
    const { text, headers } = await current();
    const body = text.replace("10.77.1.1 - 10.77.1.250", "10.77.1.1 - 10.99.1.250");
    const answer = await admin("PUT", "config", { body, headers });
    assert.equal(answer.status, 422);
    const [problem] = answer.json.problems;
    const line = body.split("\n").findIndex((each) => each.includes("10.99")) + 1;
    assert.equal(problem.line, line, problem.message);
    assert.match(answer.json.detail, new RegExp(`^Line ${line}, column \\d+: `));
    assert.equal(file(), before);
    assert.equal((await admin("POST", "config/check", { body })).json.ok, false);
    assert.equal((await admin("POST", "config/check", { body: text })).json.addresses, 250);
  });

  await t.test("JSON where a text is wanted is refused as such", async () => {
    const { headers } = await current();
    const texts = ["config", "config/check", "config/replay", "reservations/preview", "reservations/import"];
    for (const path of texts)
      for (const body of [{ text: "" }, ["subnet"]]) {
        const answer = await admin(path === "config" ? "PUT" : "POST", path, { body, headers });
        assert.deepEqual([answer.status, answer.json.code], [415, "unsupported_media_type"], path);
      }
  });

  await t.test("what TOML cannot say is refused, and changes nothing", async () => {
    const before = file();
    const { config, version } = (await admin("GET", "config/full")).json;
    const headers = { "if-match": `"${version}"` };
    for (const nothing of [null, [null], { a: null }]) {
      const body = { config: { ...config, lease: nothing } };
      assert.equal((await admin("PUT", "config/full", { body, headers })).json.code, "bad_value");
    }
    const body = { ip: "10.77.0.70", mac: "02:00:00:00:00:70", options: null };
    assert.equal((await admin("POST", "reservations", { body })).json.code, "bad_value");
    assert.equal(file(), before);
  });

  await t.test("what writing would change, as values, as text and as an earlier version", async () => {
    const before = file();
    const { config, version } = (await admin("GET", "config/full")).json;
    const wanted = { ...config, lease: { default_time: 900 } };
    const asValues = (await admin("POST", "config/diff", { body: { config: wanted } })).json;
    assert.deepEqual([asValues.version, asValues.before], [version, before]);
    assert.match(asValues.diff, /^@@ [^\n]+ @@\n[\s\S]*\+default_time = 900\n/);
    assert.doesNotMatch(asValues.diff, /^-/m);
    const asText = (await admin("POST", "config/diff", { body: { text: asValues.after } })).json;
    assert.equal(asText.diff, asValues.diff);
    const { items } = (await admin("GET", "config/history")).json;
    const asVersion = await admin("POST", "config/diff", { body: { id: items.at(-1).id } });
    assert.match(asVersion.json.diff, /^-.*10\.77\.0\.2/m);
    assert.equal((await admin("POST", "config/diff", { body: { id: 999_999 } })).status, 404);
    assert.equal((await admin("POST", "config/diff", { body: {} })).status, 400);
    const empty = { ...config, lease: null };
    assert.equal((await admin("POST", "config/diff", { body: { config: empty } })).json.code, "bad_value");
    assert.equal(file(), before);
  });

  await t.test(
    "before it is saved: whom a change moves, refuses or leaves as they are, by name",
    async () => {
      const before = file();
      const clients = await LabClients.open(desk.dhcp);
      t.after(() => clients.close());
      for (const mac of ["02:00:00:00:00:50", "02:00:00:00:00:0a"]) assert.ok(await clients.join(mac));
      const same = (await admin("POST", "config/replay", { body: before })).json;
      assert.deepEqual([same.clients, same.unchanged, same.items], [2, 2, []]);
      const body = before.replace('ip = "10.77.0.50"', 'ip = "10.77.0.55"');
      const { unchanged, moved, items } = (await admin("POST", "config/replay", { body })).json;
      assert.deepEqual([unchanged, moved], [1, 1]);
      assert.deepEqual(
        [items[0].mac, items[0].before, items[0].after],
        ["02:00:00:00:00:50", "10.77.0.50", "10.77.0.55"],
      );
      const wrong = await admin("POST", "config/replay", { body: "[server]\nlissten = 1\n" });
      assert.equal(wrong.status, 422);
      assert.ok(wrong.json.problems.some(({ line }: { line: number }) => line === 2));
      assert.equal(file(), before);
    },
  );

  await t.test("two administrators at once: the second sees what the first did", async () => {
    const { text, headers } = await current();
    const first = await admin("PUT", "config", { body: `${text}# first\n`, headers });
    assert.equal(first.status, 200);
    const second = await admin("PUT", "config", { body: `${text}# second\n`, headers });
    assert.equal(second.status, 412);
    assert.equal(second.json.current, `${text}# first\n`);
    assert.equal(second.json.seen, text);
    assert.equal((await admin("PUT", "config", { body: text })).status, 428, "without If-Match");
  });

  await t.test("every version that ran is kept, and can be brought back", async () => {
    const { items } = (await admin("GET", "config/history")).json;
    assert.equal(items[0].actor, "admin");
    const older = (await admin("GET", `config/history/${items[1].id}`)).json;
    const { headers } = await current();
    assert.equal((await admin("POST", "config/rollback", { body: { id: older.id }, headers })).status, 200);
    assert.equal(file(), older.text);
    const gone = await admin("POST", "config/rollback", { body: { id: 999_999 }, headers });
    assert.equal(gone.status, 404);
  });

  await t.test("leaving no subnet takes typed words, by whatever way it is written", async () => {
    const before = file();
    const { text, headers } = await current();
    const body = text.slice(0, text.indexOf("[[subnet]]"));
    const asked = await admin("PUT", "config", { body, headers });
    assert.deepEqual([asked.status, asked.json.code], [409, "confirmation_needed"]);
    assert.deepEqual(asked.json.errors, [{ pointer: "#/confirmation", detail: "leave no subnet" }]);
    const { config, version } = (await admin("GET", "config/full")).json;
    const { subnet: _, ...rest } = config;
    const full = { body: { config: rest }, headers: { "if-match": `"${version}"` } };
    assert.equal((await admin("PUT", "config/full", full)).json.code, "confirmation_needed");
    assert.equal((await admin("PUT", "config/full?confirmation=yes", full)).json.code, "confirmation_needed");
    assert.equal(file(), before);
    const typed = await admin("PUT", "config?confirmation=leave+no+subnet", { body, headers });
    assert.equal(typed.status, 200, typed.text);
    assert.equal(file(), body);
    const back = await current();
    assert.equal((await admin("PUT", "config", { body: text, headers: back.headers })).status, 200);
  });

  await t.test("a change past the manager is kept as a version too", async () => {
    const { text, headers } = await current();
    const control = /control_listen = "(.+)"/.exec(text)?.[1];
    const token = readFileSync(`${desk.home}/lease/engine/control-token`, "utf8").trim();
    const put = await fetch(`http://${control}/v1/config`, {
      method: "PUT",
      headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/toml" },
      body: `${text}# by hand\n`,
    });
    assert.equal(put.status, 200);
    await until("the manager has seen it", async () => {
      const { items } = (await admin("GET", "config/history")).json;
      return items[0].actor === "the file";
    });
  });

  await t.test("what is meant to be tried out is not written for good by a slip of the pen", async () => {
    const { text, headers } = await current();
    const slip = await admin("PUT", "config?confirm-within=60", { body: `${text}# tried\n`, headers });
    assert.deepEqual([slip.status, slip.json.errors[0].pointer], [400, "#/confirm-within"]);
    assert.equal(file(), text);
  });

  await t.test(
    "what is tried out and not confirmed is taken back, also when the manager is killed",
    async () => {
      const { text, headers } = await current();
      const body = `${text}# on trial\n`;
      const answer = await admin("PUT", "config?confirm_within=5", { body, headers });
      assert.equal(answer.json.trial.version, answer.json.version);
      assert.equal(file(), body);
      await desk.kill();
      await until("the engine has taken it back", () => file() === text);
      await desk.start();
    },
  );

  await t.test("what is tried out and confirmed stays", async () => {
    const again = await desk.signedIn();
    const { text, headers } = await current();
    const body = `${text}# kept\n`;
    const { version } = (await again("PUT", "config?confirm_within=60", { body, headers })).json;
    const reserved = { ip: "10.77.0.70", mac: "02:00:00:00:00:70" };
    const meanwhile = await again("POST", "reservations", { body: reserved });
    assert.deepEqual([meanwhile.status, meanwhile.json.code], [409, "config_trial_open"]);
    // Of a trial that was seen, and is somebody else's by now.
    const others = await again("POST", "config/take-back?version=0000000000000000");
    assert.deepEqual([others.status, others.json.code], [409, "no_trial"]);
    assert.equal((await again("GET", "config/full")).json.trial.version, version, "the trial goes on");
    assert.equal((await again("POST", "config/confirm", { body: { version } })).status, 204);
    assert.equal((await again("GET", "config/full")).json.trial, null);
    const undone = await again("POST", "config/take-back");
    assert.equal(undone.status, 409, "nothing is on trial any more");
  });

  await t.test(
    "a mistake that was made in the file is told by its line, whoever asks for its parts",
    async () => {
      const before = file();
      const again = await desk.signedIn();
      writeFileSync(desk.configPath, `${before}[lease`);
      const line = before.split("\n").length;
      const reserved = { ip: "10.77.0.70", mac: "02:00:00:00:00:70" };
      const answers = [
        await again("GET", "reservations"),
        await again("POST", "reservations", { body: reserved }),
      ];
      for (const { status, json } of answers) {
        assert.deepEqual([status, json.code], [422, "bad_config"]);
        assert.match(json.detail, new RegExp(`^Line ${line}, column \\d+: `));
      }
      writeFileSync(desk.configPath, before);
    },
  );

  await t.test("a reservation whose identifier is no text is shown as it is", async () => {
    const before = file();
    const again = await desk.signedIn();
    for (const [value, text] of [
      ["5", "5"],
      ["{ a = 1 }", '{"a":1}'],
      ["[]", "[]"],
      ["[5, 6]", ["5", "6"]],
    ]) {
      writeFileSync(desk.configPath, before.replace('mac = "02:00:00:00:00:50"', `mac = ${value}`));
      const { status, json } = await again("GET", "reservations");
      assert.deepEqual([status, json.items?.[0].mac], [200, text]);
    }
    writeFileSync(desk.configPath, before);
  });

  await t.test("a file that is no TOML, or not UTF-8, is read as text, and written over", async () => {
    const before = file();
    const again = await desk.signedIn();
    const user = { username: "otto", password: "otto's own password", role: "operator" };
    assert.equal((await again("POST", "users", { body: user })).status, 201);
    const otto = await desk.signedIn("otto", user.password);
    const line = before.split("\n").length;
    const [{ id }] = (await again("GET", "config/history")).json.items;
    const latin1 = Buffer.concat([Buffer.from(`${before}# caf`), Buffer.from([0xe9])]);
    const wayBack = [
      (headers: Record<string, string>) => again("PUT", "config", { body: before, headers }),
      (headers: Record<string, string>) => again("POST", "config/rollback", { body: { id }, headers }),
    ];
    for (const broken of [Buffer.from(`${before}[lease`), latin1]) {
      for (const bringBack of wayBack) {
        writeFileSync(desk.configPath, broken);
        const { status, json } = await again("GET", "config/full");
        assert.deepEqual([status, json.text, json.config], [200, broken.toString("utf8"), undefined]);
        assert.deepEqual([json.problems[0].line, json.problems.length], [line, 1]);
        const refused = await otto("GET", "config/full");
        assert.deepEqual([refused.status, refused.json.text], [422, undefined], "the text has the secrets");
        const written = await bringBack({ "if-match": `"${json.version}"` });
        assert.equal(written.status, 200, written.text);
        assert.equal(file(), before);
      }
    }
    writeFileSync(desk.configPath, `${before}[lease`);
    const { version } = (await again("GET", "config/full")).json;
    const body = before.slice(0, before.indexOf("[[subnet]]"));
    const asked = await again("PUT", "config", { body, headers: { "if-match": `"${version}"` } });
    assert.equal(asked.json.errors[0].detail, "leave no subnet", "by what ran last");
    writeFileSync(desk.configPath, before);
  });

  await t.test("secrets are for administrators", async () => {
    const { text, headers } = await current();
    const body = text.replace("[server]", '[server]\ncontrol_token = "a-secret-of-the-house-itself"');
    assert.equal((await admin("PUT", "config", { body, headers })).status, 200);
    await admin("POST", "users", {
      body: { username: "vera", password: "vera's own password", role: "viewer" },
    });
    const vera = await desk.signedIn("vera", "vera's own password");
    const full = await vera("GET", "config/full");
    assert.equal(full.status, 200);
    assert.doesNotMatch(full.text, /a-secret-of-the-house-itself/);
    assert.equal(full.json.text, undefined);
    assert.equal((await vera("GET", "config")).status, 403);

    // Written over the file, a reading without the secrets would delete them, also when its reader is an administrator by then.
    assert.equal((await admin("PATCH", "users/vera", { body: { role: "admin" } })).status, 200);
    const before = file();
    for (const seen of [String(full.headers.etag), `"${full.json.version}"`]) {
      const write = { body: { config: full.json.config }, headers: { "if-match": seen } };
      const refused = await vera("PUT", "config/full", write);
      assert.deepEqual([refused.status, refused.json.code], [412, "config_changed"]);
    }
    assert.equal(file(), before);
  });
});

test("a trial goes on while the engine is stopped: no operator ends it, and what is written for good stays", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const body = { username: "oscar", password: PASSWORD, role: "operator" };
  assert.equal((await admin("POST", "users", { body })).status, 201);
  const oscar = await desk.signedIn("oscar");
  const reserve = () =>
    oscar("POST", "reservations", { body: { ip: "10.77.0.60", mac: "02:00:00:00:00:60" } });
  const trial = async () => (await admin("GET", "config/full")).json.trial;
  const put = async (text: string, query = "") => {
    const { etag } = (await admin("GET", "config")).headers;
    return admin("PUT", `config${query}`, { body: text, headers: { "if-match": String(etag) } });
  };
  const { text } = await admin("GET", "config");
  const tried = text.replace("10.77.1.250", "10.77.1.99");
  assert.equal((await put(tried, "?confirm_within=3600")).status, 200);
  const { version } = await trial();
  await admin("POST", "engine/stop");
  assert.equal((await trial()).version, version);
  assert.equal((await reserve()).json.code, "config_trial_open");

  const kept = await put(tried);
  assert.deepEqual([kept.status, kept.json.trial], [200, null]);
  await admin("POST", "engine/start");
  assert.equal(await trial(), null, "it was written for good");
  assert.equal((await reserve()).status, 201);
});
