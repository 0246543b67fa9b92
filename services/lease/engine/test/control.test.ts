import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { formatIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { GAUGES } from "../src/control/metrics.ts";
import { METRICS } from "../src/metric-table.ts";
import { LabClients } from "./lab-clients.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const CONFIG = `
[lease]
default_time = 3600
[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.20"
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "02:00:00:00:00:50"
`;
const TOKEN = "a-token-for-the-test";
const MAC = "02:00:00:00:00:50";

let engine: LabEngine;
let clients: LabClients;
const cleanUp: Array<() => unknown> = [];

before(async () => {
  engine = await labEngine(
    temporaryHome({ after: (fn) => cleanUp.push(fn as () => unknown) }),
    CONFIG,
    `control_token = "${TOKEN}"`,
  );
  await engine.start();
  clients = await LabClients.open(engine.port);
  assert.ok(await clients.join(MAC));
  assert.ok(await clients.join("02:00:00:00:00:51"));
});
after(async () => {
  clients.close();
  await engine.kill("SIGTERM");
  for (const each of cleanUp.reverse()) await each();
});

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(engine.url + path, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text && response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text,
  };
};
const leasectl = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [CLI, "--url", engine.url, "--token", TOKEN, ...words],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
};

test("health needs no token; everything else does", async () => {
  assert.equal((await fetch(`${engine.url}/healthz`)).status, 200);
  for (const authorization of ["", "Bearer wrong", `Basic ${TOKEN}`]) {
    const response = await fetch(`${engine.url}/v1/leases`, { headers: { authorization } });
    assert.deepEqual([response.status, await response.json()], [401, { error: "unauthorized" }]);
  }
});

test("a page in a browser cannot use the control API", async () => {
  const { status, body } = await call("/v1/leases", { headers: { origin: "http://evil.example" } });
  assert.deepEqual([status, body], [403, { error: "cross_origin" }]);
});

test("leases are shown with all their fields", async () => {
  const { body } = await call("/v1/leases?q=10.77.0.50");
  assert.equal(body.total, 1);
  const [lease] = body.items;
  assert.deepEqual(
    { ...lease, starts_at: "", expires_at: "", last_seen_at: "", renews_at: "", version: "" },
    {
      ip: "10.77.0.50",
      mac: MAC,
      client_id: null,
      duid: null,
      iaid: null,
      hostname: null,
      fqdn: null,
      vendor: null,
      state: "active",
      subnet: "10.77.0.0/16",
      starts_at: "",
      expires_at: "",
      last_seen_at: "",
      renews_at: "",
      reserved: true,
      class: null,
      interface: "lab",
      relay: null,
      circuit_id: null,
      remote_id: null,
      renewals: 0,
      ddns: null,
      note: null,
      dns_name: null,
      version: "",
    },
  );
  assert.equal(Date.parse(lease.expires_at) - Date.parse(lease.starts_at), 3_600_000);
});

test("a note and a DNS name stay with the device, and are found", async () => {
  const patch = (body: object, ip = "10.77.0.50") =>
    call(`/v1/leases/${ip}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const said = await patch({ note: "Tür im 2. Stock", dns_name: "door.example.org" });
  assert.deepEqual(
    [said.status, said.body.note, said.body.dns_name],
    [200, "Tür im 2. Stock", "door.example.org"],
  );
  assert.equal(
    (await patch({ note: "front door" })).body.dns_name,
    "door.example.org",
    "the other one stays",
  );
  for (const q of ["FRONT", "door.example"]) {
    const { body } = await call(`/v1/leases?q=${q}`);
    assert.deepEqual([body.total, body.items[0].ip], [1, "10.77.0.50"]);
  }
  const wrong = [
    { note: "a\u0007" },
    { note: "" },
    { note: "a\u202eb" },
    { note: "a\u2066" },
    { note: "\u2028" },
    { note: "a\ud800b" },
    { name: "x" },
    { dns_name: "-a" },
    { dns_name: "a..b" },
  ];
  for (const body of [...wrong, { dns_name: "a b" }, { dns_name: "a".repeat(64) }]) {
    assert.equal((await patch(body)).status, 400, JSON.stringify(body));
  }
  assert.deepEqual(await patch({}, "10.77.9.9"), { status: 404, body: { error: "no_lease" } });
  const { body } = await patch({ note: null, dns_name: null });
  assert.deepEqual([body.note, body.dns_name], [null, null]);
});

test("an explanation is asked for with no more than a packet could hold", async () => {
  const explain = (body: object) =>
    call("/v1/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ mac: MAC, ...body }),
    });
  assert.equal((await explain({ options: { vendor_class: "x".repeat(1000) } })).status, 200);
  const tooLong = { status: 400, body: { error: "bad_option" } };
  assert.deepEqual(await explain({ options: { vendor_class: "x".repeat(2000) } }), tooLong);
  const two = { vendor_class: "x".repeat(1000), host_name: "y".repeat(1000) };
  assert.deepEqual(await explain({ options: two }), tooLong, "together");
  assert.equal((await explain({ options: { vendor_class: "x".repeat(70_000) } })).status, 413);
  assert.equal((await explain({ client_id: "01".repeat(400) })).status, 400);
});

test("a note is not written over what somebody else has said since", async () => {
  const said = (body: object, seen?: string) =>
    call("/v1/leases/10.77.0.50", {
      method: "PATCH",
      headers: { "content-type": "application/json", ...(seen ? { "if-match": `"${seen}"` } : {}) },
      body: JSON.stringify(body),
    });
  const { version: first } = (await call("/v1/leases/10.77.0.50")).body;
  // Both have seen the same, and write at once: one of them is first.
  const both = await Promise.all([said({ note: "one" }, first), said({ note: "two" }, first)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  const { version: second, note } = both.find(({ status }) => status === 200)?.body ?? {};
  assert.deepEqual((await said({ dns_name: "door" }, first)).body, { error: "lease_changed" });
  const third = (await said({ dns_name: "door" }, second)).body;
  assert.deepEqual([third.note, third.dns_name], [note, "door"]);
  const unseen = (await said({ note: null, dns_name: null })).body;
  assert.deepEqual([unseen.note, unseen.version], [null, first], "the same is said as at first");
});

test("a note on a lease without a hardware address is refused with the reason", async () => {
  const its: Array<[number, Uint8Array]> = [[CODE.clientIdentifier, Uint8Array.of(0, 7, 7, 7)]];
  const offer = await clients.ask(TYPE.discover, "", its);
  const took: Array<[number, Uint8Array]> = [
    ...its,
    [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
    [CODE.serverIdentifier, u32Bytes(0x7f000001)],
  ];
  assert.equal((await clients.ask(TYPE.request, "", took))?.type, TYPE.ack);
  const path = `/v1/leases/${formatIpv4(offer?.ip ?? 0)}`;
  assert.equal((await call(path)).status, 200);
  const headers = { "content-type": "application/json" };
  const noted = await call(path, { method: "PATCH", headers, body: JSON.stringify({ note: "x" }) });
  assert.deepEqual(noted, { status: 409, body: { error: "no_hardware_address" } });
  assert.equal((await call(path, { method: "DELETE" })).status, 204);
});

test("many leases are released by one call; those that are gone, or another device's by now, are not counted", async () => {
  const held: string[] = [];
  for (const mac of ["02:00:00:00:00:61", "02:00:00:00:00:62"]) {
    assert.ok(await clients.join(mac));
    held.push((await call(`/v1/leases?state=active&q=${mac}`)).body.items[0].ip);
  }
  const release = (addresses: string[], versions?: Record<string, string>) =>
    call("/v1/leases/release", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ addresses, versions }),
    });
  assert.deepEqual(await release(["10.77.0.999"]), { status: 400, body: { error: "bad_address" } });
  const [first = "", second = ""] = held;
  const { version } = (await call(`/v1/leases/${first}`)).body;
  // Of the second, somebody has seen another device's lease.
  assert.deepEqual((await release(held, { [first]: version, [second]: version })).body, { released: 1 });
  assert.equal((await call(`/v1/leases/${second}`)).body.state, "active");
  assert.deepEqual((await release([...held, "10.77.9.9"])).body, { released: 1 });
  for (const ip of held) assert.equal((await call(`/v1/leases/${ip}`)).body.state, "released");
  assert.equal((await release(Array(1001).fill("10.77.9.9"))).status, 400);
});

test("bad input gets an error and changes nothing", async () => {
  assert.deepEqual(await call("/v1/leases/10.77.0.999"), { status: 400, body: { error: "bad_address" } });
  assert.deepEqual(await call("/v1/leases/10.77.9.9", { method: "DELETE" }), {
    status: 404,
    body: { error: "no_lease" },
  });
  assert.deepEqual(await call("/v1/events?mac=zz"), { status: 400, body: { error: "bad_mac" } });
  assert.deepEqual(await call("/v1/events?type=nonsense"), {
    status: 400,
    body: { error: "invalid_request" },
  });
  assert.deepEqual(await call("/v1/leases?limit=0"), { status: 400, body: { error: "invalid_request" } });
  assert.equal((await call("/v1/leases/10.77.0.50/force-renew", { method: "POST" })).body.error, "no_nonce");
  assert.equal((await call("/v1/leases?state=active")).body.total, 2);
});

test("events and the holder of an address at a time", async () => {
  const { body } = await call(`/v1/events?mac=${MAC}`);
  assert.deepEqual(
    body.items.map((event: { type: string; ip: string }) => [event.type, event.ip]),
    [["grant", "10.77.0.50"]],
  );
  const holder = (at: string) => call(`/v1/holder?ip=10.77.0.50&at=${at}`);
  assert.equal((await holder(String(Date.now()))).body.holder.mac, MAC);
  assert.equal((await holder("2001-01-01T00:00:00Z")).body.holder, null);
});

test("explain tells what a client would get", async () => {
  const explain = (body: object) =>
    call("/v1/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { body } = await explain({ mac: MAC, options: { host_name: "x" } });
  assert.equal(body.reply.ip, "10.77.0.50");
  assert.equal((await explain({ mac: "nonsense" })).body.error, "bad_mac");
  assert.equal((await explain({ mac: MAC, options: { nonsense: 1 } })).body.error, "bad_option");
  assert.equal((await explain({ mac: MAC, giaddr: "192.168.0.1" })).body.reply, null);
});

test("a configuration is checked without being applied", async () => {
  const check = (body: string | Uint8Array<ArrayBuffer>) =>
    call("/v1/config/check", { method: "POST", headers: { "content-type": "application/toml" }, body });
  assert.equal((await check(readFileSync(engine.configPath, "utf8"))).status, 200);
  const { status, body } = await check("[server]\nlisten = 5\n");
  assert.deepEqual([status, body.problems[0].line, body.problems[0].column], [422, 2, 10]);
  const latin1 = await check(Buffer.from("[server]\n# B\xfcro\n", "latin1"));
  assert.deepEqual(
    [latin1.status, latin1.body.problems[0].line, latin1.body.problems[0].column],
    [422, 2, 4],
  );
});

test("what only a restart can change is named, and the rest is taken up", async () => {
  const before = readFileSync(engine.configPath, "utf8");
  const leaseTime = async () => {
    const { body } = await call("/v1/explain", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ mac: MAC }),
    });
    return body.reply.lease_time;
  };
  writeFileSync(
    engine.configPath,
    before.replace("metrics_listen", "# metrics_listen").replace("3600", "7200"),
  );
  const { status, body } = await call("/v1/reload", { method: "POST" });
  assert.deepEqual([status, body.restart], [200, ["metrics_listen"]]);
  assert.equal(await leaseTime(), 7200);
  writeFileSync(engine.configPath, before);
  assert.deepEqual((await call("/v1/reload", { method: "POST" })).body.restart, []);
  assert.equal(await leaseTime(), 3600);
});

test("status shows the use of every pool", async () => {
  const { body } = await call("/v1/status");
  assert.deepEqual(body.pools, [
    {
      bound: 1,
      offered: 0,
      declined: 0,
      size: 20,
      usable: 20,
      reserved: 0,
      free: 19,
      full_in_hours: null,
      subnet: "10.77.0.0/16",
      network: "10.77.0.0/16",
      first: "10.77.1.1",
      last: "10.77.1.20",
    },
  ]);
});

test("the log is there to read, filtered, and in a file", async () => {
  const { body } = await call("/v1/logs?q=serving");
  assert.equal(body.items[0].message, "serving");
  assert.deepEqual((await call("/v1/logs?level=error")).body.items, []);
  assert.match(readFileSync(join(engine.home, "lease/engine/engine.log"), "utf8"), /"serving"/);
});

test("leasectl: health, leases, release, explain, events, reload, and exit codes for scripts", async () => {
  assert.deepEqual(leasectl("health"), { status: 0, stdout: "ok\n", stderr: "" });
  const leases = JSON.parse(leasectl("leases", "--json").stdout);
  assert.deepEqual(leases.map(({ ip, state }: { ip: string; state: string }) => [ip, state])[0], [
    "10.77.0.50",
    "active",
  ]);
  assert.match(
    leasectl("leases").stdout,
    /^address +hardware +name +state +until\n10\.77\.0\.50 +02:00:00:00:00:50/,
  );
  assert.match(leasectl("explain", MAC).stdout, /reserved for this client/);
  assert.match(leasectl("events").stdout, /grant +10\.77\.0\.50/);
  assert.equal(leasectl("reload").status, 0);
  assert.ok(await clients.join("02:00:00:00:00:52"));
  const ip = clients.acked.at(-1)?.ip as string;
  assert.equal(leasectl("release", ip).stdout, `${ip} is free.\n`);
  assert.deepEqual(
    [
      leasectl("release", ip).status,
      leasectl("release").status,
      leasectl("nonsense").status,
      leasectl("constructor").status,
    ],
    [1, 2, 2, 2],
  );
  const wrong = spawnSync(process.execPath, [CLI, "--url", engine.url, "--token", "wrong", "leases"], {
    encoding: "utf8",
  });
  assert.deepEqual(
    [wrong.status, wrong.stderr],
    [1, "The engine wants another token: give it with --token.\n"],
  );
  const away = spawnSync(process.execPath, [CLI, "--url", "http://127.0.0.1:9", "health"], {
    encoding: "utf8",
  });
  assert.equal(away.status, 3);
});

test("metrics count what was sent and received", async () => {
  const text = await (await fetch(engine.metricsUrl)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  assert.ok(
    value("lease_discover_total") >= 2 && value("lease_discover_total") === value("lease_offer_total"),
  );
  assert.equal(value("lease_request_total"), value("lease_ack_total"));
  assert.equal(value("lease_active_leases"), 2);
  assert.match(text, /^lease_pool_used\{subnet="10.77.0.0\/16",pool="10.77.1.1-10.77.1.20"\} 1$/m);
  for (const { name } of METRICS) assert.match(text, new RegExp(`^# TYPE ${name} counter$`, "m"));
  for (const name of Object.keys(GAUGES)) assert.match(text, new RegExp(`^# TYPE ${name} gauge$`, "m"));
});

const prometheus = debianPrograms({ promtool: "prometheus" });
test("Prometheus itself reads the metrics and finds nothing to say", {
  skip: "missing" in prometheus ? prometheus.missing : false,
}, async () => {
  const text = await (await fetch(engine.metricsUrl)).text();
  const { promtool } = ("paths" in prometheus ? prometheus.paths : {}) as { promtool: string };
  assert.equal(execFileSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" }), "");
});

test("the OpenAPI document has nothing that a linter would complain about, and names its token", async () => {
  const { body } = await call("/openapi.json");
  assert.deepEqual(await openApiProblems(body), []);
  assert.deepEqual(body.security, [{ token: [] }]);
  assert.deepEqual(body.paths["/healthz"].get.security, []);
});

test("OpenAPI describes every route", async () => {
  const { body } = await call("/openapi.json");
  assert.deepEqual(Object.keys(body.paths).sort(), [
    "/healthz",
    "/v1/config",
    "/v1/config/check",
    "/v1/config/confirm",
    "/v1/config/replay",
    "/v1/config/rollback",
    "/v1/ddns/differences",
    "/v1/ddns/reconcile",
    "/v1/events",
    "/v1/events/stream",
    "/v1/explain",
    "/v1/ha/join",
    "/v1/ha/maintenance",
    "/v1/ha/pair",
    "/v1/ha/partner-down",
    "/v1/ha/resume",
    "/v1/ha/status",
    "/v1/holder",
    "/v1/leases",
    "/v1/leases/import",
    "/v1/leases/release",
    "/v1/leases/{ip}",
    "/v1/leases/{ip}/force-renew",
    "/v1/logs",
    "/v1/prefixes",
    "/v1/reload",
    "/v1/reserved-leases",
    "/v1/status",
    "/v1/status/stream",
  ]);
});
