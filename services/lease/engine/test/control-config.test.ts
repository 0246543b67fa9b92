import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ConfigState, EventPage, Status } from "@frontdesk/lease-control-api/schemas";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { MAX_STREAMS } from "../src/control/event-stream.ts";
import { LabClients, macOf } from "./lab-clients.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const CONFIG = `[lease]\ndefault_time = 3600\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.20"\n`;
let engine: LabEngine;
let token = "";
const cleanUp: Array<() => unknown> = [];

before(async () => {
  engine = await labEngine(temporaryHome({ after: (fn) => cleanUp.push(fn as () => unknown) }), CONFIG);
  await engine.start();
  token = readFileSync(join(engine.home, "lease/engine/control-token"), "utf8").trim();
});
after(async () => {
  await engine.kill("SIGTERM");
  for (const each of cleanUp.reverse()) await each();
});

async function call<T>(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const response = await fetch(engine.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined
        ? {}
        : { "content-type": path.endsWith("/confirm") ? "application/json" : "application/toml" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text ? JSON.parse(text) : undefined) as T,
    etag: response.headers.get("etag"),
  };
}
const config = async () => (await call<ConfigState>("GET", "/v1/config")).body;

/** A request with any Host, which fetch does not allow. */
const withHost = (url: string, host: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { headers: { host, authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", reject);
  });

/** What comes in on a stream, piece by piece. */
function textOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  return {
    read: async () => {
      const { value, done } = await reader.read();
      return { value: decoder.decode(value, { stream: true }), done };
    },
  };
}

test("without a token of the configuration's, one is made, for its owner's eyes only, and leasectl finds it", async () => {
  assert.match(token, /^fdcontrol_[\w-]{43}$/);
  assert.equal(statSync(join(engine.home, "lease/engine/control-token")).mode & 0o777, 0o600);
  assert.equal((await fetch(`${engine.url}/v1/status`)).status, 401);
  const { status, stdout } = spawnSync(process.execPath, [CLI, "--url", engine.url, "leases"], {
    encoding: "utf8",
    env: { ...process.env, FRONTDESK_HOME: engine.home },
  });
  assert.deepEqual([status, stdout.split(/\s/)[0]], [0, "address"]);
});

test("a page that has its name resolved to this machine is refused, by control API and metrics", async () => {
  for (const url of [`${engine.url}/v1/status`, engine.metricsUrl, `${engine.url}/healthz`]) {
    const { port } = new URL(url);
    assert.equal(await withHost(url, "evil.example"), 403, url);
    assert.equal(await withHost(url, `evil.example:${port}`), 403, url);
    assert.equal(await withHost(url, "127.0.0.1.evil.example"), 403, url);
    assert.equal(await withHost(url, `localhost:${port}`), 200, url);
    assert.equal(await withHost(url, `127.0.0.1:${port}`), 200, url);
    assert.equal(await withHost(url, `[::1]:${port}`), 200, url);
  }
});

test("the configuration that runs and the file are told apart", async () => {
  const text = readFileSync(engine.configPath, "utf8");
  writeFileSync(engine.configPath, text.replace("3600", "1800"));
  const state = await config();
  assert.equal(state.text, text);
  assert.equal(state.file_text, text.replace("3600", "1800"));
  assert.notEqual(state.running, state.file);
  writeFileSync(engine.configPath, text);
  const again = await config();
  assert.equal(again.running, again.file);
});

test("a write needs the version it was made for, and says what is wrong with it", async () => {
  const { file, file_text: text = "" } = await config();
  assert.equal((await call("PUT", "/v1/config", text ?? "")).status, 428);
  const other = await call<{ version: string }>("PUT", "/v1/config", text ?? "", {
    "if-match": '"0000000000000000"',
  });
  assert.deepEqual([other.status, other.body.version], [412, file]);
  const wrong = await call<{ problems: unknown[] }>("PUT", "/v1/config", "[server]\nlisten = 5\n", {
    "if-match": `"${file}"`,
  });
  assert.deepEqual([wrong.status, wrong.body.problems.length], [422, 1]);
  const next = text?.replace("default_time = 3600", "default_time = 1800") ?? "";
  const misspelt = "/v1/config?confirm_wihtin=600";
  assert.equal((await call("PUT", misspelt, next, { "if-match": `"${file}"` })).status, 400);
  assert.equal((await config()).file, file, "what was meant to be tried out is not written for good");
  const done = await call<{ version: string }>("PUT", "/v1/config", next, { "if-match": `"${file}"` });
  assert.deepEqual([done.status, done.etag], [200, `"${done.body.version}"`]);
  assert.equal(readFileSync(engine.configPath, "utf8"), next);
  assert.equal((await config()).running, done.body.version);
});

test("a trial is shown, confirmed, or taken back at once", async () => {
  const { file, file_text: text } = await config();
  const next = `${text}\n# tried out\n`;
  const tried = await call<{ version: string; trial: { version: string; seconds_left: number } }>(
    "PUT",
    "/v1/config?confirm_within=600",
    next,
    { "if-match": `"${file}"` },
  );
  assert.deepEqual([tried.status, tried.body.trial.version], [200, tried.body.version]);
  // Whoever reads it may have another clock.
  const left = tried.body.trial.seconds_left;
  assert.ok(Number.isInteger(left) && left > 0 && left <= 600, `${left} seconds are left`);
  assert.equal((await config()).trial?.version, tried.body.version);
  assert.equal((await call("POST", "/v1/config/confirm", '{"version":"other"}')).status, 409);
  assert.equal((await call("POST", "/v1/config/rollback?version=other")).status, 409);
  assert.equal((await config()).trial?.version, tried.body.version, "it goes on");
  assert.equal((await call("POST", `/v1/config/rollback?version=${tried.body.version}`)).status, 200);
  assert.equal((await config()).running, file);
  assert.equal((await call("POST", "/v1/config/rollback")).status, 409);
  await call("PUT", "/v1/config?confirm_within=600", next, { "if-match": `"${file}"` });
  const confirm = await call("POST", "/v1/config/confirm", JSON.stringify({ version: tried.body.version }));
  assert.equal(confirm.status, 204);
  assert.deepEqual((await config()).trial, null);
  assert.equal(readFileSync(engine.configPath, "utf8"), next);
});

test("a reload applies the log's settings, too", async () => {
  const { file, file_text: text } = await config();
  const quiet = await call<{ version: string }>(
    "PUT",
    "/v1/config",
    `${text}\n[logging]\nlevel = "error"\n`,
    {
      "if-match": `"${file}"`,
    },
  );
  const back = await call<{ version: string }>("PUT", "/v1/config", text ?? "", {
    "if-match": `"${quiet.body.version}"`,
  });
  const logs = await call<{ items: Array<{ details: { version?: string } }> }>("GET", "/v1/logs?q=applied");
  const versions = logs.body.items.map(({ details }) => details.version);
  assert.ok(versions.includes(back.body.version));
  assert.ok(!versions.includes(quiet.body.version), "at level error it was not told");
});

test("a check counts the addresses that can be given", async () => {
  const text = `[server]\nlisten = ["127.0.0.1:6767"]\n[[subnet]]\nnetwork = "10.0.0.0/24"\n[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.10"\nexclude = ["10.0.0.2 - 10.0.0.4", "10.0.0.3 - 10.0.0.5"]\n`;
  const { status, body } = await call<{ addresses: number }>("POST", "/v1/config/check", text);
  assert.deepEqual([status, body.addresses], [200, 6]);
});

test("events go forward from a number, and come as they happen", async () => {
  const clients = await LabClients.open(engine.port);
  cleanUp.push(() => clients.close());
  assert.ok(await clients.join(macOf(1)));
  const forward = await call<EventPage>("GET", "/v1/events?after=0");
  assert.deepEqual(
    forward.body.items.map(({ id, type }) => [id, type]),
    [[1, "grant"]],
  );
  const stop = new AbortController();
  const opened = (method: string) =>
    fetch(`${engine.url}/v1/events/stream?after=0`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
  for (let i = 0; i <= MAX_STREAMS; i++) assert.equal((await opened("HEAD")).status, 200, "held by none");
  const response = await opened("GET");
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const reader = textOf(response);
  let heard = "";
  const until = async (text: string) => {
    while (!heard.includes(text)) {
      const { value, done } = await reader.read();
      assert.ok(!done, heard);
      heard += value;
    }
  };
  await until("id: 1\nevent: lease\n");
  assert.ok(await clients.join(macOf(2)));
  await until("id: 2\nevent: lease\n");
  stop.abort();
});

test("the status comes every second, and names interfaces, pools, counters and versions", async () => {
  const stop = new AbortController();
  const response = await fetch(`${engine.url}/v1/status/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  const reader = textOf(response);
  let heard = "";
  while ((heard.match(/^event: status$/gm) ?? []).length < 2) heard += (await reader.read()).value;
  stop.abort();
  const data = /^data: (.*)$/m.exec(heard)?.[1] ?? "";
  const status = JSON.parse(data) as Status;
  assert.equal(status.healthy, true);
  assert.equal(status.pools[0]?.size, 20);
  assert.equal(status.config.running, status.config.file);
  assert.equal(status.counters.drop_no_free_address, 0);
  assert.deepEqual(status.crowded_ports, []);
});

test("the document describes every reply", async () => {
  const { body } = await call<{
    paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
  }>("GET", "/openapi.json");
  for (const [path, methods] of Object.entries(body.paths)) {
    if (path.endsWith("/stream")) continue;
    for (const [method, { responses }] of Object.entries(methods)) {
      const described = Object.entries(responses).some(
        ([status, { content }]) => status === "204" || content,
      );
      assert.ok(described, `${method} ${path}`);
    }
  }
});
