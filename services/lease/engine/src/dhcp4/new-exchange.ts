import { CODE } from "@frontdesk/lease-options/option-table";
import type { Exchange } from "./exchange.ts";
import type { Message } from "./message.ts";
import { readRelayAgent } from "./relay-agent.ts";

const NOBODY = new Uint8Array(0);

export type View = Pick<Exchange, "now" | "config" | "leases" | "isOurs" | "random" | "ingress" | "trail">;

export function newExchange(request: Message, view: View): Exchange {
  return {
    now: view.now,
    request,
    relay: readRelayAgent(request.options.get(CODE.relayAgent)),
    ingress: view.ingress,
    config: view.config,
    leases: view.leases,
    isOurs: view.isOurs,
    random: view.random,
    trail: view.trail,
    identity: NOBODY,
    classes: [],
    network: undefined,
    subnet: undefined,
    reservation: undefined,
    address: 0,
    leaseTime: 0,
    renewed: false,
    replyType: 0,
    effective: undefined,
    change: undefined,
    draft: undefined,
    outcome: "",
  };
}
