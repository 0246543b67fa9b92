import type { Message } from "../../src/ha/messages.ts";
import { ownerOf, peerOf, type Role } from "../../src/ha/ownership.ts";
import { isEnded } from "../../src/ha/row.ts";
import type { Conflict } from "../../src/ha/turn.ts";
import { STATE } from "../../src/leases/binding.ts";
import { visible } from "./disk.ts";
import type { Pause } from "./node-clock.ts";
import type { Rules } from "./rules.ts";
import type { Client, Reply } from "./sim-client.ts";
import { clientName, type WorldNode } from "./world-node.ts";

export class Violation extends Error {}

/** A takeover, with what S3 promises if it was declared while the peer served. */
interface DeclaredTakeover {
  readonly by: Role;
  /** By then the peer was said to have stopped. */
  readonly at: number;
  readonly declaredAt: number;
  /** Addresses that the node itself had free: no overlap may strike them. */
  readonly ownFree: ReadonlySet<number>;
  /** When both nodes had come to one epoch again. */
  contactAt: number;
  /** When the peer lost its memory before that: what it had told clients until then, nobody can settle any more. */
  forgottenAt?: number;
}

const ROLES = ["primary", "secondary"] as const;
/** Ends of leases are whole seconds in two clocks. */
const MAX_ROUNDED = 1;
/** Seconds by which a node may be late. */
const LATE = 20;
/** Seconds that anything is waited for at most: what a client asks for, half as much again, and the lead. */
const LONGEST = 300;

/** What must hold at any time, seen from outside. */
export class Checks {
  readonly #rules: Rules;
  readonly #nodes: Readonly<Record<Role, WorldNode>>;
  readonly #clients: readonly Client[];
  readonly #addresses: readonly number[];
  readonly #wrong: DeclaredTakeover[] = [];
  /** The last takeover from a peer that had stopped. */
  #right: DeclaredTakeover | undefined;
  /** Address and client of overlaps that a wrong takeover explains. */
  readonly #struck = new Set<string>();
  /** Nodes that have lost memory and had no contact since. */
  readonly #forgetful = new Set<WorldNode>();
  readonly #restored = new Set<WorldNode>();
  /** How far the clocks were from true time. */
  readonly #offsets = { highest: 0, lowest: { primary: Infinity, secondary: Infinity } };
  /** How far the clock of a node that lost its memory may have been behind the one that wrote what it knew. */
  #behind: number | undefined;
  /** Something happened for which nothing is promised: S1 is not looked at any more. */
  isVoid = false;
  /** A machine stood still and no clock of it counted that: its leases last so much longer there. */
  hasMissedTime = false;

  constructor(
    rules: Rules,
    nodes: Readonly<Record<Role, WorldNode>>,
    clients: readonly Client[],
    addresses: readonly number[],
  ) {
    this.#rules = rules;
    this.#nodes = nodes;
    this.#clients = clients;
    this.#addresses = addresses;
  }

  lostMemory(node: WorldNode, isRestored: boolean, now: number): void {
    const behind = this.#offsets.highest - this.#offsets.lowest[node.role];
    this.#behind = Math.max(this.#behind ?? 0, behind);
    this.#forgetful.add(node);
    for (const wrong of this.#wrong)
      if (wrong.by !== node.role && wrong.contactAt === Number.POSITIVE_INFINITY) wrong.forgottenAt = now;
    if (isRestored) this.#restored.add(node);
  }

  /** Whether a node has lost memory, and met its peer no more. */
  isForgetful(node: WorldNode): boolean {
    return this.#forgetful.has(node);
  }

  /** A node started from a restored store is promised nothing before contact. */
  answered(node: WorldNode): void {
    if (this.#restored.has(node) && !node.core?.link?.isOpen) this.isVoid = true;
  }

  /** Notices that a node takes over without a link, and whether the peer served then. */
  watchTakeover(node: WorldNode, now: number, act: () => unknown): void {
    const { epoch } = node.disk.durable;
    const ownFree = new Set(this.#addresses.filter((address) => this.#isOwnFree(node, address)));
    const link = node.core?.link;
    act();
    // On a connection on which the peer had said nothing, this node takes over as without one, and closes it.
    const isGivenUp = link?.received === 0 && node.core?.link === null;
    if (node.disk.durable.epoch === epoch || (link !== null && !isGivenUp)) return;
    const peer = this.#nodes[peerOf(node.role)];
    if (peer.disk.durable.epoch > epoch) this.isVoid = true;
    const declared = node.disk.durable.takeover?.at ?? now;
    const at = Math.min(now, declared - node.clock.offset);
    const takeover = { by: node.role, at, declaredAt: now, ownFree, contactAt: Number.POSITIVE_INFINITY };
    if (peer.status === "up") this.#wrong.push(takeover);
    else this.#right = takeover;
  }

  /** A pause that is too short to be noticed is none: a takeover during it was wrong. */
  resumed(node: WorldNode, now: number, how: Pause): void {
    const { contactTimeout, skew } = node.settings;
    // The wall clock, which alone counts what a machine has missed, may be set back by the skew meanwhile.
    const isNoticed = now - node.stoppedAt > contactTimeout + (how === "machine" ? skew : MAX_ROUNDED);
    const isTakenOver =
      this.#right && this.#right.by !== node.role && this.#right.declaredAt >= node.stoppedAt;
    if (this.#right && isTakenOver && !isNoticed) this.#wrong.push(this.#right);
  }

  #isOwnFree(node: WorldNode, address: number): boolean {
    const { core } = node;
    if (!core || !this.#rules.owns(core, address)) return false;
    const row = node.rows.get(address);
    return !row || this.#rules.mayReuse(core, row, node.now);
  }

  /** S1: a client has just been told that it has an address. */
  believes(client: Client, reply: Pick<Reply, "address" | "decidedAt">, now: number): void {
    const { lease } = client;
    if (!lease || lease.end <= now || this.isVoid) return;
    const others = this.#clients.filter(
      (other) => other !== client && other.lease?.address === lease.address && other.lease.end > now,
    );
    for (const other of others) this.#overlap(client, other, reply);
  }

  #overlap(client: Client, other: Client, reply: Pick<Reply, "address" | "decidedAt">): void {
    const { address } = reply;
    const isSpread = [client, other].some(({ id }) => this.#struck.has(`${address} ${clientName(id)}`));
    const since = Math.min(client.lease?.from ?? 0, other.lease?.from ?? 0);
    const isExplained = this.#wrong.some(
      ({ at, contactAt, ownFree, by, forgottenAt = Number.NEGATIVE_INFINITY }) =>
        reply.decidedAt >= at + this.#nodes[by].settings.lead &&
        (reply.decidedAt <= contactAt || since <= forgottenAt) &&
        !ownFree.has(address),
    );
    if (!isExplained && !isSpread) {
      const ends = `${client.lease?.end} and ${other.lease?.end}`;
      throw new Violation(
        `S1: clients ${client.id} and ${other.id} both have address ${address} (until ${ends})`,
      );
    }
    for (const { id } of [client, other]) this.#struck.add(`${address} ${clientName(id)}`);
  }

  /**
   * S3: two clients were given one address, whether or not both know it. Without a wrong takeover it explains nothing:
   * the loser gave its address back to the other node, and only its row does not know.
   */
  conflict({ address, kept, lost }: Conflict): void {
    if (!this.#wrong.some(({ ownFree }) => !ownFree.has(Number(address)))) return;
    for (const client of [kept, lost]) this.#struck.add(`${address} ${client}`);
  }

  /** R2: no client is told more than the peer could know. */
  told(node: WorldNode, client: string, address: number, end: number): void {
    const peer = this.#nodes[peerOf(node.role)];
    const { core } = node;
    const isExcused =
      core?.state === "partner_down" || this.#forgetful.size > 0 || peer.disk.durable.takeover;
    if (!core || isExcused || this.isVoid) return;
    const row = peer.disk.rows.get(address);
    // An address in quarantine keeps what was promised to the client that declined it.
    const promised = row?.client === client || row?.client === "" ? row.promise : 0;
    const lead = Math.max(node.settings.lead, peer.settings.lead);
    if (end > Math.max(promised, node.now) + lead + 1e-6) {
      throw new Violation(
        `R2: ${node.role} told ${client} ${end} for ${address}, the peer knows ${promised}`,
      );
    }
  }

  /** R10: alone, a node tells nobody that an address of the peer is not theirs. */
  refused(node: WorldNode, address: number): void {
    const { core } = node;
    if (!core || core.state === "normal" || this.#rules.owns(core, address)) return;
    throw new Violation(`R10: ${node.role}, in ${core.state}, refused ${address}, which is the peer's`);
  }

  /** Nothing is sent before it is on disk. */
  sent(node: WorldNode, message: Message): void {
    const { durable, rows } = node.disk;
    if (message.type === "ack" && message.n > durable.appliedSeq) {
      throw new Violation(`${node.role} acknowledged ${message.n} before its commit`);
    }
    if (message.type === "hello" && message.epoch > durable.epoch) {
      throw new Violation(`${node.role} said epoch ${message.epoch} before its commit`);
    }
    if (message.type !== "update" && message.type !== "page") return;
    for (const row of message.rows) {
      const kept = rows.get(row.address);
      const isSame = kept && Math.abs(kept.end - row.end) <= MAX_ROUNDED;
      if (!isSame || visible(kept) !== visible({ ...row, known: 0 })) {
        throw new Violation(
          `${node.role} sent ${row.address} before its commit: ${visible({ ...row, known: 0 })}, not ${kept && visible(kept)}`,
        );
      }
    }
    if (message.type !== "update") return;
    for (const { first, last } of message.given) {
      for (let address = Number(first); address <= Number(last); address++) this.#given(node, address);
    }
  }

  /** R1: what is lent is the peer's on disk, and both know that nobody has it. */
  #given(node: WorldNode, address: number): void {
    if (ownerOf(node.disk.durable.ownership, address).owner === node.role) {
      throw new Violation(`${node.role} gave ${address} before its commit`);
    }
    for (const each of Object.values(this.#nodes)) {
      // It has got another disk since the connection was made: this does not reach it.
      if (this.#forgetful.has(each) && !each.core?.link?.isOpen) continue;
      const row = each.disk.rows.get(address);
      if (row && !isEnded(row)) throw new Violation(`${node.role} gave ${address}, which ${row.client} has`);
    }
  }

  afterSecond(now: number): void {
    const { primary, secondary } = this.#nodes;
    this.#noteClocks();
    this.#noticeContact(now);
    const [one, other] = [primary.disk.durable, secondary.disk.durable];
    const isOneEpoch = one.epoch === other.epoch && one.ownership.holder === other.ownership.holder;
    if (!isOneEpoch || this.#forgetful.size > 0) return;
    for (const address of this.#addresses) {
      const owners = ROLES.filter((role) => this.#ownsOnDisk(role, address));
      if (owners.length > 1) throw new Violation(`both own ${address} in epoch ${one.epoch}`);
      for (const role of owners) this.#freed(this.#nodes[role], address);
    }
  }

  #noteClocks(): void {
    for (const role of ROLES) {
      const { offset } = this.#nodes[role].clock;
      this.#offsets.highest = Math.max(this.#offsets.highest, offset);
      this.#offsets.lowest[role] = Math.min(this.#offsets.lowest[role], offset);
    }
  }

  /** R4, R5: what an owner holds to be free because the peer agreed, the peer has nobody on. */
  #freed(node: WorldNode, address: number): void {
    const { core } = node;
    const row = node.rows.get(address);
    const theirs = this.#nodes[peerOf(node.role)].disk.rows.get(address);
    if (!core || !row || !isEnded(row) || row.seq === 0 || row.seq > core.ackedSeq) return;
    // What was gained by a takeover is waited for.
    if (core.durable.takeover || core.durable.lost) return;
    // Either node binds a reserved address, by any plan that may still be agreed upon; those of DHCPv6 have bigints.
    const isReserved = Object.values(this.#nodes).some(({ plan, disk }) =>
      [plan, disk.durable.plan.agreed, ...disk.durable.plan.prepared].some(
        (each) => each?.reserved.has(address) || each?.reserved.has(BigInt(address)),
      ),
    );
    if (theirs?.state === STATE.bound && !isReserved) {
      throw new Violation(`R4: ${node.role} holds ${address} to be free, but ${theirs.client} has it`);
    }
  }

  #ownsOnDisk(role: Role, address: number): boolean {
    return ownerOf(this.#nodes[role].disk.durable.ownership, address).owner === role;
  }

  #noticeContact(now: number): void {
    const [one, other] = [this.#nodes.primary.core, this.#nodes.secondary.core];
    if (!one?.link?.isOpen || !other?.link?.isOpen || one.link.id !== other.link.id) return;
    this.#forgetful.clear();
    this.#restored.clear();
    if (one.durable.epoch !== other.durable.epoch) return;
    for (const wrong of this.#wrong) wrong.contactAt = Math.min(wrong.contactAt, now);
  }

  /** After a quiet time both are in `normal`, have the same rows, and wait for nothing. */
  atRest(): void {
    for (const role of ROLES) {
      const { core, rows } = this.#nodes[role];
      if (core?.state !== "normal") throw new Violation(`${role} is in ${core?.state} after a quiet time`);
      if (core.ackedSeq !== core.durable.lastSeq) throw new Violation(`${role} awaits acknowledgements`);
      for (const row of rows.values()) {
        if (isEnded(row) && row.seq > core.ackedSeq) throw new Violation(`${role} awaits ${row.address}`);
      }
    }
    const tables = ROLES.map((role) => [...this.#nodes[role].rows.values()].map(visible).sort().join("\n"));
    if (tables[0] !== tables[1]) throw new Violation(`the tables differ:\n${tables[0]}\n--\n${tables[1]}`);
    this.#endAlike();
    for (const address of this.#addresses) {
      const owners = ROLES.filter((role) => this.#ownsOnDisk(role, address));
      if (owners.length !== 1) throw new Violation(`${address} is owned by ${owners.length} nodes`);
    }
  }

  /** Where the clocks agree at last, what has ended for its client is free, or will be when that can be. */
  hasEnded(): void {
    for (const role of ROLES) {
      const { core, rows, now } = this.#nodes[role];
      for (const row of core ? rows.values() : []) {
        if (!core || isEnded(row) || row.end > now - LATE || !this.#rules.owns(core, row.address)) continue;
        const until = this.#rules.awaitedUntil(core, row);
        // What a peer has told whose clock was behind is waited for so much longer.
        const longest = this.#behind === undefined ? 0 : LONGEST + this.#behind;
        if ((until > 0 && until < now - LATE) || until > now + longest) {
          throw new Violation(`${role} ends ${row.address}, which ended at ${row.end}, at ${until}`);
        }
      }
      for (const address of core ? this.#addresses : []) {
        const { usableFrom } = ownerOf(this.#nodes[role].disk.durable.ownership, address);
        if (usableFrom > now + LONGEST)
          throw new Violation(`${role} waits until ${usableFrom} for ${address}`);
      }
    }
  }

  /** What has not ended runs about as long for both. */
  #endAlike(): void {
    if (this.hasMissedTime) return;
    const { primary, secondary } = this.#nodes;
    for (const [address, row] of primary.rows) {
      const theirs = secondary.rows.get(address);
      if (!theirs || isEnded(row) || row.end === theirs.end) continue;
      const difference = Math.abs(row.end - primary.now - (theirs.end - secondary.now));
      if (difference > 2 * (primary.settings.skew + MAX_ROUNDED)) {
        throw new Violation(`the lease of ${address} ends at ${row.end} here, at ${theirs.end} there`);
      }
    }
  }
}
