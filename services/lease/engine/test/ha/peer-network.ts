import type { Message } from "../../src/ha/messages.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { Checks } from "./checks.ts";
import { Connection } from "./connection.ts";
import type { Random } from "./random.ts";
import type { WorldNode } from "./world-node.ts";

const ROLES = ["primary", "secondary"] as const;
/** Rounds of messages between the nodes within a second. */
const MAX_ROUNDS = 8;
const MAX_FRAMES = 1000;

/** What is between the nodes: connections that are made, cut, slow, or late. */
export class PeerNetwork {
  readonly #nodes: Readonly<Record<Role, WorldNode>>;
  readonly #checks: Checks;
  #connections: Connection[] = [];
  #ids = 0;
  isPartitioned = false;
  /** Nothing is slow while the pair comes to rest. */
  isQuiet = false;
  /** After a few frames the rest waits for a second or more: often just when a connection is made. */
  readonly #isSlow: Record<Role, boolean> = { primary: false, secondary: false };
  readonly #slowUntil: Record<Role, number> = { primary: 0, secondary: 0 };

  constructor(nodes: Readonly<Record<Role, WorldNode>>, checks: Checks) {
    this.#nodes = nodes;
    this.#checks = checks;
  }

  get current(): Connection | undefined {
    return this.#connections.find(({ isOpen }) => isOpen);
  }

  connectionOf(node: WorldNode): Connection | undefined {
    const id = node.core?.link?.id;
    return this.#connections.find((connection) => connection.id === id) ?? this.current;
  }

  send(from: WorldNode, message: Message): void {
    this.connectionOf(from)?.send(from.role, message);
  }

  connect(random: Random): void {
    // A process that crashed leaves a connection behind; the machine it was on closes it, sooner or later.
    const dead = ROLES.find((role) => this.#nodes[role].status === "down");
    if (dead && random.chance(0.5)) this.current?.close(dead);
    const isReady = ROLES.every((role) => this.#nodes[role].status === "up");
    const isStale = isReady && ROLES.every((role) => this.#nodes[role].core?.link?.id !== this.current?.id);
    if (isStale) this.current?.cut(random, { primary: false, secondary: false });
    if (this.current || this.isPartitioned || !isReady || !random.chance(0.8)) return;
    const connection = new Connection(++this.#ids);
    this.#connections.push(connection);
    for (const role of ROLES) {
      this.#nodes[role].run({ kind: "link", id: connection.id, isUp: true });
      if (random.chance(0.6)) this.#isSlow[role] = true;
    }
  }

  /** Delivers what is on its way. */
  exchange(now: number, random: Random): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let isMoving = false;
      for (const connection of this.#connections) {
        for (const role of ROLES) isMoving = this.#serve(connection, role, now, random) || isMoving;
      }
      if (!isMoving) break;
    }
    this.#connections = this.#connections.filter(
      ({ isOpen, inbound }) => isOpen || ROLES.some((role) => inbound[role].length > 0),
    );
  }

  #serve(connection: Connection, role: Role, now: number, random: Random): boolean {
    if (this.#nodes[role].status === "paused" || now < this.#slowUntil[role]) return false;
    const isSlow = !this.isQuiet && (this.#isSlow[role] || random.chance(0.03));
    if (isSlow) this.#slowUntil[role] = now + 1 + random.below(3);
    this.#isSlow[role] = false;
    return this.#deliver(connection, role, now, isSlow ? random.pick([0, 1, 1, 2]) : MAX_FRAMES);
  }

  #deliver(connection: Connection, role: Role, now: number, count: number): boolean {
    const node = this.#nodes[role];
    const link = connection.id;
    for (let i = 0; i < count; i++) {
      const frame = connection.next(role, now);
      if (!frame) return i > 0;
      if (frame === "closed") node.run({ kind: "link", id: link, isUp: false });
      else this.#checks.watchTakeover(node, now, () => node.run({ kind: "message", link, ...frame }));
    }
    return count > 0;
  }

  /** Frames of a connection that is gone arrive after the next one was made. */
  delayOld(until: number, random: Random): void {
    const connection = this.current;
    if (!connection) return;
    connection.cut(random, { primary: true, secondary: true });
    for (const role of ROLES) connection.stalledUntil[role] = until;
  }

  disturb(how: "double frame" | "swap frames", to: Role): void {
    const queue = this.current?.inbound[to];
    const [first, second] = queue ?? [];
    if (!queue || !first) return;
    if (how === "double frame") queue.splice(0, 1, first, first);
    else if (second) queue.splice(0, 2, second, first);
  }
}
