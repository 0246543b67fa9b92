import type { Role } from "../../src/ha/ownership.ts";
import { FOREVER } from "../../src/leases/binding.ts";
import type { Random } from "./random.ts";

export type Request = {
  readonly client: number;
  readonly xid: number;
  readonly sentAt: number;
  readonly wanted: number;
  readonly tries: number;
  /** Sent to one server, and not to whoever is there. */
  readonly isUnicast: boolean;
} & (
  | { readonly kind: "discover" }
  | { readonly kind: "select"; readonly address: number; readonly server: Role }
  | { readonly kind: "renew" | "reboot"; readonly address: number }
  | { readonly kind: "release" | "decline"; readonly address: number }
);

export type Reply = {
  readonly client: number;
  readonly xid: number;
  readonly from: Role;
  readonly decidedAt: number;
} & (
  | { readonly kind: "offer"; readonly address: number }
  | { readonly kind: "ack"; readonly address: number; readonly seconds: number }
  | { readonly kind: "nak"; readonly address: number }
);

/** What a client sends, to one node or to all. */
export interface Sending {
  readonly request: Request;
  readonly to: Role | "all";
}

const WAIT_SECONDS = 4;
/** In DHCPv6 REQUEST and RENEW are repeated, with the number they had, for so long. */
const REPEATING_SECONDS = 40;
const TIMES = [8, 20, 60, 150];

/**
 * A client as it sees the world. Its lease counts from when it sent the request (RFC 2131 section 4.4.1), in DHCPv6 from
 * the reply: the network delivers none late there, since it would last longer than even one server knows.
 */
export class Client {
  readonly id: number;
  readonly countsFromReply: boolean;
  /** It asks for leases without an end. */
  readonly wantsEndless: boolean;
  /** It is served by another server, and asks neither node before its lease is theirs. */
  isForeign: boolean;
  lease:
    | { readonly address: number; readonly from: number; readonly end: number; readonly server: Role }
    | undefined;
  /** Until then it sends nothing: a device that sleeps, and believes what it was told. */
  silentUntil = 0;
  #waiting: Request | undefined;
  #askedLast: Sending["to"] = "all";
  #xid = 0;
  #tries = 0;

  constructor(
    id: number,
    {
      countsFromReply,
      isForeign,
      wantsEndless,
    }: { countsFromReply: boolean; isForeign: boolean; wantsEndless: boolean },
  ) {
    this.id = id;
    this.countsFromReply = countsFromReply;
    this.wantsEndless = wantsEndless;
    this.isForeign = isForeign;
  }

  /** What it does in this second, if anything. */
  act(now: number, random: Random): Sending | undefined {
    if (this.lease && this.lease.end <= now) {
      this.lease = undefined;
      if (this.#waiting?.kind === "renew") this.#waiting = undefined;
    }
    if (this.#waiting && this.#hasWaited(this.#waiting, now)) this.#waiting = undefined;
    if (this.#waiting && this.#isRepeated(this.#waiting) && now >= this.silentUntil)
      return this.#repeat(this.#waiting, now);
    if (this.#waiting || now < this.silentUntil || this.isForeign) return undefined;
    const { lease } = this;
    if (!lease) return random.chance(0.3) ? this.#ask(now, random, { kind: "discover" }, "all") : undefined;
    const { address, server } = lease;
    const isLate = now - lease.from > (lease.end - lease.from) / 2;
    const dice = random.below(1000);
    if (dice < (isLate ? 300 : 20)) {
      return this.#ask(now, random, { kind: "renew", address }, random.chance(0.5) ? server : "all");
    }
    if (dice < 310) return undefined;
    if (dice < 322) return this.#ask(now, random, { kind: "reboot", address }, "all");
    if (dice >= 345) return undefined;
    // It stops using the address whether or not the message arrives.
    this.lease = undefined;
    return this.#ask(now, random, { kind: dice < 340 ? "release" : "decline", address }, server);
  }

  #isRepeated({ kind }: Request): boolean {
    return this.countsFromReply && (kind === "renew" || kind === "select");
  }

  #hasWaited(request: Request, now: number): boolean {
    return now - request.sentAt >= (this.#isRepeated(request) ? REPEATING_SECONDS : WAIT_SECONDS);
  }

  #repeat(request: Request, now: number): Sending | undefined {
    const isDue = now > request.sentAt && (now - request.sentAt) % WAIT_SECONDS === 0;
    return isDue ? { request, to: this.#askedLast } : undefined;
  }

  /** It gives its address back. */
  leave(now: number, random: Random): Sending | undefined {
    const { lease } = this;
    if (!lease) return undefined;
    this.lease = undefined;
    this.#waiting = undefined;
    return this.#ask(now, random, { kind: "release", address: lease.address }, lease.server);
  }

  /** Goes on with what another server gave it. */
  hold(address: number, server: Role, now: number, end: number): void {
    this.isForeign = false;
    this.lease = { address, server, from: now, end };
  }

  /** What it does upon a reply. */
  take(reply: Reply, now: number): Sending | undefined {
    const waiting = this.#waiting;
    if (!waiting || reply.xid !== waiting.xid || this.#hasWaited(waiting, now)) return undefined;
    if (reply.kind === "offer") {
      if (waiting.kind !== "discover") return undefined;
      const request: Request = {
        ...waiting,
        kind: "select",
        address: reply.address,
        server: reply.from,
        sentAt: now,
        tries: 1,
        isUnicast: false,
      };
      this.#waiting = request;
      this.#askedLast = "all";
      return { request, to: "all" };
    }
    if (waiting.kind !== "select" && waiting.kind !== "renew" && waiting.kind !== "reboot") return undefined;
    if (waiting.address !== reply.address) return undefined;
    this.#waiting = undefined;
    this.#tries = 0;
    if (reply.kind === "nak") {
      this.lease = undefined;
      return undefined;
    }
    const { address, from: server, seconds } = reply;
    const begins = this.countsFromReply ? now : waiting.sentAt;
    const end = seconds === FOREVER ? Number.POSITIVE_INFINITY : begins + seconds;
    this.lease = { address, server, from: begins, end };
    return undefined;
  }

  #ask(
    now: number,
    random: Random,
    what:
      | { readonly kind: "discover" }
      | { readonly kind: "renew" | "reboot" | "release" | "decline"; address: number },
    to: Role | "all",
  ): Sending {
    this.#tries = what.kind === "discover" || what.kind === "renew" ? this.#tries + 1 : 1;
    const common = {
      client: this.id,
      xid: ++this.#xid,
      sentAt: now,
      wanted: this.wantsEndless ? FOREVER : random.pick(TIMES),
      tries: this.#tries,
      isUnicast: to !== "all",
    };
    const request: Request = { ...common, ...what };
    if (request.kind !== "release" && request.kind !== "decline") this.#waiting = request;
    this.#askedLast = to;
    return { request, to };
  }
}
