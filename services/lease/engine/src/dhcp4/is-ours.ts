import { formatIpv4 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../leases/binding.ts";
import { addressOption } from "./allocation-request.ts";
import type { Exchange } from "./exchange.ts";

/** Whether a message is for this node of a pair to answer, or to hear. */
export function isOurs(x: Exchange): boolean {
  const own = x.leases.ofClient(x.identity, x.network.index);
  const bound = own.find(({ state }) => state === STATE.bound);
  const last = bound ?? own.find(({ state }) => state !== STATE.offered);
  const question = {
    isRenewal: bound !== undefined,
    names: namedBy(x),
    identity: x.identity,
    last: last?.address,
  };
  x.trail?.push({ kind: "pair", sentence: x.failover.explainAnswer(question) });
  return x.failover.answers(question);
}

/** A REQUEST that takes an offer names its server, and what is sent to one node is for that one. */
function namedBy(x: Exchange): "own" | "other" | undefined {
  const { request, ingress, relay } = x;
  const server = addressOption(x, CODE.serverIdentifier);
  if (server !== undefined) {
    // A relay that stands in for its servers (RFC 5107) names none of them.
    if (server === relay.serverIdOverride && !x.isOurs(server)) return undefined;
    const isOwn = x.isOurs(server);
    if (!isOwn) x.failover.heardOf(formatIpv4(server));
    // Another server was chosen: what was offered here is withdrawn, which is an answer to nobody.
    return isOwn || request.type === TYPE.request ? "own" : "other";
  }
  // A relay sends to all servers what its client has sent to none of them.
  return ingress.unicast && request.giaddr === 0 && request.ciaddr !== 0 ? "own" : undefined;
}
