import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Replay } from "@frontdesk/lease-control-api/replay";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LabClients, macOf } from "./lab-clients.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

const SUBNET = `[[subnet]]
network = "10.77.0.0/16"
options = { routers = ["10.77.0.1"] }
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.10"
`;
const cleanUp: Array<() => unknown> = [];
let engine: LabEngine;
let token = "";

before(async () => {
  engine = await labEngine(temporaryHome({ after: (fn) => cleanUp.push(fn as () => unknown) }), SUBNET);
  await engine.start();
  token = readFileSync(join(engine.home, "lease/engine/control-token"), "utf8").trim();
  const clients = await LabClients.open(engine.port);
  for (let n = 1; n <= 4; n++) {
    const named: Array<[number, Uint8Array]> = [[CODE.hostName, textBytes(`desk-${n}`)]];
    const offer = await clients.ask(TYPE.discover, macOf(n), named);
    await clients.ask(TYPE.request, macOf(n), [
      ...named,
      [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ]);
  }
  clients.close();
});
after(async () => {
  await engine.kill("SIGTERM");
  for (const each of cleanUp.reverse()) await each();
});

async function replayed(subnets: string): Promise<Replay> {
  const response = await fetch(`${engine.url}/v1/config/replay`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/toml" },
    body: engine.toml(subnets),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Replay;
}
const addressOf = async (n: number) => {
  const response = await fetch(`${engine.url}/v1/leases?q=desk-${n}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { items: Array<{ ip: string }> }).items[0]?.ip;
};

test("the configuration that runs changes nothing for anybody", async () => {
  const { items, ...counts } = await replayed(SUBNET);
  assert.deepEqual(counts, { clients: 4, unchanged: 4, refused: 0, moved: 0, served: 0, changed: 0 });
  assert.deepEqual(items, []);
});

test("another option: everybody keeps the address, and is named with the option", async () => {
  const { changed, items } = await replayed(SUBNET.replace('"10.77.0.1"', '"10.77.0.2"'));
  assert.equal(changed, 4);
  const [first] = items.toSorted((a, b) => String(a.mac).localeCompare(String(b.mac)));
  const ip = await addressOf(1);
  assert.deepEqual(first, {
    kind: "changed",
    mac: macOf(1),
    client_id: null,
    duid: null,
    hostname: "desk-1",
    before: ip,
    after: ip,
    reason: null,
    options: ["routers"],
  });
});

test("a pool elsewhere with too few addresses: some move, each to its own, and the rest are refused", async () => {
  const elsewhere = SUBNET.replace("10.77.1.1 - 10.77.1.10", "10.77.2.1 - 10.77.2.3");
  const { moved, refused, items } = await replayed(elsewhere);
  assert.deepEqual([moved, refused], [3, 1]);
  const taken = items.filter(({ kind }) => kind === "moved").map(({ after: ip }) => ip);
  assert.deepEqual(taken.toSorted(), ["10.77.2.1", "10.77.2.2", "10.77.2.3"]);
  assert.deepEqual([items[0]?.kind, items[0]?.after, items[0]?.reason], ["refused", null, "no-free-address"]);
});

test("a reservation moves its device alone", async () => {
  const reserved = `${SUBNET}[[subnet.reservation]]\nip = "10.77.0.9"\nmac = "${macOf(2)}"\n`;
  const { moved, unchanged, items } = await replayed(reserved);
  assert.deepEqual([moved, unchanged], [1, 3]);
  assert.deepEqual([items[0]?.mac, items[0]?.after], [macOf(2), "10.77.0.9"]);
});

test("another network moves everybody; a mistake is told, and nothing is applied", async () => {
  assert.equal((await replayed(SUBNET.replaceAll("10.77.", "10.78."))).moved, 4);
  const wrong = await fetch(`${engine.url}/v1/config/replay`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/toml" },
    body: "[server]\nlissten = 1\n",
  });
  assert.equal(wrong.status, 422);
  assert.ok(await addressOf(1));
});
