import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { holds } from "../leases/allocate.ts";
import { STATE } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import { portOfRelay } from "../loop/relay-port.ts";
import type { Ingress } from "../loop/wire.ts";
import { classify } from "./classify.ts";
import { type Decision, type Exchange, silence, type View } from "./exchange.ts";
import { describeIdentity, identityOf, MAX_CLIENT_ID } from "./identify.ts";
import { locate, trustsRelay } from "./locate.ts";
import { BOOTREQUEST, type Message } from "./message.ts";
import { NO_RELAY_AGENT, type RelayAgent, readRelayAgent } from "./relay-agent.ts";
import { reservationOf } from "./reservation.ts";

/** Who asks, from where, and what is kept for it; or why it is not answered. */
export function beginExchange(request: Message, ingress: Ingress, view: View): Exchange | Decision {
  const { config, leases, trail } = view;
  if (request.op !== BOOTREQUEST) return silence("not-a-request");
  const clientId = request.options.get(CODE.clientIdentifier);
  if (clientId && clientId.length > MAX_CLIENT_ID) return silence("identifier-too-long");
  const identity = identityOf(config, request.htype, request.chaddr, clientId);
  if (!identity) return silence("no-identity");
  trail?.push({ kind: "client", ...describeIdentity(identity) });

  const { giaddr } = request;
  if (giaddr !== 0 && !trustsRelay(config, giaddr)) return silence("untrusted-relay");
  // Without a giaddr no relay has spoken, whatever option 82 says.
  const told = giaddr === 0 ? NO_RELAY_AGENT : readRelayAgent(request.options.get(CODE.relayAgent));
  const { subnet, by, address } = locate(config, request, told, ingress);
  if (!subnet) return silence("no-subnet");
  const { network } = subnet;
  trail?.push({ kind: "network", name: network.name, by, address, interfaceName: ingress.interfaceName });

  const past = config.asksRelays ? pastRelay(request, identity, view) : undefined;
  const relay: RelayAgent = past
    ? {
        ...told,
        octets: past.relayAgent ?? undefined,
        circuitId: past.circuitId ?? undefined,
        remoteId: past.remoteId ?? undefined,
      }
    : told;
  const interfaceName = past?.interface ?? ingress.interfaceName;
  const classes = classify(config.classes, { request, relay, interfaceName, giaddr: past?.giaddr ?? giaddr });
  trail?.push({ kind: "classes", names: classes.map(({ name }) => name) });
  const { circuitId, remoteId } = relay;
  const reservation = reservationOf(network, { mac: request.chaddr, clientId, circuitId, remoteId });
  trail?.push({ kind: "reservation", address: reservation?.ip });
  const port = portOf(giaddr, told, ingress);
  const { now, replay, record, isOurs, isPeers, probedFor, hasAnswered } = view;
  const { declinesOf, isChurning, isContested, random, failover } = view;
  return {
    now,
    replay,
    config,
    leases,
    record,
    isOurs,
    isPeers,
    probedFor,
    hasAnswered,
    declinesOf,
    isChurning,
    isContested,
    random,
    failover,
    trail,
    request,
    ingress,
    relay,
    identity,
    network,
    subnet,
    classes,
    reservation,
    port,
  };
}

/**
 * RFC 2131 section 4.3.2: a renewal is sent past the relay, which says nothing of the client then.
 * Trust the address and its binding: what the relay said before still holds.
 */
function pastRelay(request: Message, identity: Uint8Array, view: View): LeaseRecord | undefined {
  if (request.giaddr !== 0 || request.ciaddr === 0 || request.type !== TYPE.request) return undefined;
  const binding = view.leases.find(request.ciaddr);
  if (!binding || binding.state !== STATE.bound || !holds(binding, identity)) return undefined;
  return view.record(request.ciaddr);
}

export function portOf(
  giaddr: number,
  relay: Pick<RelayAgent, "circuitId">,
  ingress: Pick<Ingress, "interfaceName">,
): string {
  if (giaddr === 0) return ingress.interfaceName;
  return relay.circuitId ? portOfRelay(formatIpv4(giaddr), relay.circuitId) : formatIpv4(giaddr);
}
