import { formatIpv4, readU32 } from "@frontdesk/lease-options/address";
import { RECORD, type ResourceRecord, type Update } from "../../src/ddns/dns-message.ts";

const CLASS = { in: 1, none: 254, any: 255 } as const;
interface Kept {
  readonly type: number;
  readonly data: string;
}

/** The zones of a DNS server that takes updates (RFC 2136). */
export class DnsModel {
  readonly #names = new Map<string, readonly Kept[]>();

  /** Answers the rcode. */
  apply({ prerequisites, changes }: Update): string {
    for (const each of prerequisites) {
      const refusal = this.#refusalOf(each);
      if (refusal) return refusal;
    }
    for (const each of changes) this.#change(each);
    return "NOERROR";
  }

  /** Names with their addresses, and names without one. */
  forward(): string[] {
    return [...this.#names]
      .filter(([name]) => !name.endsWith(".arpa"))
      .flatMap(([name, records]) => {
        const found = records.filter(({ type }) => type === RECORD.a);
        return found.length > 0 ? found.map(({ data }) => `${name} ${textOf(data)}`) : [`${name} nowhere`];
      });
  }

  /** The same by what is said of each address. */
  reverse(): string[] {
    return [...this.#names]
      .filter(([name]) => name.endsWith(".arpa"))
      .flatMap(([name, records]) => {
        const address = name.split(".").slice(0, 4).toReversed().join(".");
        return records.map(({ data }) => `${nameIn(Buffer.from(data, "hex"))} ${address}`);
      });
  }

  #at(name: string): readonly Kept[] {
    return this.#names.get(name) ?? [];
  }

  #refusalOf({ name, type, class: of, data }: ResourceRecord): string | undefined {
    const here = this.#at(name);
    if (of === CLASS.none && type === RECORD.any) return here.length > 0 ? "YXDOMAIN" : undefined;
    const found = here.filter((each) => each.type === type);
    if (of === CLASS.none) return found.length > 0 ? "YXRRSET" : undefined;
    return found.length === 1 && found[0]?.data === hex(data) ? undefined : "NXRRSET";
  }

  #change({ name, type, class: of, data }: ResourceRecord): void {
    const isIt = (each: Kept) => each.type === type && (of === CLASS.any || each.data === hex(data));
    const others = this.#at(name).filter((each) => !isIt(each));
    const records = of === CLASS.in ? [...others, { type, data: hex(data) }] : others;
    if (records.length > 0) this.#names.set(name, records);
    else this.#names.delete(name);
  }
}

const hex = (data: Uint8Array) => Buffer.from(data).toString("hex");
const textOf = (data: string) => formatIpv4(readU32(Buffer.from(data, "hex"), 0));

function nameIn(octets: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; octets[at]; at += 1 + (octets[at] as number))
    labels.push(octets.toString("latin1", at + 1, at + 1 + (octets[at] as number)));
  return labels.join(".");
}
