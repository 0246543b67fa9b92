import { CODE } from "@frontdesk/lease-options/option-table";
import { holds, isOpenTo } from "../leases/allocate.ts";
import { isActive, STATE } from "../leases/binding.ts";
import { addressOption, allocationRequest, isOfItsDevice, requestedAddress } from "./allocation-request.ts";
import { type Decision, type Exchange, silence, subnetWith } from "./exchange.ts";
import { bind } from "./grant.ts";
import type { Refusal } from "./outcomes.ts";
import { exceedsPort } from "./port-limit.ts";

/** RFC 2131 section 4.3.2: which of the four kinds of REQUEST it is, and whether it gets what it asks. */
export function handleRequest(x: Exchange): Decision {
  const decision = decide(x);
  const { effect, outcome, address = 0 } = decision;
  // Alone, a node does not speak for what the peer may have given.
  if (outcome.kind === "nak" && outcome.reason !== "wrong-network" && !x.failover.mayNak(address)) {
    return silence("peer-may-know");
  }
  if (effect?.kind !== "bind" || effect.renewed) return decision;
  // Nobody was offered it yet: the OFFER, if nobody else has the address, is still to come.
  if (x.probedFor(effect.address) && !isOfItsDevice(x, effect.address)) return silence("being-probed");
  return exceedsPort(x) ? { ...silence("port-limit"), address: effect.address } : decision;
}

function decide(x: Exchange): Decision {
  const server = addressOption(x, CODE.serverIdentifier);
  if (server !== undefined) return selecting(x, server);
  return x.request.ciaddr === 0 ? rebooting(x) : renewing(x, x.request.ciaddr);
}

function selecting(x: Exchange, server: number): Decision {
  const own = x.leases.ofClient(x.identity, x.network.index);
  if (!x.isOurs(server) && server !== x.relay.serverIdOverride) {
    const offered = own.find(({ state }) => state === STATE.offered);
    return {
      ...silence("other-server-chosen"),
      ...(offered ? { effect: { kind: "withdraw", address: offered.address } as const } : {}),
    };
  }
  const address = requestedAddress(x) ?? x.request.ciaddr;
  if (address === 0) return silence("no-address-named");
  x.trail?.push({ kind: "wants", state: "selecting", address });
  // A reserved address can be taken by nobody else; any other must have been offered to this client.
  const offered =
    x.reservation?.ip === address || own.some((each) => each.address === address && isActive(each.state));
  if (!offered) return refuse(address, x.leases.find(address) ? "not-available" : "not-offered");
  return isOpenTo(x.leases, allocationRequest(x), address)
    ? bind(x, address)
    : refuse(address, "not-available");
}

function rebooting(x: Exchange): Decision {
  const address = requestedAddress(x);
  if (address === undefined) return silence("no-address-named");
  x.trail?.push({ kind: "wants", state: "rebooting", address });
  if (!onNetwork(x, address)) return wrongNetwork(x, address);
  const own = x.leases.ofClient(x.identity, x.network.index);
  // RFC 2131 section 4.3.2: a server that has no record of the client must remain silent.
  if (own.length === 0 && !x.reservation) return silence("unknown-client");
  return keep(x, address) ?? refuse(address, "not-its-address");
}

function renewing(x: Exchange, address: number): Decision {
  x.trail?.push({ kind: "wants", state: "renewing", address });
  if (!onNetwork(x, address)) return wrongNetwork(x, address);
  const decision = keep(x, address);
  if (decision) return decision;
  const known =
    x.leases.find(address) !== undefined || x.leases.ofClient(x.identity, x.network.index).length > 0;
  if (known) return refuse(address, "not-its-address");
  // The record was lost, with a disk or by a restored copy: nobody else has it, so the client may go on.
  return isOpenTo(x.leases, allocationRequest(x), address) ? bind(x, address) : silence("unknown-client");
}

/** A client may keep what it has or had, unless another address is reserved for it and open. */
function keep(x: Exchange, address: number): Decision | undefined {
  // A holder yields to a client that begins anew, never to one that goes on with what was given to another since:
  // two devices for which one address is reserved would take it from each other without end.
  const request = { ...allocationRequest(x), yields: () => false };
  const reserved = x.reservation?.ip;
  if (reserved !== undefined && reserved !== address && isOpenTo(x.leases, request, reserved)) {
    return refuse(address, "reserved-another");
  }
  const binding = x.leases.find(address);
  const its = reserved === address || (binding !== undefined && holds(binding, x.identity));
  return its && isOpenTo(x.leases, request, address) ? bind(x, address) : undefined;
}

const onNetwork = (x: Exchange, address: number) => subnetWith(x, address) !== undefined;

const wrongNetwork = (x: Exchange, address: number) =>
  x.config.authoritative ? refuse(address, "wrong-network") : silence("not-authoritative");

const refuse = (address: number, reason: Refusal): Decision => ({
  outcome: { kind: "nak", reason },
  address,
});
