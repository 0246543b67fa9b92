import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { ipv6Bytes, parseHex, parseIpv6, textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { reverseName } from "../src/ddns/domain-name.ts";
import { startBind } from "./bind.ts";
import { ask, ddnsDesk, SUBNET, section } from "./ddns-desk.ts";
import { na } from "./desk6.ts";
import { FORWARD, REVERSE6 } from "./dns-server.ts";
import { LabClients, macOf } from "./lab-clients.ts";
import { LabClients6 } from "./lab-clients6.ts";
import { labEngine } from "./lab-engine.ts";

test("a lease brings its name to DNS, and takes it along when it ends", async (t) => {
  const at = await ddnsDesk(t);
  if (!at) return;
  const { bind, joined, lease, release, reverse } = at;
  const ip = await joined(macOf(1), "Anna's Laptop");
  const name = `anna-s-laptop.${FORWARD}`;
  await until("the name is there", () => bind.ask(name, "A")[0] === ip);
  await until("the way back is there", () => bind.ask(reverse(ip), "PTR")[0] === `${name}.`);
  await until("the lease tells it", async () => (await lease(ip))?.state === "kept");
  assert.deepEqual(await lease(ip), { name, state: "kept", error: null });

  const other = await joined(macOf(2), "Anna's Laptop");
  await until("the conflict is told", async () => (await lease(other))?.state === "conflict");
  assert.deepEqual(bind.ask(name, "A"), [ip], "and nothing of it was changed");

  await release(macOf(1), ip);
  await until("nothing is told of it any more", async () => (await lease(ip)) === null);
  assert.deepEqual(bind.ask(reverse(ip), "PTR"), []);
  await until("the other has the name", async () => (await lease(other))?.state === "kept");
  assert.deepEqual(bind.ask(name, "A"), [other]);
  await release(macOf(2), other);
  await until("the name is gone", () => bind.ask(name, "ANY").length === 0);
});

test("reservations have their name; a name that people give a device wins over all, at once", async (t) => {
  const at = await ddnsDesk(t);
  if (!at) return;
  const { bind, engine, joined } = at;
  assert.equal(await joined("02:00:00:00:00:50", "liar"), "10.77.0.50");
  await until("the reserved name is there", () => bind.ask(`front-door.${FORWARD}`, "A")[0] === "10.77.0.50");
  await ask(engine, "/v1/leases/10.77.0.50", { method: "PATCH", body: { dns_name: "gate4" } });
  await until("the given name is there", () => bind.ask(`gate4.${FORWARD}`, "A")[0] === "10.77.0.50");
  await until("the other is gone", () => bind.ask(`front-door.${FORWARD}`, "ANY").length === 0);
});

test("while the DNS server is away nobody waits; the newest intent is brought when it is back, also after a kill", async (t) => {
  const at = await ddnsDesk(t);
  if (!at) return;
  const { bind, engine, joined, release, lease } = at;
  await bind.stop();
  const gone = await joined(macOf(3), "gone");
  const stays = await joined(macOf(4), "stays");
  await until("it is told", async () => (await lease(stays))?.error === "the server does not answer");
  await until("it is released", async () => {
    await release(macOf(3), gone);
    return (await ask(engine, `/v1/leases/${gone}`)).state === "released";
  });
  await engine.kill("SIGKILL");
  await engine.start();
  await bind.start();
  await until("what is wanted is there", () => bind.ask(`stays.${FORWARD}`, "A")[0] === stays);
  assert.deepEqual(bind.ask(`gone.${FORWARD}`, "ANY"), []);
});

test("a zone that refuses is told and not asked again; a mended configuration brings the names by itself", async (t) => {
  const bind = await startBind(t);
  if (!bind) return;
  const wrong = { ...bind, key: { ...bind.key, secret: Buffer.alloc(32, 7) } };
  const engine = await labEngine(temporaryHome(t), `${section(wrong)}${SUBNET}`);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  assert.equal((await clients.ask(TYPE.discover, macOf(5), []))?.type, TYPE.offer);
  const said: Array<[number, Uint8Array]> = [[CODE.hostName, textBytes("later")]];
  const offer = await clients.ask(TYPE.discover, macOf(5), said);
  await clients.ask(TYPE.request, macOf(5), [
    ...said,
    [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
    [CODE.serverIdentifier, u32Bytes(0x7f000001)],
  ]);
  const [item] = (await ask(engine, "/v1/leases")).items;
  const shown = async () => (await ask(engine, `/v1/leases/${item.ip}`)).ddns;
  await until("it is told", async () => (await shown())?.state === "refused");
  assert.equal((await shown()).error, "BADSIG");
  writeFileSync(engine.configPath, engine.toml(`${section(bind)}${SUBNET}`));
  engine.process().kill("SIGHUP");
  await until("the name is there", () => bind.ask(`later.${FORWARD}`, "A")[0] === item.ip);
});

test("names of leases that were there before DDNS was turned on are brought too; renewals bring nothing", async (t) => {
  const bind = await startBind(t);
  if (!bind) return;
  const engine = await labEngine(temporaryHome(t), SUBNET);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  const said: Array<[number, Uint8Array]> = [[CODE.hostName, textBytes("early")]];
  const offer = await clients.ask(TYPE.discover, macOf(6), said);
  const asked: Array<[number, Uint8Array]> = [
    ...said,
    [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
    [CODE.serverIdentifier, u32Bytes(0x7f000001)],
  ];
  assert.equal((await clients.ask(TYPE.request, macOf(6), asked))?.type, TYPE.ack);
  writeFileSync(engine.configPath, engine.toml(`${section(bind)}${SUBNET}`));
  engine.process().kill("SIGHUP");
  await until("the name is there", () => bind.ask(`early.${FORWARD}`, "A").length === 1);
  const [{ ip }] = (await ask(engine, "/v1/leases")).items;
  await until("it is settled", async () => (await ask(engine, `/v1/leases/${ip}`)).ddns?.state === "kept");
  const serial = bind.ask(FORWARD, "SOA");
  for (let n = 0; n < 200; n++) await clients.ask(TYPE.request, macOf(6), said, ip);
  assert.deepEqual(bind.ask(FORWARD, "SOA"), serial, "no update was made");
});

test("by suffix: two that want one name both have one", async (t) => {
  const at = await ddnsDesk(t, `collision = "suffix"`);
  if (!at) return;
  const { bind, joined } = at;
  const first = await joined(macOf(7), "twin");
  await until("the first is there", () => bind.ask(`twin.${FORWARD}`, "A")[0] === first);
  const second = await joined(macOf(8), "twin");
  await until("the second is there", () => bind.ask(`twin-2.${FORWARD}`, "A")[0] === second);
  assert.deepEqual(bind.ask(`twin.${FORWARD}`, "A"), [first]);
});

test("DHCPv6: an address brings AAAA and PTR, and one owner has both families where it is known by a DUID", async (t) => {
  const bind = await startBind(t);
  if (!bind) return;
  const port6 = await freePort();
  const v6 = `[dhcpv6]\nenabled = true\n[[ddns.zone]]\nname = "${REVERSE6}"\n${SUBNET}[[subnet]]\nnetwork = "fd77::/64"\n[[subnet.pool]]\nrange = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"\n`;
  const engine = await labEngine(temporaryHome(t), `${section(bind)}${v6}`, `listen6 = ["[::1]:${port6}"]`);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const [clients, clients6] = [await LabClients.open(engine.port), await LabClients6.open(port6)];
  t.after(() => {
    clients.close();
    clients6.close();
  });
  const duid = "00:03:00:01:02:00:00:00:00:77";
  const fqdn = Uint8Array.from([0, 4, ...textBytes("dual"), 0]);
  const reply = await clients6.join({ duid, ias: [na(1)], options: [{ code: 39, value: fqdn }] });
  assert.equal(reply?.type, "REPLY");
  const name = `dual.${FORWARD}`;
  await until("the AAAA is there", () => bind.ask(name, "AAAA").length === 1);
  const [address = ""] = bind.ask(name, "AAAA");
  const reverse = reverseName(ipv6Bytes(parseIpv6(address) ?? 0n));
  await until("the way back is there", () => bind.ask(reverse, "PTR")[0] === `${name}.`);
  await until(
    "the lease tells it",
    async () => (await ask(engine, `/v1/leases/${address}`)).ddns?.state === "kept",
  );

  const clientId = Uint8Array.from([255, 0, 0, 0, 1, ...(parseHex(duid) ?? [])]);
  const said: Array<[number, Uint8Array]> = [
    [CODE.hostName, textBytes("dual")],
    [CODE.clientIdentifier, clientId],
  ];
  const offer = await clients.ask(TYPE.discover, macOf(9), said);
  await clients.ask(TYPE.request, macOf(9), [
    ...said,
    [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
    [CODE.serverIdentifier, u32Bytes(0x7f000001)],
  ]);
  await until("the A is beside it", () => bind.ask(name, "A").length === 1);
  assert.equal(bind.ask(name, "AAAA").length, 1);
});
