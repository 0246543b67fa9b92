import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { na, pd } from "../../engine/test/desk6.ts";
import { LabClients6 } from "../../engine/test/lab-clients6.ts";
import { managerDesk, SUBNET } from "./manager-desk.ts";

const DUID = "00:03:00:01:02:00:00:00:00:61";
const SUBNET6 = `
[dhcpv6]
enabled = true

[[subnet]]
network = "fd77::/64"

  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff:ffff"

  [[subnet.prefix_pool]]
  prefix = "fd77:1::/48"
  delegated_length = 56

  [[subnet.reservation]]
  prefix = "fd77:1:0:500::/56"
  duid = "00:03:00:01:02:00:00:00:00:62"
`;

test("leases of DHCPv6 are listed, shown, released and told through the manager", async (t) => {
  const port = await freePort();
  const subnet = `listen6 = ["[::1]:${port}"]\n${SUBNET}${SUBNET6}`;
  const desk = await managerDesk(t, {}, { subnet });
  const admin = await desk.signedIn();
  const clients = await LabClients6.open(port);
  t.after(() => clients.close());
  const reply = await clients.join({ duid: DUID, ias: [na(1), pd(2)] });
  const [[, address = ""] = [], [, prefix = ""] = []] = reply?.leases ?? [];

  const { items, total } = (await admin("GET", `leases?q=${encodeURIComponent(DUID)}`)).json;
  assert.equal(total, 2);
  assert.deepEqual(
    items.map((lease: Record<string, unknown>) => [lease.ip, lease.duid, lease.subnet, lease.state]),
    [
      [address, DUID, "fd77::/64", "active"],
      [prefix, DUID, "fd77::/64", "active"],
    ],
  );
  // RFC 9915 section 21.4: the client was told, by half of the preferred lifetime, and not of the valid one.
  const untilT1 = Date.parse(items[0].renews_at) - Date.parse(items[0].last_seen_at);
  assert.equal(untilT1 / 1000, reply?.ias[0]?.t1);
  for (const [body, field] of [
    [{ duid: DUID }, { giaddr: "10.77.0.1" }],
    [{ mac: "02:00:00:00:00:50" }, { iaid: 1 }],
  ] as const) {
    const told = await admin("POST", "explain", { body: { ...body, ...field } });
    assert.deepEqual([told.status, told.json.code], [400, "other_protocol"], told.text);
    assert.match(told.text, /With a DUID it is DHCPv6 that explains, which knows no client_id/);
  }
  const inSubnet = async (text: string) =>
    (await admin("GET", `leases?subnet=${encodeURIComponent(text)}`)).json.total;
  assert.equal(await inSubnet("FD77:0::/064"), 2, "however the network is written");
  assert.equal(await inSubnet("fd78::/64"), 0);
  assert.equal(
    (await admin("DELETE", `leases/${address}`, { headers: { "if-match": '"another"' } })).status,
    412,
    "a lease of DHCPv6 has a version, too",
  );
  // The device is to get another address: when it renews the one that it has, whatever it does with its prefix.
  const reserve = (body: object) => admin("POST", "reservations", { body });
  assert.equal((await reserve({ ip: "fd77::60", duid: DUID })).status, 201);
  const waiting = (await admin("GET", "reservations")).json.items.find(
    (each: { ip: string }) => each.ip === "fd77::60",
  );
  assert.deepEqual([waiting.takes_effect, waiting.at], ["next_renewal", items[0].renews_at]);
  assert.equal((await admin("DELETE", "reservations/fd77::60")).status, 204);
  const device = (await admin("GET", `devices/${encodeURIComponent(DUID)}`)).json;
  assert.deepEqual(
    [device.duids, device.leases.map(({ ip }: { ip: string }) => ip)],
    [[DUID], [address, prefix]],
    "a device is found by its DUID",
  );
  const told = async (query: string) =>
    (await admin("GET", `devices/${encodeURIComponent(DUID)}?${query}`)).json as {
      items: Array<{ id: number; ip: string }>;
      next_cursor: number | null;
    };
  const [newest, oldest] = (await told("")).items;
  assert.deepEqual([newest?.ip, oldest?.ip], [prefix, address], "and what happened to its leases");
  assert.ok(await clients.join({ duid: "00:03:00:01:02:00:00:00:00:63", ias: [na(1)] }));
  const paged = [];
  for (let page = await told("limit=1"); ; page = await told(`limit=1&cursor=${page.next_cursor}`)) {
    paged.push(...page.items);
    if (page.next_cursor === null) break;
  }
  assert.deepEqual(paged, [newest, oldest], "one by one, the same");
  for (const lease of [address, prefix]) {
    const path = `leases/${encodeURIComponent(lease)}/reserve`;
    assert.equal(
      (await admin("POST", path)).status,
      lease === address ? 201 : 409,
      "one DUID, one reservation",
    );
  }
  assert.match(readFileSync(desk.configPath, "utf8"), new RegExp(`ip = "${address}"\\n +duid = "${DUID}"`));
  await admin("DELETE", `reservations/${encodeURIComponent(address)}`);
  assert.equal((await admin("POST", `leases/${encodeURIComponent(prefix)}/reserve`)).status, 201);
  const reserved = (await admin("GET", "reservations")).json.items.map(({ ip }: { ip: string }) => ip);
  assert.ok(reserved.includes(prefix), String(reserved));
  for (const lease of [address, prefix]) {
    const path = `leases/${encodeURIComponent(lease)}`;
    assert.equal((await admin("GET", path)).json.ip, lease);
    assert.equal((await admin("DELETE", path)).status, 204);
    assert.equal((await admin("GET", path)).json.state, "released");
    const events = (await admin("GET", `lease-events?ip=${encodeURIComponent(lease)}`)).json.items;
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ["release", "grant"],
    );
  }
  const pools = (await admin("GET", "dashboard")).json;
  assert.ok(JSON.stringify(pools).includes("fd77:1::/56"), "its pools are in the dashboard");

  // Of two leases of one device, one is renewed: the other keeps its own times.
  const duid = "00:03:00:01:02:00:00:00:00:65";
  const ofBoth = async () => (await admin("GET", `leases?q=${encodeURIComponent(duid)}`)).json.items;
  assert.ok(await clients.join({ duid, ias: [na(1), pd(2)] }));
  const [first, second] = await ofBoth();
  await until("one is renewed later", async () => {
    assert.ok(await clients.join({ duid, ias: [na(1)] }));
    return (await ofBoth())[0].renews_at > first.renews_at;
  });
  assert.deepEqual((await ofBoth())[1], second);
});

test("reservations of IPv6 are listed, made and removed; one of a prefix alone stays when another is made", async (t) => {
  const desk = await managerDesk(t, {}, { subnet: `${SUBNET}${SUBNET6.replace("enabled = true", "")}` });
  const admin = await desk.signedIn();
  const listed = async () =>
    (await admin("GET", "reservations")).json.items.map((each: { ip: string }) => each.ip);
  assert.deepEqual(await listed(), ["10.77.0.50", "fd77:1:0:500::/56"]);
  const body = { ip: "fd77::60", duid: "00:03:00:01:02:00:00:00:00:63" };
  assert.equal((await admin("POST", "reservations", { body })).status, 201);
  assert.deepEqual(await listed(), ["10.77.0.50", "fd77:1:0:500::/56", "fd77::60"]);
  assert.equal((await admin("DELETE", "reservations/fd77%3A%3A60")).status, 204);
  assert.equal((await admin("DELETE", "reservations/10.77.0.50")).status, 204);
  assert.deepEqual(await listed(), ["fd77:1:0:500::/56"]);
  const [{ ip: before, prefix, duid }] = (await admin("GET", "reservations")).json.items;
  const put = await admin("PUT", `reservations/${encodeURIComponent(before)}`, {
    body: { ip: "fd77:1:0:600::/56", prefix, duid },
  });
  assert.deepEqual([put.status, put.json.prefix], [200, "fd77:1:0:600::/56"], "told as it was written");
  assert.deepEqual(await listed(), ["fd77:1:0:600::/56"]);
  const outside = { ip: "fd99::60", duid: "00:03:00:01:02:00:00:00:00:64" };
  assert.equal((await admin("POST", "reservations", { body: outside })).status, 422);
});

test("reservations of IPv6 come from a CSV file, and a file that was downloaded is taken again", async (t) => {
  const desk = await managerDesk(t, {}, { subnet: `${SUBNET}${SUBNET6.replace("enabled = true", "")}` });
  const admin = await desk.signedIn();
  const csv = { "content-type": "text/csv" };
  const preview = async (body: string) =>
    (await admin("POST", "reservations/preview", { body, headers: csv })).json;
  const told = ({ items }: { items: Array<Record<string, unknown>> }) =>
    items.map(({ ip, action, problem }) => [ip, action, problem]);
  const rows = [
    "ip,duid,interface_id,note",
    "fd77:0:0:0::61,00:03:00:01:02:00:00:00:00:61,,printer",
    "fd77::62,,ge-0/0/2,",
    "fd77:1:0:0500::/56,00:03:00:01:02:00:00:00:00:62,,router",
    "fd77:9::/56,00:03:00:01:02:00:00:00:00:69,,",
  ];
  assert.deepEqual(told(await preview(rows.join("\n"))), [
    ["fd77::61", "add", null],
    ["fd77::62", "add", null],
    ["fd77:1:0:500::/56", "change", null],
    ["fd77:9::/56", "conflict", "no_subnet"],
  ]);
  const body = rows.slice(0, 4).join("\n");
  const { version } = await preview(body);
  const headers = { ...csv, "if-match": `"${version}"` };
  assert.deepEqual((await admin("POST", "reservations/import", { body, headers })).json, {
    version: (await preview(body)).version,
    added: 2,
    changed: 1,
  });
  assert.deepEqual(
    told(await preview(body)).map(([, action]) => action),
    ["same", "same", "same"],
  );
});
