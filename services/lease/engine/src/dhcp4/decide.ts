import { TYPE } from "@frontdesk/lease-options/option-table";
import type { Ingress } from "../loop/wire.ts";
import { beginExchange } from "./begin.ts";
import { type Decision, type Exchange, silence, type View } from "./exchange.ts";
import { handleBootp, handleDiscover } from "./handle-discover.ts";
import { handleInform } from "./handle-inform.ts";
import { handleRequest } from "./handle-request.ts";
import { handleDecline, handleRelease } from "./handle-return.ts";
import { isOurs } from "./is-ours.ts";
import type { Message } from "./message.ts";

const HANDLERS: ReadonlyMap<number, (x: Exchange) => Decision> = new Map([
  [0, handleBootp],
  [TYPE.discover, handleDiscover],
  [TYPE.request, handleRequest],
  [TYPE.decline, handleDecline],
  [TYPE.release, handleRelease],
  [TYPE.inform, handleInform],
]);

function decided(x: Exchange): Decision {
  const handle = HANDLERS.get(x.request.type);
  if (!handle) return silence("unanswered-type");
  return x.failover.isPaired && !isOurs(x) ? silence("peer-answers") : handle(x);
}

/** The way of every packet, and of every explanation. It changes nothing. */
export function decide(
  request: Message,
  ingress: Ingress,
  view: View,
): { decision: Decision; exchange: Exchange | undefined } {
  const begun = beginExchange(request, ingress, view);
  const exchange = "outcome" in begun ? undefined : begun;
  const decision = exchange ? decided(exchange) : (begun as Decision);
  view.trail?.push({ kind: "outcome", outcome: decision.outcome });
  return { decision, exchange };
}
