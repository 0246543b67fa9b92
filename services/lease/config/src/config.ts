import type { OptionDefinition } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import type { Matches } from "./class-expression.ts";
import type { Config6, Scope6 } from "./config6.ts";
import type { DdnsConfig } from "./ddns-config.ts";
import type { HaConfig, HaNodes } from "./ha-config.ts";
import type { ListenAddress, Range } from "./raw-config.ts";
import type { ConfigProblem } from "./toml-document.ts";

export type { ListenAddress, Range } from "./raw-config.ts";

/** What a level of the configuration gives to a client; what is undefined, an outer level gives. */
export interface Scope {
  readonly options: Options;
  readonly nextServer: number | undefined;
  readonly serverName: string | undefined;
  readonly defaultTime: number | undefined;
  readonly minTime: number | undefined;
  readonly maxTime: number | undefined;
}

export interface Pool {
  /** Its place in `Config.pools`. */
  readonly index: number;
  readonly first: number;
  readonly last: number;
  readonly excluded: readonly Range[];
  /** Clients of any of these classes may have it; empty: everyone. */
  readonly classes: readonly string[];
  readonly scope: Scope;
  readonly subnet: Subnet;
}

export interface Reservation {
  readonly ip: number;
  readonly hostname: string | undefined;
  readonly note: string | undefined;
  /** Identifier keys, see `identifiers.ts`. */
  readonly keys: readonly string[];
  readonly scope: Scope;
  readonly subnet: Subnet;
}

export interface Subnet {
  readonly index: number;
  /** As written: `10.77.0.0/16`. */
  readonly name: string;
  readonly address: number;
  readonly mask: number;
  readonly relays: readonly number[];
  /** The domain of its clients' names, where it has one of its own. */
  readonly ddnsDomain: string | undefined;
  readonly pools: Pool[];
  readonly reservations: Reservation[];
  readonly scope: Scope;
  readonly network: Network;
}

/** One link: a shared network, or a subnet that shares with no other. */
export interface Network {
  readonly index: number;
  readonly name: string;
  readonly subnets: Subnet[];
  /** The pools of all its subnets. */
  readonly pools: Pool[];
  readonly scope: Scope;
  /** Whether some of its pools are for some classes only. */
  isRestricted: boolean;
  /** Reservations of all its subnets, by identifier. */
  readonly reservations: Map<string, Reservation>;
}

export interface ClassRule {
  readonly name: string;
  readonly matches: Matches;
  readonly scope: Scope;
  readonly scope6: Scope6;
}

export interface Config {
  /** What is without effect, since it is of an interface that is not served. */
  readonly unserved: readonly ConfigProblem[];
  readonly interfaces: readonly string[];
  readonly listen: readonly ListenAddress[];
  /** The lab of DHCPv6. */
  readonly listen6: readonly ListenAddress[];
  readonly dhcpv6Enabled: boolean;
  /** How names are kept in DNS; undefined where they are not. */
  readonly ddns: DdnsConfig | undefined;
  /** How this engine works with another one; undefined where it works alone. */
  readonly ha: HaConfig | undefined;
  /** Also while the pair is switched off: it is paired before. */
  readonly haNodes: HaNodes | undefined;
  readonly v6: Config6;
  readonly controlListen: ListenAddress;
  readonly controlToken: string | undefined;
  /** No token is asked for. */
  readonly controlOpen: boolean;
  readonly metricsListen: ListenAddress | undefined;
  readonly authoritative: boolean;
  readonly identity: "client_id" | "mac";
  readonly bootp: boolean;
  readonly rapidCommit: boolean;
  readonly runAs: string | undefined;
  /** Relays that are believed; empty: those in a configured subnet or in `relayNetworks`. */
  readonly relays: readonly number[];
  readonly relayNetworks: ReadonlyArray<{ readonly address: number; readonly mask: number }>;
  /** Relays behind which option 118 chooses the network: they write it themselves, or their clients may. */
  readonly subnetSelectionRelays: ReadonlySet<number>;
  /** Addresses that one port may hold; 0: any number. */
  readonly perPortLimit: number;
  /** What holds where no level of the configuration gives a time. */
  readonly defaultTime: number;
  readonly minTime: number;
  readonly maxTime: number;
  readonly offerTime: number;
  readonly declineQuarantine: number;
  readonly probe: boolean;
  readonly probeWaitMs: number;
  readonly eventRetentionDays: number;
  readonly maxEvents: number;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly logFileBytes: number;
  readonly logFiles: number;
  readonly logRingLines: number;
  readonly scope: Scope;
  readonly customOptions: ReadonlyMap<number, OptionDefinition>;
  readonly classes: readonly ClassRule[];
  readonly networks: readonly Network[];
  readonly subnets: readonly Subnet[];
  /** The subnets that name a relay. */
  readonly relaySubnets: ReadonlyMap<number, Subnet>;
  readonly pools: readonly Pool[];
  readonly reservedAddresses: ReadonlyMap<number, Reservation>;
  /** Subnets by address. */
  readonly sortedSubnets: readonly Subnet[];
  /** Whether a class or a reservation looks at what a relay says of a client. */
  readonly asksRelays: boolean;
}

/** The subnet an address lies in. */
export function subnetOf(
  { sortedSubnets }: Pick<Config, "sortedSubnets">,
  address: number,
): Subnet | undefined {
  let low = 0;
  let high = sortedSubnets.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const subnet = sortedSubnets[middle] as Subnet;
    if (address < subnet.address) high = middle - 1;
    else if ((address & subnet.mask) >>> 0 === subnet.address) return subnet;
    else low = middle + 1;
  }
  return undefined;
}
