import type { Input } from "../../src/ha/core.ts";
import type { Core, Durable, Settings } from "../../src/ha/core-state.ts";
import type { Message } from "../../src/ha/messages.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Row } from "../../src/ha/row.ts";
import type { Conflict } from "../../src/ha/turn.ts";
import type { NodeClock, Pause } from "./node-clock.ts";
import type { Reply, Request } from "./sim-client.ts";

/** "stalls": the process stands still in the middle of it, with what it has decided. */
export type CommitFault = "refused" | "crash before" | "crash after" | "crash after sending" | "stalls";

type WithoutNow<T> = T extends unknown ? Omit<T, "now"> : never;
export type Happening = WithoutNow<Input>;

/** What the world sees of a node. */
export interface NodeWatcher {
  sends(node: WorldNode, messages: readonly Message[]): void;
  closes(node: WorldNode): void;
  /** Two clients were found to have one address. */
  finds(conflict: Conflict): void;
  /** A client is about to be told an end, seconds of the node's clock. */
  tells(node: WorldNode, client: string, address: number, end: number): void;
}

/** A node as the world treats it: a process that may crash or stand still, its disk and its clock. */
export interface WorldNode {
  readonly role: Role;
  readonly core: Core | undefined;
  /** The time of the pair. */
  readonly now: number;
  /** What is on disk. */
  readonly disk: { readonly durable: Durable; readonly rows: ReadonlyMap<unknown, Row> };
  readonly rows: ReadonlyMap<unknown, Row>;
  readonly status: "up" | "down" | "paused";
  /** When it last stopped, in true time. */
  readonly stoppedAt: number;
  settings: Settings;
  plan: Plan;
  readonly clock: NodeClock;
  commitFault: CommitFault | undefined;
  refusesUntil: number;
  start(): void;
  crash(): void;
  /** The machine is started anew before the process is. */
  reboot(): void;
  pause(how?: Pause): void;
  resume(): void;
  run(happening: Happening): void;
  handle(request: Request): Reply | undefined;
  /** Takes over a lease of another server; true once that can be relied on. */
  adopt(client: number, address: number, seconds: number): boolean;
  /** Messages that came in together are decided in one batch. */
  handleAll(requests: readonly Request[]): Reply[];
  /** Replies that a commit has held up. */
  lateReplies(): Reply[];
  /** Copies the disk; the function puts the copy in the place of what is there then. */
  remember(): () => void;
  /** The disk is empty, or that of a machine that was in another pair up to an epoch. */
  loseDisk(store: string, epoch?: number): void;
  /** It ran without its peer: it has its leases, and nothing of the pair. */
  leavePair(store: string): void;
  /** The other node is another machine from now on: what no longer counts of the pair is forgotten. */
  pairAnew(): void;
}

/** By its hardware address, as the engine knows it. */
export const clientName = (client: number) => `0001020000000${client.toString(16).padStart(3, "0")}`;

/** The hardware address at the end of whatever a client is known by. */
export const macIn = (client: string) =>
  (client.replaceAll(":", "").slice(-12).match(/../g) as string[]).join(":");
export const macOf = (client: number) => macIn(clientName(client));
