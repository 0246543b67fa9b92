import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

/** A network this machine is plugged into, by IPv4. */
export interface LocalLink {
  readonly name: string;
  readonly address: string;
  /** Where everybody on it listens. */
  readonly broadcast: string;
  /** Whether an address is of this network, and so need not be reached through a router. */
  readonly has: (address: string) => boolean;
}

/** All of them, or those of the interfaces named. */
export function localLinks(only: readonly string[] = []): LocalLink[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family }) => family === "IPv4" && (only.length === 0 || only.includes(name)))
      .map(({ address, netmask }) => describeLink(name, address, netmask)),
  );
}

export function describeLink(name: string, address: string, netmask: string): LocalLink {
  const mask = netmask.split(".").map(Number);
  const broadcast = address
    .split(".")
    .map((part, at) => Number(part) | (~(mask[at] ?? 255) & 0xff))
    .join(".");
  const prefix = mask.reduce((sum, part) => sum + part.toString(2).replaceAll("0", "").length, 0);
  const network = new BlockList();
  network.addSubnet(address, prefix, "ipv4");
  return { name, address, broadcast, has: (other) => network.check(other, "ipv4") };
}

/** Does something on every link. One that does not work, a tunnel perhaps, is no reason to give up the others. */
export async function onEveryLink(
  links: readonly LocalLink[],
  work: (link: LocalLink) => Promise<void>,
): Promise<void> {
  const failures = (await Promise.allSettled(links.map(work))).filter(({ status }) => status === "rejected");
  if (links.length > 0 && failures.length === links.length)
    throw (failures[0] as PromiseRejectedResult).reason;
}
