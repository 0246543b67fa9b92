import { u32Bytes } from "@frontdesk/lease-options/address";
import type { Options } from "@frontdesk/lease-options/option-types";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { FOREVER } from "../leases/binding.ts";
import { fqdnAnswer } from "./client-names.ts";
import type { Decision6, Exchange6 } from "./exchange.ts";
import { effectiveOf6 } from "./grant.ts";
import { isStateless } from "./handle-begin.ts";
import { type Ia, iaOption, MAX_IA, MAX_LEASE, statusOption } from "./ia.ts";
import type { Packet6 } from "./message.ts";
import { firstOption, type Option6, readCodes } from "./options.ts";
import { acceptsReconfigure, keyOptions } from "./reconfigure.ts";
import { replyHops } from "./relays.ts";

const EMPTY = new Uint8Array(0);
/** RFC 7083 section 4: as seldom as clients may ask where there is nothing to get. */
const MAX_RT = u32Bytes(86_400);

/** The reply to a packet (RFC 9915 section 18.3.10); undefined when there is none. */
export function replyTo6(x: Exchange6, decision: Decision6): Packet6 | undefined {
  if (decision.type === undefined) return undefined;
  const { type } = decision;
  return {
    message: { type, xid: x.request.xid, options: optionsOf(x, decision, type) },
    relays: replyHops(x.packet),
    relayType: x.packet.relays.length > 0 ? TYPE6.relayReply : undefined,
  };
}

/** What must be there comes first: what does not fit is left out from the end. */
function optionsOf(
  x: Exchange6,
  { ias = [], status, rapid, isNew, echo = [] }: Decision6,
  type: number,
): Option6[] {
  const options: Option6[] = [];
  const add = (code: number, value: Uint8Array) => options.push({ code, value });
  if (x.duid.length > 0) add(CODE6.clientId, x.duid);
  add(CODE6.serverId, x.serverId);
  if (type === TYPE6.advertise && x.v6.preference > 0) add(CODE6.preference, Uint8Array.of(x.v6.preference));
  if (rapid) add(CODE6.rapidCommit, EMPTY);
  options.push(...fitting(withTimes(ias), x.room).map(iaOption));
  if (status) options.push(statusOption(status));
  options.push(...echo);
  const isGiven = ias.some(({ leases }) => leases.length > 0);
  if (isNew && isGiven && acceptsReconfigure(x)) {
    options.push(...keyOptions(x.reconfigureKeyOf(x.duid), x.batch.replay));
  }
  const fqdn = firstOption(x.request.options, CODE6.clientFqdn);
  if (fqdn && fqdn.length > 0) add(CODE6.clientFqdn, fqdnAnswer(fqdn, x.config.ddns !== undefined));
  const configured = configuredFor(x, ias);
  // RFC 9915 section 18.3: what the client asks for, in the order it does.
  for (const code of new Set(readCodes(firstOption(x.request.options, CODE6.optionRequest)))) {
    const value = configured.get(code);
    if (value) add(code, value);
  }
  return options;
}

function configuredFor(x: Exchange6, ias: readonly Ia[]): Options {
  const [first] = ias.flatMap(({ leases }) => leases.filter(({ valid }) => valid > 0));
  const { options } = effectiveOf6(x, first && x.part.leases.poolOf(first.address));
  const added: Array<[number, Uint8Array]> = [];
  if (isStateless(x)) added.push([CODE6.solMaxRt, MAX_RT], [CODE6.infMaxRt, MAX_RT]);
  // RFC 9686 section 4.1: told to clients that ask whether they may register.
  if (x.v6.addressRegistration) added.push([CODE6.addressRegistration, EMPTY]);
  return added.length === 0 ? options : new Map([...added, ...options]);
}

/** What a client shall stop using is told as far as there is room: what it gets comes first. */
function fitting(ias: readonly Ia[], room: number): Ia[] {
  let left = room - ias.length * MAX_IA;
  return ias.map((ia) => ({
    ...ia,
    leases: ia.leases.filter(({ valid }, i) => {
      if (valid > 0 || i === 0) return true;
      left -= MAX_LEASE;
      return left >= 0;
    }),
  }));
}

/**
 * RFC 9915 section 21.4: half and four fifths of the shortest preferred lifetime, and the same in all IAs (section
 * 18.3): a client then renews all of them at once.
 */
function withTimes(ias: readonly Ia[]): Ia[] {
  const lifetimes = ias.flatMap(({ leases }) => leases.filter(({ valid }) => valid > 0));
  const shortest = Math.min(...lifetimes.map(({ preferred }) => preferred));
  const part = (of: number) => (shortest === FOREVER ? FOREVER : Math.floor(shortest * of));
  return ias.map((ia) => {
    const isGiven = ia.leases.some(({ valid }) => valid > 0);
    return isGiven ? { ...ia, t1: part(0.5), t2: part(0.8) } : { ...ia, t1: 0, t2: 0 };
  });
}
