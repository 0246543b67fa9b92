import { formatIpv4, readU32, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage } from "../../src/dhcp4/message.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { AnyDatagram, AnyOutgoing, Ingress } from "../../src/loop/wire.ts";
import { packetOf } from "../desk.ts";
import { type Packets, type Said, wireXid } from "./packets.ts";
import type { Request } from "./sim-client.ts";
import { macIn, macOf } from "./world-node.ts";

/** The addresses of the servers, outside of the pool. */
export const SERVERS: Readonly<Record<Role, number>> = { primary: 0x0a4d0001, secondary: 0x0a4d0002 };

const TYPES: Readonly<Record<Request["kind"], number>> = {
  discover: TYPE.discover,
  select: TYPE.request,
  renew: TYPE.request,
  reboot: TYPE.request,
  release: TYPE.release,
  decline: TYPE.decline,
};

/** What the model clients say, as packets of DHCPv4, by the host names that they have. */
export const packets4Of = (hostnameOf: (client: number) => string | undefined): Packets => ({
  datagram: (request, to) => datagram(request, to, hostnameOf(request.client)),
  xidOf,
  replyOf,
  config,
});
export const packets4 = packets4Of(() => undefined);

function datagram(request: Request, to: Role, hostname: string | undefined): AnyDatagram {
  const ingress: Ingress = {
    interfaceName: "eth0",
    addresses: [SERVERS[to]],
    sourceAddress: 0,
    sourcePort: 68,
    unicast: request.isUnicast,
    lab: false,
  };
  const options: Array<[number, Uint8Array]> = [];
  const server = (role: Role) => options.push([CODE.serverIdentifier, u32Bytes(SERVERS[role])]);
  if (request.kind === "discover" || request.kind === "select" || request.kind === "renew") {
    options.push([CODE.leaseTime, u32Bytes(request.wanted)]);
  }
  if (hostname !== undefined) options.push([CODE.hostName, Buffer.from(hostname)]);
  if (request.kind === "select") server(request.server);
  if (request.kind === "release" || request.kind === "decline") server(to);
  if (request.kind === "select" || request.kind === "reboot" || request.kind === "decline") {
    options.push([CODE.requestedAddress, u32Bytes(request.address)]);
  }
  const isHeld = request.kind === "renew" || request.kind === "release";
  const ciaddr = isHeld ? { ciaddr: formatIpv4(request.address) } : {};
  const bytes = packetOf(TYPES[request.kind], {
    mac: macOf(request.client),
    xid: wireXid(request),
    options,
    ...ciaddr,
  });
  return { bytes, ingress };
}

function xidOf({ bytes }: AnyOutgoing): number {
  const message = decodeMessage(bytes);
  return "malformed" in message ? -1 : message.xid;
}

function replyOf({ bytes }: AnyOutgoing, request: Request): Said {
  const message = decodeMessage(bytes);
  if ("malformed" in message) throw new Error(message.malformed);
  const address = message.yiaddr;
  if (message.type === TYPE.offer) return { kind: "offer", address };
  if (message.type === TYPE.nak) return { kind: "nak", address: "address" in request ? request.address : 0 };
  const seconds = readU32(message.options.get(CODE.leaseTime) as Uint8Array, 0);
  return { kind: "ack", address, seconds };
}

function config({ pools, reserved }: Plan): string {
  const ranges = pools.map(
    ({ first, last }) =>
      `[[subnet.pool]]\nrange = "${formatIpv4(Number(first))} - ${formatIpv4(Number(last))}"`,
  );
  const reservations = [...reserved].map(
    ([address, client]) =>
      `[[subnet.reservation]]\nip = "${formatIpv4(Number(address))}"\nmac = "${macIn(client)}"`,
  );
  return ['[[subnet]]\nnetwork = "10.77.0.0/16"', ...ranges, ...reservations].join("\n");
}
