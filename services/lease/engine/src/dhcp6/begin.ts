import { formatIpv6, sameBytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { portOfRelay } from "../loop/relay-port.ts";
import type { Ingress6 } from "../loop/wire.ts";
import { classify6 } from "./classify.ts";
import { type Decision6, type Exchange6, silence6, type View6 } from "./exchange.ts";
import { MAX_IA, readIas } from "./ia.ts";
import { MAX_DUID, MIN_DUID } from "./identity.ts";
import { locate6, trustsRelay6 } from "./locate.ts";
import { MAX_REPLY6, type Message6, type Packet6, sizeOf } from "./message.ts";
import { firstOption } from "./options.ts";
import type { Silence6 } from "./outcomes.ts";
import { type RelayInfo, readRelays, replyHops } from "./relays.ts";
import { reservationOf6 } from "./reservation.ts";

/** RFC 9915 section 16: which messages must name their client and their server, and which must not. */
const NAMES: ReadonlyMap<number, { client: boolean; server: "ours" | "none" | "ours-or-none" }> = new Map([
  [TYPE6.solicit, { client: true, server: "none" }],
  [TYPE6.request, { client: true, server: "ours" }],
  [TYPE6.confirm, { client: true, server: "none" }],
  [TYPE6.renew, { client: true, server: "ours" }],
  [TYPE6.rebind, { client: true, server: "none" }],
  [TYPE6.release, { client: true, server: "ours" }],
  [TYPE6.decline, { client: true, server: "ours" }],
  [TYPE6.informationRequest, { client: false, server: "ours-or-none" }],
  [TYPE6.addrRegInform, { client: true, server: "none" }],
]);

const NOBODY = new Uint8Array(0);
const MAX_IAS = 16;
/** As much as preference and rapid commit need. */
const SMALL = new Uint8Array(8);

/** Who asks, from where, and what is kept for it; or why it is not answered. */
export function beginExchange6(packet: Packet6, ingress: Ingress6, view: View6): Exchange6 | Decision6 {
  const { config, trail } = view;
  const { v6 } = config;
  const request = packet.message;
  const wrong = whyInvalid(packet, ingress, view.serverId);
  if (wrong) return silence6(wrong);
  const duid = firstOption(request.options, CODE6.clientId) ?? NOBODY;
  if (duid.length > 0) trail?.push({ kind: "client", duid });
  const named = readIas(request.options);
  if (!named) return silence6("malformed-association");
  if (request.type === TYPE6.informationRequest && named.length > 0) {
    return silence6("addresses-in-information-request");
  }
  // What is decided of an IA must reach its client: only those are looked at whose answers fit one packet.
  const room = roomForIas(packet, duid, view.serverId);
  const ias = named.slice(0, Math.max(0, Math.min(MAX_IAS, Math.floor(room / MAX_IA))));
  if (ias.length === 0 && named.length > 0) return silence6("no-room");

  if (packet.relays.length > 0 && !trustsRelay6(v6, ingress)) return silence6("untrusted-relay");
  const relay = readRelays(packet);
  const { subnet, by, address } = locate6(v6, packet, ingress);
  if (!subnet) return silence6("no-subnet");
  const { network } = subnet;
  const { interfaceName } = ingress;
  trail?.push({ kind: "network", name: network.name, by, address, interfaceName });
  const classes = classify6(config.classes, { request, relay, duid, interfaceName });
  trail?.push({ kind: "classes", names: classes.map(({ name }) => name) });
  const reservation = reservationOf6(network, { duid, ...relay });
  trail?.push({ kind: "reservation", reservation });
  return {
    ...view,
    v6,
    packet,
    request,
    ias,
    room,
    ingress,
    relay,
    duid,
    network,
    subnet,
    classes,
    reservation,
    port: portOf6(packet.relays.at(-1)?.link ?? 0n, relay, ingress),
  };
}

/** What a reply has left beside what it must have: its relays, and who it is from and for. */
function roomForIas(packet: Packet6, duid: Uint8Array, serverId: Uint8Array): number {
  const options = [duid, serverId, SMALL].map((value) => ({ code: 0, value }));
  const message = { type: TYPE6.reply, xid: 0, options };
  return MAX_REPLY6 - sizeOf({ message, relays: replyHops(packet), relayType: packet.relayType });
}

function whyInvalid(packet: Packet6, ingress: Ingress6, ours: Uint8Array): Silence6 | undefined {
  const { type, options } = packet.message;
  const names = NAMES.get(type);
  if (!names || packet.relayType === TYPE6.relayReply) return "unanswered-type";
  // RFC 9915 has no server unicast: clients send to all servers, and only relays to one.
  const isDirect = packet.relays.length === 0 && ingress.unicast && !ingress.lab;
  if (isDirect) return "sent-to-one";
  return whyMisnamed(names, { type, xid: 0, options }, ours);
}

function whyMisnamed(
  names: { client: boolean; server: "ours" | "none" | "ours-or-none" },
  { options }: Message6,
  ours: Uint8Array,
): Silence6 | undefined {
  const client = firstOption(options, CODE6.clientId);
  if (!client && names.client) return "no-identity";
  if (client && (client.length < MIN_DUID || client.length > MAX_DUID)) return "bad-identity";
  const server = firstOption(options, CODE6.serverId);
  if (!server) return names.server === "ours" ? "no-server-named" : undefined;
  if (names.server === "none") return "server-named";
  return sameBytes(server, ours) ? undefined : "other-server-chosen";
}

/** Where a client is attached, as ports are counted. */
export function portOf6(
  link: bigint,
  { interfaceId }: Pick<RelayInfo, "interfaceId">,
  { interfaceName }: Pick<Ingress6, "interfaceName">,
): string {
  if (interfaceId) return portOfRelay(formatIpv6(link), interfaceId);
  return link === 0n ? interfaceName : formatIpv6(link);
}
