import { formatHex } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import type { Ingress6 } from "../loop/wire.ts";
import { beginExchange6 } from "./begin.ts";
import { type Decision6, type Exchange6, silence6, type View6 } from "./exchange.ts";
import { handleRequest6, handleSolicit } from "./handle-begin.ts";
import { handleConfirm, handleInformation } from "./handle-confirm.ts";
import { handleRebind, handleRenew } from "./handle-extend.ts";
import { handleRegistration } from "./handle-registration.ts";
import { handleDecline6, handleRelease6 } from "./handle-return.ts";
import type { Packet6 } from "./message.ts";
import { firstOption } from "./options.ts";
import { whyNotOurs } from "./why-not-ours.ts";

const HANDLERS: ReadonlyMap<number, (x: Exchange6) => Decision6> = new Map([
  [TYPE6.solicit, handleSolicit],
  [TYPE6.request, handleRequest6],
  [TYPE6.confirm, handleConfirm],
  [TYPE6.renew, handleRenew],
  [TYPE6.rebind, handleRebind],
  [TYPE6.release, handleRelease6],
  [TYPE6.decline, handleDecline6],
  [TYPE6.informationRequest, handleInformation],
  [TYPE6.addrRegInform, handleRegistration],
]);

/** A client that speaks to the peer says that the peer is there. */
function tellOfOther({ message }: Packet6, { outcome }: Decision6, { failover }: View6): void {
  const server = firstOption(message.options, CODE6.serverId);
  const isOther = outcome.kind === "silence" && outcome.reason === "other-server-chosen";
  if (isOther && server) failover.heardOf(formatHex(server, ""));
}

function decided(x: Exchange6): Decision6 {
  const handle = HANDLERS.get(x.request.type);
  if (!handle) return silence6("unanswered-type");
  const silence = x.failover.isPaired ? whyNotOurs(x) : undefined;
  return silence ? silence6(silence) : handle(x);
}

/**
 * The way of every packet, and of every explanation. What is decided goes into the batch at once, IA by IA, so that the
 * next one sees it; who asks for an explanation alone gives a batch that is dropped.
 */
export function decide6(
  packet: Packet6,
  ingress: Ingress6,
  view: View6,
): { decision: Decision6; exchange: Exchange6 | undefined } {
  const begun = beginExchange6(packet, ingress, view);
  const exchange = "outcome" in begun ? undefined : begun;
  const decision = exchange ? decided(exchange) : (begun as Decision6);
  if (!exchange && view.failover.isPaired) tellOfOther(packet, decision, view);
  view.trail?.push({ kind: "outcome", outcome: decision.outcome });
  return { decision, exchange };
}
