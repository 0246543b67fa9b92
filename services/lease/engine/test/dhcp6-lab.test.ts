import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Replay } from "@frontdesk/lease-control-api/replay";
import { TYPE6 } from "@frontdesk/lease-options/option6-table";
import { freePort } from "@frontdesk/testkit/free-port";
import { na, pd } from "./desk6.ts";
import { LabClients6 } from "./lab-clients6.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

const home = mkdtempSync(join(tmpdir(), "dhcp6-lab-"));
const CONFIG = `
[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.9"
[dhcpv6]
enabled = true
[[subnet]]
network = "fd77::/64"
options = { dns_servers = ["fd77::53"] }
[[subnet.pool]]
range = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"
[[subnet.prefix_pool]]
prefix = "fd77:1::/48"
delegated_length = 56
[[subnet.reservation]]
ip = "fd77::50"
duid = "00:03:00:01:02:00:00:00:00:50"
`;
const duid = (n: number) => `00:03:00:01:02:00:00:00:01:${n.toString(16).padStart(2, "0")}`;
const NEWCOMER = "00:03:00:01:02:00:00:00:09:01";

let engine: LabEngine;
let clients: LabClients6;
before(async () => {
  const port = await freePort();
  engine = await labEngine(home, CONFIG, `control_open = true\nlisten6 = ["[::1]:${port}"]`);
  await engine.start();
  clients = await LabClients6.open(port);
});
after(async () => {
  clients.close();
  await engine.kill("SIGTERM");
  rmSync(home, { recursive: true });
});

// biome-ignore lint/suspicious/noExplicitAny: what a test expects is its type
async function call(path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
  const response = await fetch(`${engine.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

const post = (path: string, body: unknown) =>
  call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("a client in the lab gets an address and a prefix, and both are listed", async () => {
  const reply = await clients.join({ duid: duid(1), ias: [na(1), pd(7)], ask: [23] });
  assert.equal(reply?.type, "REPLY");
  assert.deepEqual(reply?.options.dns_servers, ["fd77::53"]);
  const [[, address = ""] = [], [, prefix = ""] = []] = reply?.leases ?? [];
  const { body } = await call("/v1/leases?subnet=fd77::/64");
  assert.equal(body.total, 2);
  assert.deepEqual(
    body.items.map((lease: Record<string, unknown>) => [
      lease.ip,
      lease.duid,
      lease.iaid,
      lease.state,
      lease.subnet,
    ]),
    [
      [address, duid(1), 1, "active", "fd77::/64"],
      [prefix, duid(1), 7, "active", "fd77::/64"],
    ],
  );
  assert.equal((await call(`/v1/leases/${encodeURIComponent(prefix)}`)).body.ip, prefix);
});

test("no lease that was answered is lost when the engine is killed", async () => {
  const joined = await Promise.all(
    Array.from({ length: 40 }, (_, i) => clients.join({ duid: duid(100 + i), ias: [na(1), pd(2)] })),
  );
  await engine.kill("SIGKILL");
  const given = joined.flatMap((reply) => reply?.leases.map(([, lease]) => lease) ?? []);
  assert.equal(given.length, 80);
  await engine.start();
  const { body } = await call("/v1/leases?limit=1000&state=active");
  const listed = new Set(body.items.map(({ ip }: { ip: string }) => ip));
  assert.deepEqual(
    given.filter((lease) => !listed.has(lease)),
    [],
  );
  const again = await clients.join({ duid: duid(100), ias: [na(1)] });
  assert.equal(again?.leases[0]?.[1], joined[0]?.leases[0]?.[1], "and a client keeps its address");
});

test("pages of leases go through both families, and each lease is on one of them", async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await call(`/v1/leases?limit=7${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    seen.push(...page.body.items.map(({ ip }: { ip: string }) => ip));
    cursor = page.body.next_cursor;
    assert.equal(page.body.total, 82);
  } while (cursor !== null);
  assert.deepEqual([seen.length, new Set(seen).size], [82, 82]);
});

test("leases are searched by address, prefix and DUID", async () => {
  const { body } = await call(`/v1/leases?q=${duid(120)}`);
  assert.equal(body.total, 2);
  const [lease] = body.items;
  assert.equal((await call(`/v1/leases?q=${encodeURIComponent(lease.ip)}`)).body.items[0].ip, lease.ip);
});

test("a lease is released by hand, an address and a prefix, and the history tells", async () => {
  const reply = await clients.join({ duid: duid(2), ias: [na(1), pd(1)] });
  for (const [, lease] of reply?.leases ?? []) {
    const path = `/v1/leases/${encodeURIComponent(lease)}`;
    assert.equal((await call(path, { method: "DELETE" })).status, 204);
    assert.equal((await call(path, { method: "DELETE" })).status, 404);
    const { body } = await call(`/v1/events?ip=${encodeURIComponent(lease)}`);
    assert.deepEqual(
      body.items.map((event: Record<string, unknown>) => [event.type, event.ip, event.duid, event.reason]),
      [
        ["release", lease, duid(2), "by-hand"],
        ["grant", lease, duid(2), null],
      ],
    );
  }
});

test("who held an address at a time is told", async () => {
  const reply = await clients.join({ duid: duid(3), ias: [na(1)] });
  const ip = reply?.leases[0]?.[1] ?? "";
  const { body } = await call(`/v1/holder?ip=${ip}&at=${Date.now() + 1000}`);
  assert.deepEqual([body.holder?.ip, body.holder?.duid], [ip, duid(3)]);
});

test("explain tells what a client of DHCPv6 would get", async () => {
  const told = await post("/v1/explain", { duid: "00:03:00:01:02:00:00:00:00:50" });
  assert.deepEqual([told.status, told.body.reply?.ip], [200, "fd77::50"]);
  assert.ok(told.body.steps.includes("Reserved for it: fd77::50."));
  assert.match((await post("/v1/explain", { duid: duid(9), prefix: true })).body.reply.ip, /\/56$/);
  assert.equal((await post("/v1/explain", { duid: "00" })).status, 400);
  const others = [{ giaddr: "10.0.0.1" }, { client_id: "01" }, { circuit_id: "x" }, { options: {} }];
  for (const other of others) {
    const { status, body } = await post("/v1/explain", { duid: duid(9), ...other });
    assert.deepEqual([status, body.error], [400, "other_protocol"], JSON.stringify(other));
  }
  const mac = "02:00:00:00:00:50";
  for (const other of [{ iaid: 1 }, { link: "fd77::1" }, { interface_id: "x" }, { prefix: false }]) {
    const { status, body } = await post("/v1/explain", { mac, ...other });
    assert.deepEqual([status, body.error], [400, "other_protocol"], JSON.stringify(other));
  }
  assert.equal((await call("/v1/leases/fd77::50")).status, 404, "and nothing is kept of it");
});

test("routers read which prefixes are delegated, to whom and until when", async () => {
  const reply = await clients.join({ duid: duid(4), ias: [pd(9)] });
  const prefix = reply?.leases[0]?.[1];
  const items: Array<Record<string, unknown>> = [];
  let cursor: string | null = null;
  do {
    const { body } = await call(`/v1/prefixes?limit=15${cursor ? `&cursor=${cursor}` : ""}`);
    items.push(...body.items);
    cursor = body.next_cursor;
  } while (cursor !== null);
  assert.ok(items.every((item) => String(item.prefix).endsWith("/56")));
  const found = items.find((item) => item.prefix === prefix);
  assert.deepEqual(
    [found?.next_hop, found?.interface, found?.link, found?.duid, found?.iaid],
    ["::1", "lab", null, duid(4), 9],
  );
  assert.ok(Date.parse(String(found?.expires_at)) > Date.now());
  await call(`/v1/leases/${encodeURIComponent(prefix ?? "")}`, { method: "DELETE" });
  const { body } = await call("/v1/prefixes");
  assert.ok(!body.items.some((item: Record<string, unknown>) => item.prefix === prefix));
});

test("pools and counters of DHCPv6 are in the status and in the metrics", async () => {
  const { body } = await call("/v1/status");
  const pool = body.pools.find(({ first }: { first: string }) => first === "fd77:1::/56");
  assert.deepEqual([pool.subnet, pool.size, pool.last], ["fd77::/64", 256, "fd77:1:0:ff00::/56"]);
  assert.ok(body.counters.received6_solicit > 0);
  const metrics = await (await fetch(engine.metricsUrl)).text();
  assert.match(metrics, /lease_dhcpv6_received_total\{type="solicit"\} [1-9]/);
  assert.match(metrics, /lease_pool_size\{subnet="fd77::\/64",pool="fd77:1::\/56-fd77:1:0:ff00::\/56"\} 256/);
});

test("leases of another server go on: their clients renew them; what cannot is told with the reason", async () => {
  const of = (n: number) => `00:03:00:01:02:00:00:00:0a:0${n}`;
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const common = { iaid: 0xfd855384, expires_at };
  // Others have prefixes of the pool already, by chance.
  const delegated: Array<{ prefix: string }> = (await call("/v1/prefixes")).body.items;
  const prefixes = Array.from({ length: 256 }, (_, n) => `fd77:1:0:${(0x100 * n).toString(16)}::/56`);
  const prefix = prefixes.slice(1).find((each) => !delegated.some((taken) => taken.prefix === each)) ?? "";
  const leases = [
    { ...common, ip: "fd77::abcd", duid: of(1), hostname: "old.desk" },
    { ...common, ip: prefix, duid: of(1), expires_at: null },
    { ...common, ip: "fd77::50", duid: duid(0x50).replace("01:50", "00:50") },
    { ...common, ip: "fd77::50", duid: of(2) },
    { ...common, ip: "fd77::abcd", duid: of(2) },
    { ...common, ip: "fd77::abce", duid: of(1) },
    { ...common, ip: "fd78::1", duid: of(3) },
    { ...common, ip: prefix.replace("/56", "/60"), duid: of(3) },
    { ...common, ip: "fd77::abcf", duid: of(4), expires_at: "2020-01-01T00:00:00.000Z" },
  ];
  const { status, body } = await post("/v1/leases/import", { leases });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, {
    imported: 3,
    refused: [
      { ip: "fd77::50", reason: "reserved" },
      { ip: "fd77::abcd", reason: "taken" },
      { ip: "fd77::abce", reason: "has_another" },
      { ip: "fd78::1", reason: "no_pool" },
      { ip: prefix.replace("/56", "/60"), reason: "no_pool" },
      { ip: "fd77::abcf", reason: "expired" },
    ],
  });
  assert.equal((await call("/v1/leases/fd77::abcd")).body.hostname, "old.desk");
  assert.equal((await call(`/v1/leases/${encodeURIComponent(prefix)}`)).body.expires_at, null);
  const [event] = (await call("/v1/events?ip=fd77::abcd")).body.items;
  assert.deepEqual([event.type, event.reason, event.duid], ["grant", "imported", of(1)]);
  const ias = [na(common.iaid, "fd77::abcd"), pd(common.iaid, prefix)];
  const rebound = await clients.ask(TYPE6.rebind, { duid: of(1), ias });
  assert.deepEqual(
    rebound?.leases.map(([, lease, valid]) => [lease, valid > 0]),
    [
      ["fd77::abcd", true],
      [prefix, true],
    ],
  );
  for (const [wrong, code] of [
    [{ ...common, ip: "fd77::1" }, "bad_duid"],
    [{ ...common, ip: "fd77::1/x", duid: of(5) }, "bad_address"],
    [{ ...common, ip: `${prefix}/56`, duid: of(5) }, "bad_address"],
    [{ ip: "fd77::1", duid: of(5), expires_at }, "bad_duid"],
    [{ ip: "10.77.1.5", expires_at }, "bad_mac"],
    [{ ip: "10.77.1.5", client_id: "01:02:00:00:00:00:05", expires_at }, "bad_mac"],
  ] as const) {
    const refused = await post("/v1/leases/import", { leases: [wrong] });
    assert.deepEqual([refused.status, refused.body.error], [400, code], JSON.stringify(wrong));
  }
});

test("what a configuration would change for the clients of the last day: addresses, prefixes, options", async () => {
  const asked = { duid: NEWCOMER, ias: [na(1), pd(7)], ask: [23] };
  const given = await clients.join(asked);
  const [address, prefix] = given?.leases.map(([, lease]) => lease) ?? [];
  const replayed = async (config: string): Promise<Replay> => {
    const headers = { "content-type": "application/toml" };
    const init = { method: "POST", headers, body: engine.toml(config) };
    const { status, body } = await call("/v1/config/replay", init);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const ours = ({ items }: Replay) =>
    items
      .filter((item) => item.duid === NEWCOMER)
      .toSorted((a, b) => (String(a.before) < String(b.before) ? -1 : 1))
      .map(({ kind, before: was, after: will, reason, options }) => ({ kind, was, will, reason, options }));
  const wanted = [address, prefix].toSorted();
  assert.deepEqual((await replayed(CONFIG)).items, [], "what runs changes nothing for anybody");
  assert.deepEqual(
    ours(await replayed(CONFIG.replace('"fd77::53"', '"fd77::54"'))),
    wanted.map((ip) => ({ kind: "changed", was: ip, will: ip, reason: null, options: ["dns_servers"] })),
  );
  const elsewhere = CONFIG.replace("fd77::1000 - fd77::ffff:ffff:ffff:ffff", "fd77::100 - fd77::10f");
  const [moved, ...others] = ours(await replayed(elsewhere));
  assert.deepEqual([moved?.kind, moved?.was, moved?.options, others], ["moved", address, [], []]);
  assert.match(String(moved?.will), /^fd77::10[0-9a-f]$/);
  const reserved = `${CONFIG}[[subnet.reservation]]\nip = "fd77::70"\nduid = "${NEWCOMER}"\n`;
  assert.deepEqual(ours(await replayed(reserved)), [
    { kind: "moved", was: address, will: "fd77::70", reason: null, options: [] },
  ]);
  const none = CONFIG.replace(/\[\[subnet.prefix_pool\]\][^[]*/, "");
  assert.deepEqual(
    ours(await replayed(none)).map(({ kind, was, will }) => [kind, was, will]),
    [["refused", prefix, null]],
  );
  const off = ours(await replayed(CONFIG.replace("enabled = true", "enabled = false")));
  assert.deepEqual(
    off.map(({ kind, reason }) => [kind, reason]),
    [
      ["refused", "dhcpv6-off"],
      ["refused", "dhcpv6-off"],
    ],
  );
  assert.equal((await clients.join(asked))?.leases[0]?.[1], address, "nothing was kept of it");
});

test("a reload takes up other subnets and options", async () => {
  const { body: before } = await call("/v1/config");
  const text = before.text.replace("fd77::53", "fd77::54");
  const put = await call("/v1/config", {
    method: "PUT",
    headers: { "content-type": "application/toml", "if-match": `"${before.running}"` },
    body: text,
  });
  assert.equal(put.status, 200);
  const reply = await clients.ask(TYPE6.informationRequest, { duid: duid(1), ias: [], ask: [23] });
  assert.deepEqual(reply?.options.dns_servers, ["fd77::54"]);
});
