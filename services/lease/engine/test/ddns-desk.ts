import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { TYPE6 } from "@frontdesk/lease-options/option6-table";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { startBind } from "./bind.ts";
import { na, type Reply6, type Sent6 } from "./desk6.ts";
import { FORWARD, REVERSE, REVERSE6 } from "./dns-server.ts";
import { LabClients } from "./lab-clients.ts";
import { LabClients6 } from "./lab-clients6.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

export const SUBNET = `[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.250.250"
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "02:00:00:00:00:50"
hostname = "Front Door"
`;

export type Bind = NonNullable<Awaited<ReturnType<typeof startBind>>>;

export const section = ({ port, key }: Bind, more = "") => `[ddns]
enabled = true
server = "127.0.0.1:${port}"
forward_zone = "${FORWARD}"
reverse_zone = "${REVERSE}"
tsig_name = "${key.name}"
tsig_secret = "${Buffer.from(key.secret).toString("base64")}"
max_updates_per_second = 1000
${more}
`;

/** Asks the engine's control API. */
export async function ask(
  { url, home }: LabEngine,
  path: string,
  { method = "GET", body }: { method?: string; body?: object } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
): Promise<any> {
  const token = readFileSync(join(home, "lease/engine/control-token"), "utf8").trim();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.equal(response.status, 200, path);
  return response.json();
}

/** An engine in the lab that keeps names in a BIND of its own; undefined where there is none. */
export async function ddnsDesk(t: TestContext, more = "", subnet = SUBNET) {
  const bind = await startBind(t);
  if (!bind) return undefined;
  const engine = await labEngine(temporaryHome(t), `${section(bind, more)}${subnet}`);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  /** The four messages of a device that says its name; the address it got. */
  const joined = async (mac: string, name?: string): Promise<string> => {
    const said: Array<[number, Uint8Array]> = name === undefined ? [] : [[CODE.hostName, textBytes(name)]];
    const offer = await clients.askAgain(TYPE.discover, mac, said);
    const ip = offer?.ip ?? assert.fail("no offer");
    const ack = await clients.askAgain(TYPE.request, mac, [
      ...said,
      [CODE.requestedAddress, u32Bytes(ip)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ]);
    assert.equal(ack?.type, TYPE.ack);
    return [24, 16, 8, 0].map((by) => (ip >>> by) & 255).join(".");
  };
  const lease = async (ip: string) => (await ask(engine, `/v1/leases/${ip}`)).ddns;
  const release = (mac: string, ip: string) =>
    clients.ask(TYPE.release, mac, [[CODE.serverIdentifier, u32Bytes(0x7f000001)]], ip, 10);
  const reverse = (ip: string) => `${ip.split(".").reverse().join(".")}.in-addr.arpa`;
  return { bind, engine, clients, joined, lease, release, reverse };
}

/** The same with DHCPv6, and with clients that say their names by option 39. */
export async function ddnsDesk6(
  t: TestContext,
  { more = "", validTime = 3600, ddns = true }: { more?: string; validTime?: number; ddns?: boolean } = {},
) {
  const bind = await startBind(t);
  if (!bind) return undefined;
  const port6 = await freePort();
  const zones = `${section(bind, more)}[[ddns.zone]]\nname = "${REVERSE6}"\n`;
  const v6 = `[dhcpv6]
enabled = true
valid_time = ${validTime}
preferred_time = ${Math.floor(validTime / 2)}
${SUBNET}
[[subnet]]
network = "fd77::/64"
[[subnet.pool]]
range = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"
`;
  const listen = `listen6 = ["[::1]:${port6}"]`;
  const engine = await labEngine(temporaryHome(t), `${ddns ? zones : ""}${v6}`, listen);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients6.open(port6);
  t.after(() => clients.close());
  const servers = new Map<string, Uint8Array | undefined>();
  /** The address that a device got which says its name. */
  const joined = async (
    duid: string,
    name: string,
    { iaid = 1, ...sent }: Sent6 & { iaid?: number } = {},
  ) => {
    const fqdn = { code: 39, value: Uint8Array.from([1, ...name.split(".").flatMap(labelOctets), 0]) };
    const reply = await clients.join({ duid, ias: [na(iaid)], options: [fqdn], ...sent });
    const address = reply?.leases[0]?.[1] ?? assert.fail("no lease");
    servers.set(address, serverOf(reply));
    return address;
  };
  const release = (duid: string, address: string, iaid = 1) =>
    clients.ask(TYPE6.release, { duid, server: servers.get(address) ?? null, ias: [na(iaid, address)] });
  const lease = async (ip: string) => (await ask(engine, `/v1/leases/${ip}`)).ddns;
  return { bind, engine, clients, joined, release, lease, withDdns: engine.toml(`${zones}${v6}`) };
}

const labelOctets = (label: string) => [label.length, ...textBytes(label)];
const serverOf = (reply: Reply6 | undefined) =>
  reply?.packet.message.options.find(({ code }) => code === 2)?.value;
