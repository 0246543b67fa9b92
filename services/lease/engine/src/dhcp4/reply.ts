import type { Network, Subnet } from "@frontdesk/lease-config/config";
import { textBytes, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import type { Effective } from "../classes/effective.ts";
import { FOREVER } from "../leases/binding.ts";
import type { Ingress } from "../loop/wire.ts";
import { type Decision, type Exchange, subnetWith } from "./exchange.ts";
import { effectiveOf, takesNonce } from "./grant.ts";
import { informAddress } from "./handle-inform.ts";
import { subnetSelection } from "./locate.ts";
import { BOOTREPLY, BROADCAST_FLAG, DEFAULT_MESSAGE_SIZE, MAX_FILE, type Message } from "./message.ts";
import { REFUSALS } from "./outcomes.ts";

const EMPTY = new Uint8Array(0);
const BOOTP = 0;
const TYPE_BYTES = Array.from({ length: 16 }, (_, type) => Uint8Array.of(type));
/** What fits a frame. */
export const MAX_REPLY = 1500;
/** RFC 8925 section 3.3: only for clients that ask for it. */
const ONLY_IF_ASKED: ReadonlySet<number> = new Set([108]);

/** The reply to a request (RFC 2131 section 4.3.1, table 3); undefined when there is none. */
export function replyTo(x: Exchange, decision: Decision): Message | undefined {
  const type = replyType(decision);
  if (type === undefined) return undefined;
  const { request } = x;
  const { given } = decision;
  // Who asks for options alone gets those of the subnet it is in, which may be any of a shared network.
  const asking = request.type === TYPE.inform ? informAddress(x) : 0;
  const subnet = given?.subnet ?? subnetWith(x, asking) ?? x.subnet;
  const pool = given?.pool ?? (asking === 0 ? undefined : x.leases.poolOf(asking));
  const effective = type === TYPE.nak ? undefined : effectiveOf(x, { subnet, pool });
  const options = optionsOf(x, decision, type, subnet, effective);
  const file = effective?.options.get(CODE.bootFileName) ?? EMPTY;
  // A name that the field cannot hold with its NUL goes as an option, asked for or not.
  if (file.length > MAX_FILE) options.set(CODE.bootFileName, file);
  return {
    op: BOOTREPLY,
    htype: request.htype,
    hlen: request.hlen,
    hops: 0,
    xid: request.xid,
    secs: 0,
    // RFC 2131 section 4.3.2: a NAK through a relay is broadcast by it.
    flags: type === TYPE.nak && request.giaddr !== 0 ? request.flags | BROADCAST_FLAG : request.flags,
    ciaddr: type === TYPE.ack ? request.ciaddr : 0,
    yiaddr: given?.address ?? 0,
    siaddr: effective?.nextServer ?? 0,
    giaddr: request.giaddr,
    chaddr: request.chaddr,
    sname: effective?.serverName ? textBytes(effective.serverName) : EMPTY,
    file: file.length > MAX_FILE ? EMPTY : file,
    options,
    type,
  };
}

function replyType({ outcome }: Decision): number | undefined {
  if (outcome.kind === "offer") return TYPE.offer;
  if (outcome.kind === "nak") return TYPE.nak;
  return outcome.kind === "ack" || outcome.kind === "inform" || outcome.kind === "bootp"
    ? TYPE.ack
    : undefined;
}

/** RFC 2132 section 9.10: how much the client can take, within what fits a frame. */
export function replySize(request: Message): number {
  const asked = request.options.get(CODE.maxMessageSize);
  if (asked?.length !== 2) return DEFAULT_MESSAGE_SIZE;
  const size = ((asked[0] as number) << 8) | (asked[1] as number);
  return Math.max(DEFAULT_MESSAGE_SIZE, Math.min(size, MAX_REPLY));
}

/**
 * RFC 5107 section 4: a relay may stand in for the server. Otherwise it is the engine's address on
 * the client's subnet, which the client can reach (RFC 2131 section 4.1).
 */
export function serverIdentifier(x: Exchange): number {
  return x.relay.serverIdOverride ?? addressTowards(x.network, x.ingress);
}

export function addressTowards(
  network: Network | undefined,
  { addresses }: Pick<Ingress, "addresses">,
): number {
  const near = addresses.find((each) =>
    network?.subnets.some(({ address, mask }) => (each & mask) >>> 0 === address),
  );
  return near ?? addresses[0] ?? 0;
}

function optionsOf(
  x: Exchange,
  decision: Decision,
  type: number,
  subnet: Subnet,
  effective: Effective | undefined,
): Options {
  const options: Options = new Map();
  const { request } = x;
  if (request.type !== BOOTP) {
    options.set(CODE.messageType, TYPE_BYTES[type] as Uint8Array);
    options.set(CODE.serverIdentifier, sharedU32(serverIdentifier(x)));
  }
  if (decision.outcome.kind === "nak") {
    options.set(CODE.message, textBytes(REFUSALS[decision.outcome.reason]));
  }
  if (effective) {
    if (decision.given && request.type !== BOOTP) addTimes(options, decision.given.seconds);
    addConfigured(options, x, subnet, effective);
    addAnswers(options, x, decision, type);
  }
  echo(options, x, CODE.clientIdentifier); // RFC 6842 section 3
  // RFC 3011 section 2: a server for which the option does not count leaves it out.
  if (subnetSelection(x.config, request)) echo(options, x, CODE.subnetSelection);
  if (request.giaddr !== 0) echo(options, x, CODE.relayAgent); // RFC 3046 section 2.2
  return options;
}

/** Servers, masks and times are few, though a client may ask for any time. */
const MAX_SHARED = 1024;
const shared = new Map<number, Uint8Array>();

/** The octets of what nearly every reply says; nobody changes them. */
function sharedU32(value: number): Uint8Array {
  let bytes = shared.get(value);
  if (!bytes) {
    bytes = u32Bytes(value);
    if (shared.size >= MAX_SHARED) shared.clear();
    shared.set(value, bytes);
  }
  return bytes;
}

/** RFC 2131 section 4.4.5: T1 is half of the lease, T2 seven eighths. */
function addTimes(options: Options, seconds: number): void {
  options.set(CODE.leaseTime, sharedU32(seconds));
  if (seconds === FOREVER) return;
  options.set(CODE.renewalTime, sharedU32(Math.floor(seconds / 2)));
  options.set(CODE.rebindingTime, sharedU32(Math.floor((seconds * 7) / 8)));
}

/** RFC 2131 section 4.3.1: what was asked for, in the order it was asked for; everything when nothing was. */
function addConfigured(options: Options, x: Exchange, subnet: Subnet, { options: given }: Effective): void {
  const value = (code: number): Uint8Array | undefined => {
    const configured = given.get(code);
    if (configured) return configured;
    if (code === CODE.subnetMask) return sharedU32(subnet.mask);
    if (code === CODE.broadcastAddress) return sharedU32((subnet.address | ~subnet.mask) >>> 0);
    if (code === CODE.hostName && x.reservation?.hostname) return textBytes(x.reservation.hostname);
    return undefined;
  };
  const add = (code: number) => {
    if (options.has(code)) return;
    const bytes = value(code);
    if (bytes) options.set(code, bytes);
  };
  // RFC 2132 section 3.3: the mask comes before the routers.
  add(CODE.subnetMask);
  const asked = x.request.options.get(CODE.parameterRequestList);
  if (asked) for (const code of asked) add(code);
  else {
    for (const code of given.keys()) if (!ONLY_IF_ASKED.has(code)) add(code);
    add(CODE.hostName);
  }
  // A class for PXE answers with what the client did not think of asking for.
  if (given.has(CODE.vendorClass)) add(CODE.vendorClass);
}

function addAnswers(options: Options, x: Exchange, { effect }: Decision, type: number): void {
  const { request } = x;
  if (type === TYPE.ack && request.type === TYPE.discover) options.set(CODE.rapidCommit, EMPTY);
  const fqdn = request.options.get(CODE.clientFqdn);
  if (fqdn && fqdn.length >= 3) options.set(CODE.clientFqdn, fqdnAnswer(fqdn, x.config.ddns !== undefined));
  if (takesNonce(x) && type === TYPE.offer) options.set(CODE.forceRenewNonce, Uint8Array.of(1));
  if (effect?.kind === "bind" && effect.nonce) {
    options.set(CODE.authentication, nonceOption(effect.nonce, x.replay));
  }
}

/** RFC 4702 section 4: whether this server makes the DNS updates, and whether the client wanted it otherwise. */
function fqdnAnswer(asked: Uint8Array, updates: boolean): Uint8Array {
  const [S, O, E, N] = [0x01, 0x02, 0x04, 0x08];
  const flags = asked[0] as number;
  const answer = asked.slice();
  answer[0] = (flags & E) | (updates ? S : N) | (Boolean(flags & S) === updates ? 0 : O);
  answer[1] = 255;
  answer[2] = 255;
  return answer;
}

/** RFC 6704 section 3.1.3: the authentication option that carries the nonce. */
function nonceOption(nonce: Uint8Array, replay: number): Uint8Array {
  const [RECONFIGURE_KEY, HMAC_MD5, MONOTONIC, NONCE] = [3, 1, 0, 1];
  const option = new Uint8Array(12 + nonce.length);
  option.set([RECONFIGURE_KEY, HMAC_MD5, MONOTONIC]);
  writeU32(option, 3, Math.floor(replay / 1000));
  option[11] = NONCE;
  option.set(nonce, 12);
  return option;
}

function echo(options: Options, x: Exchange, code: number): void {
  const value = x.request.options.get(code);
  if (value) options.set(code, value);
}
