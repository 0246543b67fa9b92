import { u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { FOREVER } from "../leases/lease-table.ts";
import type { Exchange, Step } from "./exchange.ts";
import { takesNonce } from "./grant.ts";
import type { Options } from "./option-area.ts";

const EMPTY = new Uint8Array(0);
const BOOTP = 0;
const TYPE_BYTES = Array.from({ length: 16 }, (_, type) => Uint8Array.of(type));

/** Everything the reply says (RFC 2131 table 3). */
export const fillOptions: Step = (x) => {
  const options: Options = new Map();
  if (x.request.type !== BOOTP) {
    options.set(CODE.messageType, TYPE_BYTES[x.replyType] as Uint8Array);
    options.set(CODE.serverIdentifier, u32Bytes(serverIdentifier(x)));
  }
  if (x.replyType === TYPE.nak) options.set(CODE.message, new Uint8Array(Buffer.from(x.outcome)));
  else {
    if (x.address !== 0 && x.request.type !== BOOTP) addTimes(options, x.leaseTime);
    addConfigured(options, x);
    addAnswers(options, x);
  }
  echo(options, x, CODE.clientIdentifier); // RFC 6842 section 3
  echo(options, x, CODE.relayAgent); // RFC 3046 section 2.2
  x.draft = {
    type: x.replyType,
    yiaddr: x.address,
    options,
    siaddr: x.effective?.nextServer ?? 0,
    sname: x.effective?.serverName ? new Uint8Array(Buffer.from(x.effective.serverName)) : EMPTY,
    file: x.replyType === TYPE.nak ? EMPTY : bootFile(x),
  };
  return "reply";
};

/** RFC 5107 section 4: a relay may stand in for the server. */
export const serverIdentifier = (x: Exchange) => x.relay.serverIdOverride ?? x.ingress.addresses[0] ?? 0;

/** RFC 2131 section 4.4.5: T1 is half of the lease, T2 seven eighths. */
function addTimes(options: Options, seconds: number): void {
  options.set(CODE.leaseTime, u32Bytes(seconds));
  if (seconds === FOREVER) return;
  options.set(CODE.renewalTime, u32Bytes(Math.floor(seconds / 2)));
  options.set(CODE.rebindingTime, u32Bytes(Math.floor((seconds * 7) / 8)));
}

/** RFC 2131 section 4.3.1: what was asked for, in the order it was asked for; everything when nothing was. */
function addConfigured(options: Options, x: Exchange): void {
  const given = x.effective?.options;
  const subnet =
    x.reservation?.ip === x.address ? x.reservation.subnet : (x.leases.poolOf(x.address)?.subnet ?? x.subnet);
  const value = (code: number): Uint8Array | undefined => {
    const configured = given?.get(code);
    if (configured) return configured;
    if (!subnet) return undefined;
    if (code === CODE.subnetMask) return u32Bytes(subnet.mask);
    if (code === CODE.broadcastAddress) return u32Bytes((subnet.address | ~subnet.mask) >>> 0);
    if (code === CODE.hostName && x.reservation?.hostname)
      return new Uint8Array(Buffer.from(x.reservation.hostname));
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
  else for (const code of given?.keys() ?? []) add(code);
  // A class for PXE answers with what the client did not think of asking for.
  if (given?.has(CODE.vendorClass)) add(CODE.vendorClass);
}

function addAnswers(options: Options, x: Exchange): void {
  const { request, replyType } = x;
  if (replyType === TYPE.ack && request.type === TYPE.discover) options.set(CODE.rapidCommit, EMPTY);
  const fqdn = request.options.get(CODE.clientFqdn);
  if (fqdn && fqdn.length >= 3) options.set(CODE.clientFqdn, fqdnAnswer(fqdn));
  if (takesNonce(x) && replyType === TYPE.offer) options.set(CODE.forceRenewNonce, Uint8Array.of(1));
  if (x.change?.kind === "bind" && x.change.nonce) {
    options.set(CODE.authentication, nonceOption(x.change.nonce, x.now));
  }
}

/** RFC 4702 section 4: this server makes no DNS updates, and says so. */
function fqdnAnswer(asked: Uint8Array): Uint8Array {
  const [S, O, E, N] = [0x01, 0x02, 0x04, 0x08];
  const flags = asked[0] as number;
  const answer = asked.slice();
  answer[0] = (flags & E) | N | (flags & S ? O : 0);
  answer[1] = 255;
  answer[2] = 255;
  return answer;
}

/** RFC 6704 section 3.1.3: the authentication option that carries the nonce. */
function nonceOption(nonce: Uint8Array, now: number): Uint8Array {
  const [RECONFIGURE_KEY, HMAC_MD5, MONOTONIC, NONCE] = [3, 1, 0, 1];
  const option = new Uint8Array(12 + nonce.length);
  option.set([RECONFIGURE_KEY, HMAC_MD5, MONOTONIC]);
  writeU32(option, 3, now);
  option[11] = NONCE;
  option.set(nonce, 12);
  return option;
}

function bootFile(x: Exchange): Uint8Array {
  return x.effective?.options.get(CODE.bootFileName) ?? EMPTY;
}

function echo(options: Options, x: Exchange, code: number): void {
  const value = x.request.options.get(code);
  if (value) options.set(code, value);
}
