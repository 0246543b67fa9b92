import type { Network } from "@frontdesk/lease-config/config";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { isOpenTo } from "../leases/allocate.ts";
import { STATE } from "../leases/lease-table.ts";
import { drop, type Exchange, type Step, type Verdict } from "./exchange.ts";
import { addressOption, requestedAddress, wishOf } from "./wish.ts";

/** RFC 2131 section 4.3.2: which of the four kinds of REQUEST it is, and whether it gets what it asks. */
export const handleRequest: Step = (x) => {
  if (x.request.type !== TYPE.request) return "continue";
  const server = addressOption(x, CODE.serverIdentifier);
  if (server !== undefined) return selecting(x, server);
  return x.request.ciaddr === 0 ? rebooting(x) : renewing(x);
};

function selecting(x: Exchange, server: number): Verdict {
  const requested = requestedAddress(x) || x.request.ciaddr;
  if (!x.isOurs(server) && server !== x.relay.serverIdOverride) {
    const slot = x.leases.findClient(x.identity, (x.network as Network).index);
    if (slot !== undefined && x.leases.state(slot) === STATE.offered) {
      x.change = { kind: "withdraw", address: x.leases.address(slot) };
    }
    return drop(x, "it chose another server");
  }
  if (requested === 0) return drop(x, "it chose an offer without saying which address");
  x.trail?.push(`It takes the offer of ${formatIpv4(requested)}.`);
  return isOpenTo(x.leases, wishOf(x), requested)
    ? acknowledge(x, requested)
    : nak(x, requested, "not available");
}

function rebooting(x: Exchange): Verdict {
  const requested = requestedAddress(x);
  if (requested === 0) return drop(x, "a REQUEST without an address");
  x.trail?.push(`It wants ${formatIpv4(requested)} back after a restart.`);
  if (!onNetwork(x, requested)) return wrongNetwork(x, requested);
  const slot = x.leases.findClient(x.identity, (x.network as Network).index);
  if (slot === undefined && !x.reservation) {
    // RFC 2131 section 4.3.2: a server that has no record of the client must remain silent.
    return drop(x, "no record of this client");
  }
  const rightful = x.reservation ? x.reservation.ip : x.leases.address(slot as number);
  const other = requested !== rightful && isOpenTo(x.leases, wishOf(x), rightful);
  if (other || !isOpenTo(x.leases, wishOf(x), requested)) return nak(x, requested, "not its address");
  return acknowledge(x, requested);
}

function renewing(x: Exchange): Verdict {
  const address = x.request.ciaddr;
  x.trail?.push(`It wants to keep ${formatIpv4(address)}.`);
  if (!onNetwork(x, address)) return wrongNetwork(x, address);
  const wish = wishOf(x);
  const moved = x.reservation && x.reservation.ip !== address && isOpenTo(x.leases, wish, x.reservation.ip);
  if (moved) return nak(x, address, "another address is reserved for it");
  if (isOpenTo(x.leases, wish, address)) return acknowledge(x, address);
  const slot = x.leases.find(address);
  const known =
    slot !== undefined || x.leases.findClient(x.identity, (x.network as Network).index) !== undefined;
  return known ? nak(x, address, "not its address") : drop(x, "no record of this lease");
}

const onNetwork = (x: Exchange, address: number) =>
  (x.network as Network).subnets.some((subnet) => (address & subnet.mask) >>> 0 === subnet.address);

function wrongNetwork(x: Exchange, address: number): Verdict {
  return x.config.authoritative
    ? nak(x, address, "on the wrong network")
    : drop(x, "an address of another network, which this server does not speak for");
}

function acknowledge(x: Exchange, address: number): Verdict {
  const slot = x.leases.find(address);
  x.renewed = slot !== undefined && x.leases.holds(slot, x.identity) && x.leases.state(slot) === STATE.bound;
  x.address = address;
  x.replyType = TYPE.ack;
  return "continue";
}

function nak(x: Exchange, address: number, why: string): Verdict {
  x.replyType = TYPE.nak;
  x.outcome = why;
  x.change = { kind: "nak", address, why };
  x.trail?.push(`${formatIpv4(address)} is refused: ${why}.`);
  return "continue";
}
