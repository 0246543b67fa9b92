import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { managerDesk } from "./manager-desk.ts";

test("the engine as a process of its own", async (t) => {
  const desk = await managerDesk(t);
  let admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const pid = async (): Promise<number> => (await admin("GET", "engine/status")).json.process.pid;

  await t.test("stopped and started through the API; what it cannot do meanwhile is told", async () => {
    const stopped = (await admin("POST", "engine/stop")).json;
    assert.deepEqual([stopped.process.state, stopped.status], ["stopped", null]);
    const away = await admin("GET", "leases");
    assert.deepEqual([away.status, away.json.code], [503, "engine_away"]);
    assert.equal((await admin("GET", "dashboard")).json.engine.process.state, "stopped");
    const started = (await admin("POST", "engine/start")).json;
    assert.equal(started.process.state, "running");
    assert.ok(await clients.join("02:00:00:00:00:01"));
  });

  await t.test("an engine without a peer says so, and takes no commands for one", async () => {
    assert.deepEqual((await admin("GET", "ha/status")).json, { pair: null });
    for (const [command, body] of [
      ["partner-down", {}],
      ["maintenance", undefined],
      ["resume", { alone: true }],
    ] as const) {
      const { status, json } = await admin("POST", `ha/${command}`, body ? { body } : {});
      assert.deepEqual([status, json.code], [404, "ha_off"], command);
    }
    assert.equal((await admin("POST", "ha/resume", { body: { along: true } })).status, 400);
  });

  await t.test("a restart keeps the leases", async () => {
    const before = await pid();
    assert.equal((await admin("POST", "engine/restart")).json.process.state, "running");
    assert.notEqual(await pid(), before);
    assert.equal((await admin("GET", "leases?state=active")).json.total, 1);
  });

  await t.test("an engine that dies is started again, and its leases survive", async () => {
    const before = await pid();
    process.kill(before, "SIGKILL");
    const seen = new Set<string>();
    await until("another one runs", async () => {
      const { process: now } = (await admin("GET", "engine/status")).json;
      seen.add(`${now.state}: ${now.problem}`);
      return now.state === "running" && now.pid !== before;
    });
    const { restarts } = (await admin("GET", "engine/status")).json.process;
    assert.equal(restarts, 1, [...seen].join("\n"));
    assert.equal((await admin("GET", "leases?state=active")).json.total, 1);
  });

  await t.test("a keeper that dies takes its engine with it: both are started again", async () => {
    const before = await pid();
    const parent = readFileSync(`/proc/${before}/stat`, "utf8").split(" ")[3];
    process.kill(Number(parent), "SIGKILL");
    await until("another engine runs", async () => {
      const answer = await admin("GET", "engine/status");
      return (
        answer.status === 200 && answer.json.process.state === "running" && answer.json.process.pid !== before
      );
    });
    assert.equal((await admin("GET", "leases?state=active")).json.total, 1);
  });

  await t.test("a manager that dies leaves the engine serving, and finds it when it is back", async () => {
    const before = await pid();
    await desk.kill();
    assert.ok(await clients.join("02:00:00:00:00:02"), "served without a manager");
    await desk.start();
    admin = await desk.signedIn();
    assert.equal(await pid(), before);
    assert.equal((await admin("GET", "leases?state=active")).json.total, 2);
  });

  await t.test("an engine that cannot start says why", async () => {
    const { text, headers } = await admin("GET", "config");
    const body = text.replace(/listen = \["127.0.0.1:\d+"\]/, 'listen = ["192.0.2.1:6767"]');
    const etag = { "if-match": String(headers.etag) };
    assert.equal((await admin("PUT", "config", { body, headers: etag })).status, 200);
    const { process: state } = (await admin("POST", "engine/restart")).json;
    assert.equal(state.state, "waiting");
    assert.match(state.problem, /192\.0\.2\.1/);
    const sick = await admin("GET", "healthz");
    assert.equal(sick.status, 503);
    assert.match(sick.json.reason, /^The engine does not run/);
    assert.doesNotMatch(sick.text, /192\.0\.2\.1/, "what the engine said is for those who are signed in");

    // The configuration can be put right although the engine that would check it does not run.
    const again = await admin("GET", "config");
    assert.equal(again.text, body);
    const seen = { "if-match": String(again.headers.etag) };
    const wrong = await admin("PUT", "config", { body: "[server]\nlissten = 1\n", headers: seen });
    assert.ok(
      wrong.json.problems.some(({ line }: { line: number }) => line === 2),
      wrong.text,
    );
    assert.equal((await admin("PUT", "config", { body: text, headers: seen })).status, 200);
    assert.equal((await admin("PUT", "config", { body: text, headers: seen })).status, 412);
    assert.equal((await admin("POST", "engine/start")).json.process.state, "running");
    const stopped = (await admin("POST", "engine/stop")).json;
    assert.equal(stopped.process.problem, null);
  });

  await t.test("an orderly end of the manager ends the engine too", async () => {
    assert.equal((await admin("GET", "engine/status")).json.process.state, "stopped");
    const { text } = await admin("GET", "healthz");
    assert.match(text, /ok/);
    assert.equal(await desk.stop(), 0);
    await until("nobody serves any more", async () => !(await clients.join("02:00:00:00:00:03", 300)));
  });
});

test("an orderly end answers what was asked before, and waits for no stream", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const { pid } = (await admin("GET", "engine/status")).json.process;
  const stream = request(`${desk.url}/api/v1/stream`, {
    ca: desk.ca,
    headers: { cookie: admin.cookie },
  }).end();
  const [events] = (await once(stream, "response")) as [IncomingMessage];
  const streamEnds = new Promise((resolve) => events.resume().on("error", resolve).on("close", resolve));
  process.kill(pid, "SIGSTOP");
  const asked = admin("POST", "rollout", { body: {} });
  const { ended } = desk.process;
  try {
    const isTold = async () => (await admin("GET", "audit")).json.items[0].action === "rollout_start";
    await until("the engine is asked", isTold);
    void desk.stop();
    await streamEnds;
  } finally {
    process.kill(pid, "SIGCONT");
  }
  assert.equal((await asked).status, 202);
  assert.equal(await ended, 0);
});
