import { formatIpv6 } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { readIas } from "../../src/dhcp6/ia.ts";
import { decodePacket } from "../../src/dhcp6/message.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { AnyDatagram, AnyOutgoing } from "../../src/loop/wire.ts";
import { packetOf6 } from "../desk6.ts";
import { type Packets, type Said, wireXid } from "./packets.ts";
import type { Request } from "./sim-client.ts";
import { macIn, macOf } from "./world-node.ts";

/** DUIDs of the servers: type 4, a UUID. */
export const DUIDS: Readonly<Record<Role, Uint8Array>> = {
  primary: Uint8Array.from([0, 4, ...new Uint8Array(16).fill(1)]),
  secondary: Uint8Array.from([0, 4, ...new Uint8Array(16).fill(2)]),
};
const LINK_LOCAL = 0xfe80n << 112n;
const textOf = (address: unknown) => formatIpv6(BigInt(address as number));
const duidOf = (mac: string) => `00:03:00:01:${mac}`;

/** What the model clients say, as packets of DHCPv6. An address of the world is the same number here. */
export const packets6: Packets = { datagram, xidOf, replyOf, config };

/** A client goes on with its server by RENEW, and with any by REBIND, also after a restart. */
function typeOf({ kind, isUnicast }: Request): number {
  if (kind === "discover") return TYPE6.solicit;
  if (kind === "select") return TYPE6.request;
  if (kind === "release") return TYPE6.release;
  if (kind === "decline") return TYPE6.decline;
  return kind === "renew" && isUnicast ? TYPE6.renew : TYPE6.rebind;
}

function datagram(request: Request, to: Role): AnyDatagram {
  const type = typeOf(request);
  const named = request.kind === "select" ? request.server : to;
  const isNamed = type !== TYPE6.solicit && type !== TYPE6.rebind;
  const leases =
    "address" in request ? [{ address: BigInt(request.address), length: 128, preferred: 0, valid: 0 }] : [];
  const bytes = packetOf6(type, {
    duid: duidOf(macOf(request.client)),
    xid: wireXid(request),
    server: isNamed ? DUIDS[named] : null,
    ias: [{ type: CODE6.iaNa, iaid: 1, leases }],
  });
  const ingress = {
    interfaceName: "eth0",
    addresses: [],
    sourceAddress: LINK_LOCAL + BigInt(request.client + 1),
    sourcePort: 546,
    unicast: false,
    lab: false,
  };
  return { family: 6, bytes, ingress };
}

function xidOf({ bytes }: AnyOutgoing): number {
  const packet = decodePacket(bytes);
  return "malformed" in packet ? -1 : packet.message.xid;
}

function replyOf({ bytes }: AnyOutgoing, request: Request): Said | undefined {
  const packet = decodePacket(bytes);
  if ("malformed" in packet) throw new Error(packet.malformed);
  if (request.kind === "release" || request.kind === "decline") return undefined;
  const leases = (readIas(packet.message.options) ?? []).flatMap((ia) => ia.leases);
  const ended = "address" in request && leases.find(({ address }) => address === BigInt(request.address));
  if (ended && ended.valid === 0) return { kind: "nak", address: Number(ended.address) };
  const lease = leases.find(({ valid }) => valid > 0);
  if (!lease) return undefined;
  const address = Number(lease.address);
  if (packet.message.type === TYPE6.advertise) return { kind: "offer", address };
  return { kind: "ack", address, seconds: lease.valid };
}

function config({ pools, reserved }: Plan): string {
  const ranges = pools.map(
    ({ first, last }) => `[[subnet.pool]]\nrange = "${textOf(first)} - ${textOf(last)}"`,
  );
  const reservations = [...reserved].map(
    ([address, client]) =>
      `[[subnet.reservation]]\nip = "${textOf(address)}"\nduid = "${duidOf(macIn(client))}"`,
  );
  return [
    "[dhcpv6]\nenabled = true\npreferred_time = 30\nvalid_time = 60",
    '[[subnet]]\nnetwork = "::/64"\ninterface = "eth0"',
    ...ranges,
    ...reservations,
  ].join("\n");
}
