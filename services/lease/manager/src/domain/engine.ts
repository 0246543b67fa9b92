import type { HaPartnerDown, HaResume, HaStatus } from "@frontdesk/lease-control-api/ha";
import type { NameDifferences, Reconcile, Reconciled } from "@frontdesk/lease-control-api/name-differences";
import type { Replay } from "@frontdesk/lease-control-api/replay";
import type {
  ConfigApplied,
  ConfigChecked,
  ConfigState,
  EventPage,
  Explanation,
  Holder,
  Lease,
  LeaseChange,
  LeasePage,
  LogPage,
  Problems,
  ReservedLeases,
  Status,
} from "@frontdesk/lease-control-api/schemas";

export type Query = Readonly<Record<string, string | number | undefined>>;

/** How a new configuration was taken. */
export type ConfigAnswer =
  | { readonly kind: "applied"; readonly applied: ConfigApplied }
  | { readonly kind: "changed"; readonly version: string }
  | { readonly kind: "wrong"; readonly problems: Problems["problems"] };

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** A lease as somebody has seen it. */
export type SeenLease = Pick<Lease, "ip" | "version">;

/** The engine as its control API lets it be asked. A refusal is a DomainError with the engine's own code. */
export interface Engine {
  status(): Promise<Status>;
  leases(query: Query): Promise<LeasePage>;
  /** What is held of the addresses that are reserved. */
  reservedLeases(): Promise<ReservedLeases>;
  lease(ip: string): Promise<Lease>;
  /** Refused as `lease_changed` where `seen` is not its version any more; without, whoever has it. */
  release(ip: string, seen?: string): Promise<void>;
  /** Answers how many of these there still were to release; at most MAX_RELEASES at once. */
  releaseMany(leases: readonly SeenLease[]): Promise<{ released: number }>;
  /** Refused as `lease_changed` where `seen` is not its version any more; without, over whatever there is. */
  change(ip: string, change: LeaseChange, seen?: string): Promise<Lease>;
  forceRenew(ip: string): Promise<void>;
  events(query: Query): Promise<EventPage>;
  holder(ip: string, at: string): Promise<Holder>;
  explain(query: object): Promise<Explanation>;
  logs(query: Query): Promise<LogPage>;
  config(): Promise<ConfigState>;
  writeConfig(text: string, seen: string, confirmWithin?: number): Promise<ConfigAnswer>;
  confirmConfig(version: string): Promise<void>;
  /** Refused as `no_trial` where `version` is not what is tried out; without, whichever is. */
  rollBackConfig(version?: string): Promise<ConfigAnswer>;
  checkConfig(
    text: string,
  ): Promise<{ ok: true; checked: ConfigChecked } | ({ ok: false } & Pick<Problems, "problems">)>;
  /** What a configuration would change for the clients of the last day. */
  replay(text: string): Promise<{ ok: true; replay: Replay } | ({ ok: false } & Pick<Problems, "problems">)>;
  /** A page of what DNS has beside what it shall have. */
  nameDifferences(query: Query): Promise<NameDifferences>;
  reconcileNames(part: Reconcile): Promise<Reconciled>;
  haStatus(): Promise<HaStatus>;
  haPartnerDown(how: HaPartnerDown): Promise<void>;
  haMaintenance(): Promise<void>;
  haResume(how: HaResume): Promise<void>;
  /** Ends when the engine does, or when the signal says so. */
  stream(
    path: "events" | "status",
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncIterable<StreamedEvent>;
}
