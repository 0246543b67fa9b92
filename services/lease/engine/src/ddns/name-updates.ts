import { change, prerequisite, RECORD, type Update } from "./dns-message.ts";
import { nameOctets } from "./domain-name.ts";
import type { Answer, UpdateExchange } from "./update-exchange.ts";
import { reversePlace, type Zone, zoneOf } from "./zones.ts";

/** A name that a client has, or had, with the DHCID that says so. */
export interface OwnedName {
  readonly name: string;
  readonly dhcid: Uint8Array;
}

/** What became of a step. `parked`: trying again changes nothing before somebody has put it right. */
export type Outcome =
  /** `isGone`: there was nothing of the client's to remove. */
  | { readonly kind: "done"; readonly isGone?: boolean }
  | { readonly kind: "conflict" }
  | { readonly kind: "no-zone" }
  | { readonly kind: "parked"; readonly error: string }
  /** `isSilent`: the server did not answer at all. */
  | { readonly kind: "later"; readonly error: string; readonly isSilent: boolean };

const DONE: Outcome = { kind: "done" };
/** A name that is taken and given up again and again while it is asked for. */
const MAX_RACES = 5;
const MENDED_BY_PEOPLE: ReadonlySet<string> = new Set(["REFUSED", "NOTAUTH", "NOTIMP", "FORMERR", "NOTZONE"]);

/** The records of names and addresses in DNS; nothing of another owner's is ever changed (RFC 4703). */
export function createNameUpdates(exchange: UpdateExchange) {
  const send = (zone: Zone, update: Omit<Update, "zone">): Promise<Answer> =>
    exchange.send(zone.server, { zone: zone.name, ...update });

  /** What an answer means that is none of those a step expects. */
  function otherwise(answer: Answer): Outcome {
    if (answer.kind === "silent")
      return { kind: "later", error: "the server does not answer", isSilent: true };
    if (answer.kind === "untrusted")
      return { kind: "later", error: `the server's answer is ${answer.error}`, isSilent: false };
    if (answer.kind === "unaccepted") return { kind: "parked", error: answer.error };
    if (MENDED_BY_PEOPLE.has(answer.rcode)) return { kind: "parked", error: answer.rcode };
    return { kind: "later", error: answer.rcode, isSilent: false };
  }

  const isRcode = (answer: Answer, rcode: string) => answer.kind === "answered" && answer.rcode === rcode;
  const typeOf = (address: Uint8Array) => (address.length === 4 ? RECORD.a : RECORD.aaaa);

  return {
    /**
     * RFC 4703 section 5.3: under "the name is absent", else under "the DHCID is the client's own". Other addresses of
     * the client stay beside it, but for those that are leaving the name.
     */
    async addForward(
      zones: readonly Zone[],
      { name, dhcid }: OwnedName,
      address: Uint8Array,
      ttl: number,
      leaving: readonly Uint8Array[] = [],
    ): Promise<Outcome> {
      const zone = zoneOf(zones, name);
      if (!zone) return { kind: "no-zone" };
      const type = typeOf(address);
      const left = leaving.filter((other) => typeOf(other) === type);
      const add = change.add(name, type, address, ttl);
      for (let race = 0; race < MAX_RACES; race++) {
        const fresh = await send(zone, {
          prerequisites: [prerequisite.nameIsAbsent(name)],
          changes: [add, change.add(name, RECORD.dhcid, dhcid, ttl)],
        });
        if (isRcode(fresh, "NOERROR")) return DONE;
        if (!isRcode(fresh, "YXDOMAIN")) return otherwise(fresh);
        const own = await send(zone, {
          prerequisites: [prerequisite.recordExists(name, RECORD.dhcid, dhcid)],
          changes: [...left.map((other) => change.deleteRecord(name, type, other)), add],
        });
        if (isRcode(own, "NOERROR")) return DONE;
        if (isRcode(own, "NXRRSET")) return { kind: "conflict" };
        // Gone meanwhile: it may be had.
        if (!isRcode(own, "NXDOMAIN")) return otherwise(own);
      }
      return { kind: "later", error: "the name comes and goes", isSilent: false };
    },

    /** Whether the DHCID of a name is the client's own: prerequisites alone, which change nothing; `conflict` if it is not. */
    async owns(zones: readonly Zone[], { name, dhcid }: OwnedName): Promise<Outcome> {
      const zone = zoneOf(zones, name);
      if (!zone) return { kind: "no-zone" };
      const isMine = prerequisite.recordExists(name, RECORD.dhcid, dhcid);
      const answer = await send(zone, { prerequisites: [isMine], changes: [] });
      if (isRcode(answer, "NOERROR")) return DONE;
      const isNot = isRcode(answer, "NXRRSET") || isRcode(answer, "NXDOMAIN");
      return isNot ? { kind: "conflict" } : otherwise(answer);
    },

    /** RFC 4703 section 5.5: the very address, and the DHCID once no address is left. */
    async removeForward(
      zones: readonly Zone[],
      { name, dhcid }: OwnedName,
      address: Uint8Array,
    ): Promise<Outcome> {
      const zone = zoneOf(zones, name);
      if (!zone) return { kind: "no-zone" };
      const isMine = prerequisite.recordExists(name, RECORD.dhcid, dhcid);
      const removed = await send(zone, {
        prerequisites: [isMine],
        changes: [change.deleteRecord(name, typeOf(address), address)],
      });
      // Not ours any more, or gone: there is nothing of ours to remove.
      if (isRcode(removed, "NXRRSET") || isRcode(removed, "NXDOMAIN")) return { kind: "done", isGone: true };
      if (!isRcode(removed, "NOERROR")) return otherwise(removed);
      const emptied = await send(zone, {
        prerequisites: [
          isMine,
          prerequisite.typeIsAbsent(name, RECORD.a),
          prerequisite.typeIsAbsent(name, RECORD.aaaa),
        ],
        changes: [change.deleteRecord(name, RECORD.dhcid, dhcid)],
      });
      // Another address of the same client keeps the name.
      const isKept = ["NOERROR", "YXRRSET", "NXRRSET", "NXDOMAIN"].some((rcode) => isRcode(emptied, rcode));
      return isKept ? DONE : otherwise(emptied);
    },

    /** The address is the client's: what stood there of an earlier holder goes. */
    async addReverse(
      zones: readonly Zone[],
      name: string,
      address: Uint8Array,
      ttl: number,
    ): Promise<Outcome> {
      const place = reversePlace(zones, address);
      if (!place) return { kind: "no-zone" };
      const answer = await send(place.zone, {
        prerequisites: [],
        changes: [
          change.deleteType(place.name, RECORD.ptr),
          change.add(place.name, RECORD.ptr, nameOctets(name), ttl),
        ],
      });
      return isRcode(answer, "NOERROR") ? DONE : otherwise(answer);
    },

    /** The very record: an address that has another name by now keeps that. */
    async removeReverse(
      zones: readonly Zone[],
      name: string,
      address: Uint8Array,
      /** Names that it may say instead. */
      others: readonly string[] = [],
    ): Promise<Outcome> {
      const place = reversePlace(zones, address);
      if (!place) return { kind: "no-zone" };
      const answer = await send(place.zone, {
        prerequisites: [],
        changes: [name, ...others].map((each) =>
          change.deleteRecord(place.name, RECORD.ptr, nameOctets(each)),
        ),
      });
      return isRcode(answer, "NOERROR") ? DONE : otherwise(answer);
    },
  };
}

export type NameUpdates = ReturnType<typeof createNameUpdates>;
