import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { until } from "@frontdesk/testkit/until";
import { dhcidOf, ownerOfDuid } from "../src/ddns/dhcid.ts";
import { ask, ddnsDesk6 } from "./ddns-desk.ts";
import { ip6, octets } from "./desk6.ts";
import { FORWARD, REVERSE } from "./dns-server.ts";
import { LabClients } from "./lab-clients.ts";

const [ONE, TWO] = ["00:03:00:01:02:00:00:00:00:01", "00:03:00:01:02:00:00:00:00:02"];

test("the name of a lease that ended while the engine was stopped leaves DNS, and the next device gets it", async (t) => {
  const at = await ddnsDesk6(t, { validTime: 4 });
  if (!at) return;
  const { bind, engine, joined, lease } = at;
  const name = `anna.${FORWARD}`;
  const address = await joined(ONE, "anna");
  await until("the name is there", async () => (await lease(address))?.state === "kept");
  await engine.kill("SIGTERM");
  const end = Date.now() + 4000;
  await until("the lease is over", () => Date.now() > end + 1000);
  await engine.start();
  await until(
    "the name is gone",
    () => bind.ask(name, "AAAA").length === 0 && bind.ask(name, "DHCID").length === 0,
  );
  const other = await joined(TWO, "anna");
  await until("another has it", async () => (await lease(other))?.state === "kept");
});

test("a device with two addresses has both in DNS, and each goes with its own lease", async (t) => {
  const at = await ddnsDesk6(t);
  if (!at) return;
  const { bind, joined, release, lease } = at;
  const name = `dual.${FORWARD}`;
  const first = await joined(ONE, "dual");
  await until("the first is there", async () => (await lease(first))?.state === "kept");
  const second = await joined(ONE, "dual", { iaid: 2 });
  await until("both are there", () => bind.ask(name, "AAAA").length === 2);
  await until("it is told", async () => (await lease(second))?.state === "kept");
  await release(ONE, second, 2);
  await until("the first is left", () => bind.ask(name, "AAAA").length === 1);
  assert.deepEqual(bind.ask(name, "AAAA"), [first]);
  assert.equal((await lease(first))?.state, "kept");
  await release(ONE, first);
  await until("the name is gone", () => bind.ask(name, "ANY").length === 0);
});

test("a device that waits for a name gets it when its owner leaves", async (t) => {
  const at = await ddnsDesk6(t);
  if (!at) return;
  const { bind, joined, release, lease } = at;
  const old = await joined(ONE, "desk");
  await until("the first has it", async () => (await lease(old))?.state === "kept");
  const fresh = await joined(TWO, "desk");
  await until("the second waits", async () => (await lease(fresh))?.state === "conflict");
  await release(ONE, old);
  await until("the second has it", () => bind.ask(`desk.${FORWARD}`, "AAAA")[0] === fresh);
});

test("a client that calls itself by a name of the reverse zone changes nothing there", async (t) => {
  const at = await ddnsDesk6(t);
  if (!at) return;
  const { bind, joined, lease } = at;
  const address = await joined(ONE, `9.1.${REVERSE}`);
  await until("it has another name", async () => (await lease(address))?.state === "kept");
  assert.equal((await lease(address))?.name, `9.${FORWARD}`);
  assert.deepEqual(bind.ask(`9.1.${REVERSE}`, "ANY"), []);
});

test("RFC 4701 section 3.5: the DHCID at a name with a suffix is of that name", async (t) => {
  const at = await ddnsDesk6(t, { more: 'collision = "suffix"' });
  if (!at) return;
  const { bind, joined, lease } = at;
  const first = await joined(ONE, "twin");
  await until("the first is there", async () => (await lease(first))?.state === "kept");
  const second = await joined(TWO, "twin");
  await until("the second is there", async () => (await lease(second))?.state === "kept");
  const name = `twin-2.${FORWARD}`;
  assert.deepEqual(bind.ask(name, "AAAA"), [second]);
  const dhcid = dhcidOf(ownerOfDuid(octets(TWO)), name);
  assert.equal(bind.ask(name, "DHCID").join("").replaceAll(" ", ""), Buffer.from(dhcid).toString("base64"));
});

test("leases of DHCPv6 that were there before DDNS was turned on are brought to DNS", async (t) => {
  const at = await ddnsDesk6(t, { ddns: false });
  if (!at) return;
  const { bind, engine, joined, withDdns } = at;
  const address = await joined(ONE, "early");
  writeFileSync(engine.configPath, withDdns);
  engine.process().kill("SIGHUP");
  await until("the name is there", () => bind.ask(`early.${FORWARD}`, "AAAA")[0] === address);
});

test("a name that people give a device of DHCPv6 is in DNS at once, and leaves when it is taken away", async (t) => {
  const at = await ddnsDesk6(t);
  if (!at) return;
  const { bind, engine, joined } = at;
  const hop = { link: ip6("fd77::1"), options: [{ code: 79, value: octets("00:01:02:00:00:00:00:77") }] };
  const address = await joined(ONE, "own", { relays: [hop] });
  await until("its own name is there", () => bind.ask(`own.${FORWARD}`, "AAAA")[0] === address);
  const patch = (name: string | null) =>
    ask(engine, `/v1/leases/${address}`, { method: "PATCH", body: { dns_name: name } });
  await patch("gate6");
  await until("the given name is there", () => bind.ask(`gate6.${FORWARD}`, "AAAA")[0] === address);
  await until("the other is gone", () => bind.ask(`own.${FORWARD}`, "ANY").length === 0);
  await patch(null);
  await until("its own name is back", () => bind.ask(`own.${FORWARD}`, "AAAA")[0] === address);
});

test("a device that a relay knows by its hardware address has A and AAAA under one name, and one name from people", async (t) => {
  const at = await ddnsDesk6(t);
  if (!at) return;
  const { bind, engine, joined, lease } = at;
  const clients4 = await LabClients.open(engine.port);
  t.after(() => clients4.close());
  const said: Array<[number, Uint8Array]> = [
    [CODE.hostName, textBytes("dual")],
    [CODE.clientIdentifier, Uint8Array.from([1, 2, 0, 0, 0, 0, 0x77])],
  ];
  const mac = "02:00:00:00:00:77";
  const offer = await clients4.ask(TYPE.discover, mac, said);
  await clients4.ask(TYPE.request, mac, [
    ...said,
    [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
    [CODE.serverIdentifier, u32Bytes(0x7f000001)],
  ]);
  await until("the A is there", () => bind.ask(`dual.${FORWARD}`, "A").length === 1);
  const hop = { link: ip6("fd77::1"), options: [{ code: 79, value: octets(`00:01:${mac}`) }] };
  const address = await joined(ONE, "dual", { relays: [hop] });
  await until("the AAAA is beside it", () => bind.ask(`dual.${FORWARD}`, "AAAA")[0] === address);
  await until("it is told", async () => (await lease(address))?.state === "kept");
  await ask(engine, `/v1/leases/${address}`, { method: "PATCH", body: { dns_name: "gate" } });
  await until("both have it", () =>
    ["A", "AAAA"].every((type) => bind.ask(`gate.${FORWARD}`, type).length === 1),
  );
});
