import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseHex } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { until } from "@frontdesk/testkit/until";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { managerDesk } from "./manager-desk.ts";

const A = "02:00:00:00:00:0a";
const B = "02:00:00:00:00:0b";
const DOOR = "02:00:00:00:00:50";

test("leases, reservations and history through the manager", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const addressOf = async (mac: string): Promise<string> => {
    const { items } = (await admin("GET", `leases?q=${encodeURIComponent(mac)}&state=active`)).json;
    return items[0]?.ip;
  };

  await t.test("a lease is there when a client has got it, and is told live", async () => {
    const heard: string[] = [];
    const stream = await follow(desk, admin.cookie, (line) => heard.push(line));
    t.after(() => stream.destroy());
    assert.ok(await clients.join(A));
    const ip = await addressOf(A);
    assert.match(ip, /^10\.77\.1\./);
    await until("the stream has told of it", () => heard.some((line) => line.includes(`"ip":"${ip}"`)));
    const lease = (await admin("GET", `leases/${ip}`)).json;
    assert.deepEqual([lease.mac, lease.state, lease.subnet], [A, "active", "10.77.0.0/16"]);
  });

  await t.test("a note and a DNS name belong to the device, and outlive the lease", async () => {
    const ip = await addressOf(A);
    const body = { note: "the scanner at gate 4", dns_name: "gate4" };
    assert.equal((await admin("PATCH", `leases/${ip}`, { body })).json.note, body.note);
    assert.equal((await admin("DELETE", `leases/${ip}`)).status, 204);
    assert.equal((await admin("GET", `leases/${ip}`)).json.state, "released");
    assert.ok(await clients.join(A));
    assert.equal((await admin("GET", `leases/${await addressOf(A)}`)).json.dns_name, "gate4");
    const wrong = await admin("PATCH", `leases/${ip}`, { body: { note: "two\nlines" } });
    assert.equal(wrong.status, 400);
  });

  await t.test("a note is not written over what somebody else has said since", async () => {
    const path = `leases/${await addressOf(A)}`;
    const say = (note: string, seen?: string) =>
      admin("PATCH", path, { body: { note }, ...(seen ? { headers: { "if-match": seen } } : {}) });
    const { version } = (await admin("GET", path)).json;
    const theirs = await say("theirs");
    assert.equal(theirs.status, 200);
    const mine = await say("mine", `"${version}"`);
    assert.deepEqual([mine.status, mine.json.code], [412, "lease_changed"]);
    assert.deepEqual([mine.json.current.note, mine.json.version], ["theirs", theirs.json.version]);
    assert.equal((await say("mine", `"${theirs.json.version}"`)).json.note, "mine");
    assert.equal((await say("whatever was said", "*")).status, 200);
  });

  await t.test("a lease is neither released nor reserved for another device than was seen", async () => {
    const path = `leases/${await addressOf(A)}`;
    const seen = (version: string) => ({ headers: { "if-match": `"${version}"` } });
    const { version: first } = (await admin("GET", path)).json;
    assert.equal((await admin("PATCH", path, { body: { note: "meanwhile" } })).status, 200);
    for (const refused of [
      await admin("DELETE", path, seen(first)),
      await admin("POST", `${path}/reserve`, seen(first)),
    ])
      assert.deepEqual(
        [refused.status, refused.json.code, refused.json.current.note],
        [412, "lease_changed", "meanwhile"],
      );
    const { version, state, reserved } = (await admin("GET", path)).json;
    assert.deepEqual([state, reserved], ["active", false]);
    assert.equal((await admin("DELETE", path, seen(version))).status, 204);
    assert.ok(await clients.join(A));
  });

  await t.test("a lease tells who made its device, if its hardware address does", async () => {
    const [CISCO] = ["00:00:0c:00:00:01"];
    assert.ok(await clients.join(CISCO));
    const ip = await addressOf(CISCO);
    assert.match((await admin("GET", `leases/${ip}`)).json.maker, /^Cisco/);
    const { items } = (await admin("GET", "leases")).json;
    assert.equal(items.find(({ mac }: { mac: string }) => mac === A).maker, null, "made up");
    assert.equal((await admin("DELETE", `leases/${ip}`)).status, 204);
  });

  await t.test("a released lease that is not there is 404, an address that is none is 400", async () => {
    assert.equal((await admin("DELETE", "leases/10.77.1.249")).status, 404);
    assert.equal((await admin("DELETE", "leases/nonsense")).status, 400);
  });

  await t.test("dots are an address that is none", async () => {
    for (const dots of ["%2e%2e", "%2e", "%2e%2e%2e%2e"]) {
      const asked = await admin("GET", `leases/${dots}`);
      assert.deepEqual([asked.status, asked.json.code], [400, "bad_address"], dots);
    }
  });

  await t.test("what a filter shows is released if it is as many as was said", async () => {
    assert.ok(await clients.join(B));
    assert.equal((await admin("DELETE", "leases?count=2")).json.code, "filter_needed");
    assert.equal((await admin("DELETE", "leases?subnet=10.77.0.0/16&count=5")).json.code, "count_differs");
    assert.deepEqual((await admin("GET", "releasable-leases?subnet=10.77.0.0/16")).json, { count: 2 });
    for (const [method, path] of [
      ["GET", "releasable-leases?subnet=10.77.0.0/16&state=expired"],
      ["DELETE", "leases?subnet=10.77.0.0/16&count=2&state=expired"],
    ] as const) {
      const { status, json } = await admin(method, path);
      assert.deepEqual([status, json.errors[0].pointer], [400, "#/state"], "no filter is left out unseen");
    }
    const released = await admin("DELETE", "leases?subnet=10.77.0.0/16&count=2");
    assert.deepEqual(released.json, { released: 2 });
    assert.equal((await admin("GET", "leases?state=active")).json.total, 0);
  });

  await t.test("a lease is reserved in one step, and the file keeps its comments", async () => {
    assert.ok(await clients.join(B));
    const ip = await addressOf(B);
    assert.equal((await admin("POST", `leases/${ip}/reserve`)).status, 201);
    const text = readFileSync(desk.configPath, "utf8");
    assert.match(text, /# the office/);
    assert.match(text, /# The door opener must never move\./);
    const { items } = (await admin("GET", "reservations")).json;
    const states = items.map(({ ip: each, status }: { ip: string; status: string }) => [each, status]);
    assert.deepEqual(states, [
      ["10.77.0.50", "unused"],
      [ip, "in_use"],
    ]);
    assert.equal((await admin("POST", `leases/${ip}/reserve`)).json.code, "reservation_exists");
    assert.deepEqual((await admin("GET", `releasable-leases?q=${ip}`)).json, { count: 0 });
    assert.equal((await admin("DELETE", `reservations/${ip}`)).status, 204);
  });

  await t.test("a reservation tells when it takes effect", async () => {
    const mac = "02:00:00:00:0e:01";
    const add = (body: object) => admin("POST", "reservations", { body });
    const effectOf = async (ip: string) => {
      const { items } = (await admin("GET", "reservations")).json;
      const { status, takes_effect, at } = items.find((each: { ip: string }) => each.ip === ip);
      return { status, takes_effect, isTimed: at !== null };
    };
    assert.equal((await add({ ip: "10.77.0.81", mac })).status, 201);
    assert.deepEqual(await effectOf("10.77.0.81"), { status: "unused", takes_effect: "now", isTimed: false });
    assert.equal((await admin("DELETE", "reservations/10.77.0.81")).status, 204);

    assert.ok(await clients.join(mac));
    assert.equal((await add({ ip: "10.77.0.81", mac })).status, 201);
    assert.deepEqual(await effectOf("10.77.0.81"), {
      status: "unused",
      takes_effect: "next_renewal",
      isTimed: true,
    });

    const held = await addressOf(mac);
    assert.equal((await add({ ip: held, mac: "02:00:00:00:0e:02" })).status, 201);
    assert.deepEqual(await effectOf(held), {
      status: "held_by_another",
      takes_effect: "when_free",
      isTimed: true,
    });
    for (const ip of ["10.77.0.81", held])
      assert.equal((await admin("DELETE", `reservations/${ip}`)).status, 204);
    assert.equal((await admin("DELETE", `leases/${held}`)).status, 204);

    // By what else the device is known: its client identifier is an IAID and a DUID now.
    const duid = "00:03:00:01:02:00:00:00:0e:03";
    const client_id = `ff:00:00:00:01:${duid}`;
    const identifier = parseHex(client_id) as Uint8Array;
    assert.ok(await clients.join(mac, undefined, [[CODE.clientIdentifier, identifier]]));
    for (const identity of [{ client_id }, { duid }]) {
      assert.equal((await add({ ip: "10.77.0.82", ...identity })).status, 201);
      assert.equal((await effectOf("10.77.0.82")).takes_effect, "next_renewal");
      assert.equal((await admin("DELETE", "reservations/10.77.0.82")).status, 204);
    }
    assert.equal((await admin("DELETE", `leases/${await addressOf(mac)}`)).status, 204);
  });

  await t.test("reservations: made, refused, changed, removed", async () => {
    const add = (body: object) => admin("POST", "reservations", { body });
    assert.equal((await add({ ip: "10.77.0.60", mac: "02:00:00:00:00:60" })).status, 201);
    const sameAddress = await add({ ip: "10.77.0.60", mac: "02:00:00:00:00:61" });
    assert.deepEqual([sameAddress.status, sameAddress.json.errors[0].pointer], [409, "#/ip"]);
    const sameDevice = await add({ ip: "10.77.0.61", mac: "02:00:00:00:00:60" });
    assert.deepEqual([sameDevice.status, sameDevice.json.errors[0].pointer], [409, "#/mac"]);
    assert.equal((await add({ ip: "192.0.2.1", mac: "02:00:00:00:00:62" })).status, 422);
    const wrong = await add({ ip: "10.77.0.63", mac: "not a mac" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.json.problems[0].message, /hardware address/);
    const body = { ip: "10.77.0.64", mac: "02:00:00:00:00:60", note: "moved" };
    assert.equal((await admin("PUT", "reservations/10.77.0.60", { body })).status, 200);
    assert.equal((await admin("PUT", "reservations/10.77.0.60", { body })).status, 404);
    const ips = (await admin("GET", "reservations")).json.items.map(({ ip }: { ip: string }) => ip);
    assert.deepEqual(ips, ["10.77.0.50", "10.77.0.64"]);
    assert.equal((await admin("DELETE", "reservations/10.77.0.64")).status, 204);
    assert.equal((await admin("DELETE", "reservations/10.77.0.64")).status, 404);
    assert.ok(await clients.join(DOOR));
    assert.equal(await addressOf(DOOR), "10.77.0.50");
  });

  await t.test("a reservation is not written over a version that was not seen", async () => {
    const path = "reservations/10.77.0.70";
    const shown = async () =>
      (await admin("GET", "reservations")).json.items.find(({ ip }: { ip: string }) => ip === "10.77.0.70");
    const over = (version: string) => ({ "if-match": version === "*" ? version : `"${version}"` });
    const body = { ip: "10.77.0.70", mac: "02:00:00:00:00:70", hostname: "lobby" };
    assert.equal((await admin("POST", "reservations", { body })).status, 201);
    const { version: first } = await shown();
    // Another reservation is another matter.
    const beside = { ip: "10.77.0.71", mac: "02:00:00:00:00:71" };
    assert.equal((await admin("POST", "reservations", { body: beside })).status, 201);
    const theirs = { ...body, mac: "02:00:00:00:00:72" };
    assert.equal((await admin("PUT", path, { body: theirs, headers: over(first) })).status, 200);
    const mine = await admin("PUT", path, { body: { ...body, note: "mine" }, headers: over(first) });
    assert.deepEqual([mine.status, mine.json.code], [412, "reservation_changed"]);
    assert.equal((await admin("DELETE", path, { headers: over(first) })).status, 412);
    const { version: second, mac, note } = await shown();
    assert.deepEqual([mac, note], [theirs.mac, undefined]);
    assert.equal((await admin("PUT", path, { body, headers: over("*") })).status, 200);
    assert.equal((await shown()).version, first, "the same content is the same version");
    assert.equal((await admin("DELETE", path, { headers: over(second) })).status, 412);
    assert.equal((await admin("DELETE", path, { headers: over(first) })).status, 204);
    assert.equal((await admin("DELETE", "reservations/10.77.0.71", { headers: over("*") })).status, 204);
  });

  await t.test("who held an address, and all of the history as CSV", async () => {
    const ip = await addressOf(DOOR);
    const at = new Date().toISOString();
    assert.equal((await admin("GET", `holder?ip=${ip}&at=${at}`)).json.holder.mac, DOOR);
    const { items } = (await admin("GET", `lease-events?ip=${ip}`)).json;
    assert.equal(items[0].type, "grant");
    const csv = await admin("GET", "lease-events.csv");
    assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8");
    const lines = csv.text.trimEnd().split("\r\n");
    assert.match(lines[0] ?? "", /^id,at,type,ip,mac/);
    assert.equal(lines.length - 1, (await admin("GET", "lease-events?limit=1000")).json.items.length);
    const head = await admin("HEAD", "lease-events.csv");
    assert.deepEqual(
      [head.status, head.headers["content-type"], head.headers["content-length"]],
      [200, "text/csv; charset=utf-8", undefined],
    );
    const wrong = await admin("GET", "lease-events.csv?from=yesterday");
    assert.deepEqual([wrong.status, wrong.json.code], [400, "bad_time"]);
    for (const cursor of ["after=0", "cursor=3", "limit=1"]) {
      const part = await admin("GET", `lease-events.csv?${cursor}`);
      assert.deepEqual([part.status, part.json.code], [400, "invalid_request"], cursor);
    }
  });

  await t.test("why a client gets what it gets", async () => {
    const { outcome, reply } = (await admin("POST", "explain", { body: { mac: DOOR } })).json;
    assert.equal(reply.ip, "10.77.0.50", outcome);
  });

  await t.test("the dashboard shows the pool, the rates and the newest events", async () => {
    await until(
      "a second has been counted",
      async () => (await admin("GET", "dashboard")).json.rates.length > 0,
    );
    const { engine, events, rates, new_devices } = (await admin("GET", "dashboard")).json;
    assert.ok(rates.every(({ at }: { at: string }) => Date.parse(at) % 30_000 === 0));
    assert.deepEqual(
      new_devices.items.map(({ mac }: { mac: string }) => mac),
      [DOOR, "02:00:00:00:0e:01", B, "00:00:0c:00:00:01", A],
    );
    assert.equal(engine.process.state, "running");
    assert.equal(engine.status.pools[0].size, 250);
    assert.ok(events.length > 3);
  });
});

type Desk = Awaited<ReturnType<typeof managerDesk>>;

/** Lines of the live stream. */
async function follow(desk: Desk, cookie: string, hear: (line: string) => void) {
  const { request } = await import("node:https");
  return new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    request(
      { host: "127.0.0.1", port: desk.port, path: "/api/v1/stream", ca: desk.ca, headers: { cookie } },
      (response) => {
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => chunk.split("\n").forEach(hear));
        response.on("error", () => {});
        resolve(response);
      },
    )
      .on("error", reject)
      .end();
  });
}
