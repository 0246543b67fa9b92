import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { asking, decisionAmong, eventsAbout } from "../../console/src/lease-decision.ts";
import { packetOf } from "../../engine/test/desk.ts";
import { ip6, na } from "../../engine/test/desk6.ts";
import { LabClients6 } from "../../engine/test/lab-clients6.ts";
import { managerDesk } from "./manager-desk.ts";

const SUBNETS = `
[dhcpv6]
enabled = true

[[subnet]]
network = "127.77.0.0/16"

  [[subnet.pool]]
  range = "127.77.1.1 - 127.77.1.250"

  [[subnet.reservation]]
  ip = "127.77.0.60"
  circuit_id = "port-7"

  [[subnet.reservation]]
  ip = "127.77.0.61"
  remote_id = "0x00ff"

  [[subnet.reservation]]
  ip = "127.77.0.62"
  circuit_id = "0x${Buffer.from("0x12ab").toString("hex")}"

[[subnet]]
network = "fd77::/64"

  [[subnet.pool]]
  range = "fd77::1000 - fd77::1000"

  [[subnet.reservation]]
  ip = "fd77::60"
  interface_id = "port-8"

  [[subnet.reservation]]
  ip = "fd77::61"
  remote_id = "0x00000009ff"

  [[subnet.reservation]]
  ip = "fd77::62"
  mac = "02:00:00:00:00:63"
`;
const ascii = (text: string) => [...Buffer.from(text)];
const [A, B, C] = ["61", "62", "63"].map((end) => `00:03:00:01:02:00:00:00:00:${end}`) as [
  string,
  string,
  string,
];

test("why, of a lease: the device is asked for as the relay told of it, and its own decision is told", async (t) => {
  const port = await freePort();
  const desk = await managerDesk(t, {}, { subnet: `listen6 = ["[::1]:${port}"]\n${SUBNETS}` });
  const admin = await desk.signedIn();
  const leaseOf = async (ip: string) => (await admin("GET", `leases/${encodeURIComponent(ip)}`)).json;
  const wouldGet = async (ip: string) => {
    const explained = await admin("POST", "explain", { body: asking(await leaseOf(ip)) });
    return explained.json.reply?.ip;
  };

  await t.test("DHCPv4", async () => {
    const relay = createSocket("udp4");
    t.after(() => relay.close());
    relay.bind(0, "127.0.0.1");
    await once(relay, "listening");
    for (const [ip, mac, said] of [
      ["127.77.0.60", "02:00:00:00:00:71", [1, 6, ...ascii("port-7")]],
      ["127.77.0.61", "02:00:00:00:00:72", [2, 2, 0, 255]],
      ["127.77.0.62", "02:00:00:00:00:73", [1, 6, ...ascii("0x12ab")]],
    ] as const) {
      const told = [82, Uint8Array.from(said)] as [number, Uint8Array];
      const sent = (type: number, more: Array<[number, string | Uint8Array]>) =>
        relay.send(
          packetOf(type, { mac, giaddr: "127.77.0.1", options: [told, ...more] }),
          desk.dhcp,
          "127.0.0.1",
        );
      await until("it has its lease", async () => {
        sent(TYPE.discover, []);
        sent(TYPE.request, [
          [50, ip],
          [54, Uint8Array.of(127, 0, 0, 1)],
        ]);
        return (await leaseOf(ip)).state === "active";
      });
      assert.equal(await wouldGet(ip), ip);
    }
  });

  const clients = await LabClients6.open(port);
  t.after(() => clients.close());

  await t.test("DHCPv6", async () => {
    for (const [ip, duid, code, value] of [
      ["fd77::60", A, CODE6.interfaceId, ascii("port-8")],
      ["fd77::61", B, CODE6.remoteId, [0, 0, 0, 9, 255]],
    ] as const) {
      const relays = [{ link: ip6("fd77::1"), options: [{ code, value: Uint8Array.from(value) }] }];
      const reply = await clients.join({ duid, ias: [na(1)], relays });
      assert.equal(reply?.leases[0]?.[1], ip);
      assert.equal(await wouldGet(ip), ip);
    }
    // RFC 6221: a relay on the link itself names no link, and RFC 6939 the hardware address.
    const options = [
      { code: CODE6.interfaceId, value: Uint8Array.from(ascii("port-9")) },
      { code: CODE6.clientLinkLayer, value: Uint8Array.of(0, 1, 2, 0, 0, 0, 0, 0x63) },
    ];
    const reply = await clients.join({ duid: C, ias: [na(1)], relays: [{ link: 0n, options }] });
    assert.equal(reply?.leases[0]?.[1], "fd77::62");
    assert.equal(await wouldGet("fd77::62"), "fd77::62");
  });

  await t.test("as decided: not what was said to another device that asked for the address", async () => {
    const ip = "fd77::1000";
    assert.equal((await clients.join({ duid: A, ias: [na(2)] }))?.leases[0]?.[1], ip);
    await clients.ask(TYPE6.solicit, { duid: B, ias: [na(2, ip)] });
    const events = async () => {
      const query = new URLSearchParams(
        Object.entries(eventsAbout(await leaseOf(ip))).map(([key, value]) => [key, String(value)]),
      );
      return (await admin("GET", `lease-events?${query}`)).json.items;
    };
    await until("its refusal is in the history", async () => (await events())[0].duid === B);
    const decision = decisionAmong(await leaseOf(ip), await events());
    assert.deepEqual([decision?.type, decision?.duid], ["grant", A]);
  });
});
