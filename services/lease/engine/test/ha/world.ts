import { formatIpv4 } from "@frontdesk/lease-options/address";
import type { Command } from "../../src/ha/commands.ts";
import type { Durable, Settings } from "../../src/ha/core-state.ts";
import type { Message } from "../../src/ha/messages.ts";
import { peerOf, type Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Address } from "../../src/leases/binding.ts";
import { Checks } from "./checks.ts";
import { ClientNetwork } from "./client-network.ts";
import { SERVERS } from "./packets4.ts";
import { PeerNetwork } from "./peer-network.ts";
import { type Random, randomOf } from "./random.ts";
import type { Rules } from "./rules.ts";
import { Client } from "./sim-client.ts";
import { SimNode } from "./sim-node.ts";
import { LEAD, nearOffset, type Setting, SKEW, type Step } from "./steps.ts";
import { clientName, type NodeWatcher, type WorldNode } from "./world-node.ts";

const ROLES = ["primary", "secondary"] as const;
/** 10.77.1.1 */
const FIRST = 0x0a4d0101;
const QUIET_SECONDS = 120;
/** Clients of another server. */
const FOREIGN = 2;

export type MakeNode = (
  settings: Settings,
  plan: Plan,
  watcher: NodeWatcher,
  trueTime: () => number,
  offset: number,
) => WorldNode;

/** Of a disk. */
interface Copy {
  readonly durable: Durable;
  restore(): void;
}

export interface WorldParts {
  /** Is told everything that happens. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Whole engines instead of the rules alone. */
  readonly engines?: { readonly make: MakeNode; readonly countsFromReply: boolean } | undefined;
}

/** Two nodes, the network between them, and clients, in true time. */
export class World {
  now = 100_000;
  readonly nodes: Readonly<Record<Role, WorldNode>>;
  readonly checks: Checks;
  readonly #setting: Setting;
  readonly #plans: readonly Plan[];
  readonly #peers: PeerNetwork;
  readonly #clients: ClientNetwork;
  readonly #makeNode: MakeNode;
  /** The disk that was remembered last, and what puts it back, however often it was replaced since. */
  readonly #remembered: Record<Role, Copy | undefined> = { primary: undefined, secondary: undefined };
  readonly #trace: ((line: string) => void) | undefined;
  #stores = 0;
  #isQuiet = false;
  /** Both clocks are within skew/2 of true time. */
  #areNear: boolean;

  constructor(rules: Rules, setting: Setting, { trace, engines }: WorldParts = {}) {
    this.#makeNode = engines?.make ?? ((...parts) => new SimNode(rules, ...parts));
    this.#trace = trace;
    this.#setting = setting;
    this.#areNear = setting.clocks === "near";
    this.#plans = plansOf(setting);
    const countsFromReply = engines?.countsFromReply ?? false;
    const clients = Array.from(
      { length: setting.clients + FOREIGN },
      (_, i) =>
        new Client(i, {
          countsFromReply,
          isForeign: i >= setting.clients,
          wantsEndless: setting.hasEndless === true && i % 3 === 1,
        }),
    );
    const node = (role: Role) => this.#newNode(role);
    this.nodes = { primary: node("primary"), secondary: node("secondary") };
    const addresses = Array.from({ length: setting.addresses + 1 }, (_, i) => FIRST + i);
    this.checks = new Checks(rules, this.nodes, clients, addresses);
    this.#peers = new PeerNetwork(this.nodes, this.checks);
    this.#clients = new ClientNetwork(this.nodes, clients, this.checks, trace);
    for (const role of ROLES) this.nodes[role].start();
  }

  get #pooled(): number[] {
    return Array.from({ length: this.#setting.addresses }, (_, i) => FIRST + i);
  }

  #newNode(role: Role): WorldNode {
    const { mode, partnerDownAfter, contactTimeout, offsets } = this.#setting;
    const settings: Settings = {
      node: role,
      role,
      mode,
      identity: "client_id",
      lead: LEAD,
      skew: SKEW,
      contactTimeout,
      partnerDownAfter,
      share: 0.5,
      servers: [formatIpv4(SERVERS[role])],
    };
    const watcher: NodeWatcher = {
      sends: (from, messages) => this.#send(from, messages),
      closes: (by) => this.#peers.connectionOf(by)?.close(by.role),
      finds: (conflict) => this.checks.conflict(conflict),
      tells: (by, client, address, end) => this.checks.told(by, client, address, end),
    };
    return this.#makeNode(settings, this.#plans[0] as Plan, watcher, () => this.now, offsets[role]);
  }

  run(step: Step): void {
    const random = randomOf(step.r);
    this.#trace?.(`${this.now} ${JSON.stringify(step)}`);
    switch (step.do) {
      case "pass":
        for (let second = 0; second < step.seconds; second++) this.#second(random);
        return;
      case "cut":
        this.#peers.current?.cut(random, step.tells);
        return;
      case "stall":
        if (this.#peers.current) this.#peers.current.stalledUntil[step.to] = this.now + step.seconds;
        return;
      case "late old connection":
        this.#peers.delayOld(this.now + step.seconds, random);
        return;
      case "double frame":
      case "swap frames":
        this.#disturb(step.do, step.to);
        return;
      case "partition":
        this.#peers.isPartitioned = step.isOn;
        if (step.isOn)
          this.#peers.current?.cut(random, { primary: random.chance(0.5), secondary: random.chance(0.5) });
        return;
      case "crash":
        this.#crash(step.node, random);
        return;
      case "reboot":
        this.#crash(step.node, random);
        this.#reboot(this.nodes[step.node]);
        return;
      case "start":
        if (this.nodes[step.node].status === "down") this.nodes[step.node].start();
        return;
      case "pause":
        this.nodes[step.node].pause(step.how);
        this.checks.hasMissedTime ||= step.how === "machine";
        return;
      case "resume":
        this.#resume(this.nodes[step.node]);
        return;
      case "fault":
        this.nodes[step.node].commitFault = step.fault;
        return;
      case "full disk":
        this.nodes[step.node].refusesUntil = this.now + step.seconds;
        return;
      case "reach":
        this.#clients.reach = step.reach;
        return;
      case "give back":
        this.#clients.giveBack(step.node, this.now, random);
        return;
      case "import":
        this.#clients.import(step.node, this.#pooled, this.now, random);
        return;
      case "silence":
        this.#clients.silence(this.now + step.seconds, random);
        return;
      case "packets":
        this.#clients.odds = step;
        return;
      case "partner-down":
        this.#declare(step.node, step.isWrong, step.ago, random);
        return;
      case "maintenance":
        this.#mendClocks(random);
        this.#command(step.node, { name: "maintenance" });
        return;
      case "resume command":
        this.#command(step.node, { name: "resume", alone: step.alone === true && this.#mayTrust(step.node) });
        return;
      case "remember disk":
        this.#remembered[step.node] = {
          durable: this.nodes[step.node].disk.durable,
          restore: this.nodes[step.node].remember(),
        };
        return;
      case "lose disk":
        this.#replaceDisk(step.node, random, undefined);
        return;
      case "roll back":
        this.#rollBack(step.node, random);
        return;
      case "replace":
        this.#replaceDisk(step.node, random, undefined, step.epoch);
        return;
      case "leave":
        this.#leave(step.node, random);
        return;
      case "reload":
        for (const role of rolesOf(step.node)) this.#reload(role, this.#plans[step.plan] as Plan);
        return;
      case "clock":
        if (this.#areNear) this.nodes[step.node].clock.offset = step.offset;
        return;
      case "slew":
        if (this.#areNear) this.nodes[step.node].clock.slewTo(step.offset);
        return;
      case "set clocks":
        for (const role of rolesOf(step.node)) this.nodes[role].clock.offset += step.by;
        return;
      case "lead":
        for (const role of rolesOf(step.node)) this.#setLead(role, step.lead, random);
    }
  }

  /** Everything is mended, clients are silent, and the pair must come to rest. */
  settle(): void {
    const random = randomOf(1);
    this.#peers.isPartitioned = false;
    this.#isQuiet = true;
    this.#peers.isQuiet = true;
    this.#clients.clear();
    for (const node of Object.values(this.nodes)) {
      node.refusesUntil = 0;
      node.commitFault = undefined;
      this.#resume(node);
      if (node.status === "down") node.start();
      if (node.settings.lead !== LEAD) this.#setLead(node.role, LEAD, random);
      this.#reload(node.role, this.#plans[0] as Plan);
      if (node.core?.state === "maintenance") this.#command(node.role, { name: "resume" });
    }
    this.#rest(QUIET_SECONDS, random);
    if (this.#areNear) return;
    for (const { clock } of Object.values(this.nodes)) clock.offset = 0;
    this.#rest(QUIET_SECONDS / 2, random);
    this.checks.hasEnded();
  }

  #rest(seconds: number, random: Random): void {
    for (let second = 0; second < seconds; second++) this.#second(random);
    this.#peers.exchange(this.now, random);
    this.checks.atRest();
  }

  #second(random: Random): void {
    this.now += 1;
    this.#peers.connect(random);
    this.#peers.exchange(this.now, random);
    for (const role of random.chance(0.5) ? ROLES : ROLES.toReversed()) this.#tick(this.nodes[role]);
    this.#peers.exchange(this.now, random);
    if (!this.#isQuiet) this.#clients.act(this.now, random);
    this.#peers.exchange(this.now, random);
    this.checks.afterSecond(this.now);
  }

  #tick(node: WorldNode): void {
    this.checks.watchTakeover(node, this.now, () => node.run({ kind: "tick" }));
  }

  #send(from: WorldNode, messages: readonly Message[]): void {
    for (const message of messages) {
      const { state, epoch } = from.disk.durable;
      if (this.#trace && message.type !== "beat") {
        this.#trace(`${this.now} ${from.role} (${state} ${epoch}) sends ${JSON.stringify(message, plain)}`);
      }
      this.checks.sent(from, message);
      this.#peers.send(from, message);
    }
  }

  #disturb(how: "double frame" | "swap frames", to: Role): void {
    if (this.nodes[to].status !== "up") return;
    // There is something on its way after a tick of the peer.
    for (let i = 0; i < 2; i++) this.#tick(this.nodes[peerOf(to)]);
    this.#peers.disturb(how, to);
  }

  #resume(node: WorldNode): void {
    const { pausedHow } = node.clock;
    if (node.status === "paused" && pausedHow) this.checks.resumed(node, this.now, pausedHow);
    node.resume();
  }

  #crash(role: Role, random: Random): void {
    const node = this.nodes[role];
    node.crash();
    this.#clients.dropHeld(role);
    // The kernel closes the connection, unless the whole machine is gone.
    if (random.chance(0.6)) this.#peers.current?.close(role);
    else {
      this.#peers.current?.cut(random, { primary: false, secondary: false });
      this.#reboot(node);
    }
  }

  /**
   * A machine whose clock is set while it is down knows it only by the peer's: not where both were wrong alike. Where it was
   * behind, leases end early, as those of a single server do.
   */
  #reboot(node: WorldNode): void {
    const peer = this.nodes[peerOf(node.role)];
    const isAlike = Math.abs(node.clock.offset - peer.clock.offset) <= SKEW;
    if (this.#setting.clocks === "steady" || node.clock.offset < -SKEW / 2) return;
    if (isAlike && !this.#areNear) return;
    this.checks.hasMissedTime ||= !this.#areNear;
    node.reboot();
  }

  #declare(role: Role, isWrong: boolean, ago: number, random: Random): void {
    const node = this.nodes[role];
    const peer = this.nodes[peerOf(role)];
    if (!node.core || node.status !== "up") return;
    const isRight = peer.status !== "up";
    if (isRight === isWrong) return;
    // Not promised: taking over with a copy that is older than the peer's own takeover, or that is not whole.
    if (!isWrong && peer.disk.durable.epoch > node.disk.durable.epoch) return;
    if (node.disk.durable.peerStore === null) return;
    if (isWrong && !this.#areNear) return;
    this.#mendClocks(random);
    const stoppedAt = isWrong ? this.now : Math.max(peer.stoppedAt, this.now - ago);
    const command = { name: "partner-down", stoppedAt: Math.min(stoppedAt, node.now) } as const;
    this.checks.watchTakeover(node, this.now, () => node.run({ kind: "command", command }));
  }

  /** Whoever takes over does so by the right time, and whoever comes back has it. */
  #mendClocks(random: Random): void {
    if (this.#areNear || this.#setting.clocks !== "mended") return;
    this.#areNear = true;
    for (const node of Object.values(this.nodes)) {
      node.clock.offset = nearOffset(random);
      this.#tick(node);
    }
  }

  /** An operator who says that the peer has not taken over says so rightly, or asks a node that knows better. */
  #mayTrust(role: Role): boolean {
    const { durable } = this.nodes[peerOf(role)].disk;
    const isRight = durable.takeover === null && durable.epoch === this.nodes[role].disk.durable.epoch;
    const { core, disk } = this.nodes[role];
    return isRight || (core?.link ?? null) !== null || disk.durable.handedOver;
  }

  #command(role: Role, command: Extract<Command, { name: "maintenance" | "resume" }>): void {
    this.nodes[role].run({ kind: "command", command });
  }

  /** A node comes up with an empty disk, or with one from before, while the other lives and has everything. */
  #replaceDisk(role: Role, random: Random, restore: (() => void) | undefined, epoch?: number): void {
    const node = this.nodes[role];
    const peer = this.nodes[peerOf(role)];
    if (!this.#isEnough(peer, epoch !== undefined)) return;
    // A restored copy gives nothing before contact only if there is contact soon.
    if (restore && (this.#peers.isPartitioned || peer.refusesUntil > this.now)) return;
    this.#crash(role, random);
    this.#mendClocks(random);
    this.#stores++;
    if (restore) restore();
    else node.loseDisk(`${role}'s store ${this.#stores}`, epoch);
    this.checks.lostMemory(node, restore !== undefined, this.now);
    if (epoch !== undefined) peer.pairAnew();
    node.start();
  }

  /** Not promised: the peer had received no more than what is in the copy, from which the node had gone on. */
  #rollBack(role: Role, random: Random): void {
    const copy = this.#remembered[role];
    if (!copy) return;
    const { durable } = this.nodes[role].disk;
    const { disk, core } = this.nodes[peerOf(role)];
    const { peerStore, appliedSeq, agreed } = disk.durable;
    const wentOn = durable.store === copy.durable.store && durable.lastSeq > copy.durable.lastSeq;
    const isBehind =
      copy.durable.lastSeq < appliedSeq ||
      copy.durable.appliedSeq < (core?.ackedSeq ?? 0) ||
      copy.durable.epoch < agreed;
    if (wentOn && peerStore === copy.durable.store && !isBehind) return;
    this.#replaceDisk(role, random, () => copy.restore());
  }

  /** Whether a node lives and has everything that the other has, but for what that one told clients alone. */
  #isEnough(node: WorldNode, mayBeStarting = false): boolean {
    const { status, core, role, disk } = node;
    const isStarting = core?.state === "startup" && (!mayBeStarting || this.checks.isForgetful(node));
    const isWhole = status === "up" && core?.state !== "recover" && !isStarting;
    const isNewest = disk.durable.epoch >= this.nodes[peerOf(role)].disk.durable.epoch;
    return isWhole && isNewest && disk.durable.eraSeq === null;
  }

  /** What a node was given that the other does not know, it loses by this. */
  #leave(who: Role | "both", random: Random): void {
    const nodes = rolesOf(who).map((role) => this.nodes[role]);
    const isKnown = ({ core }: WorldNode) =>
      core?.state === "normal" && core.ackedSeq === core.durable.lastSeq;
    const others = Object.values(this.nodes).filter((node) => !nodes.includes(node));
    if (others.length > 0 ? !others.every((node) => this.#isEnough(node)) : !nodes.every(isKnown)) return;
    // Without its peer it goes on with the leases that it has; the two refuse each other where a lead is not alike.
    const { primary, secondary } = this.nodes;
    if (primary.settings.lead !== secondary.settings.lead) return;
    // What it has handed over is the other's, and it would know nothing of that.
    if (nodes.some(({ disk }) => disk.durable.handedOver)) return;
    if (this.#peers.isPartitioned || others.some(({ refusesUntil }) => refusesUntil > this.now)) return;
    for (const node of nodes) this.#crash(node.role, random);
    this.#mendClocks(random);
    for (const node of nodes) {
      this.#stores++;
      node.leavePair(`${node.role}'s store ${this.#stores}`);
      this.checks.lostMemory(node, false, this.now);
      node.start();
    }
  }

  #reload(role: Role, plan: Plan): void {
    const node = this.nodes[role];
    node.plan = plan;
    node.run({ kind: "plan", plan });
  }

  /** Both have a new lead only after each was started with it. */
  #setLead(role: Role, lead: number, random: Random): void {
    const node = this.nodes[role];
    if (node.settings.lead === lead || node.status !== "up") return;
    this.#crash(role, random);
    node.settings = { ...node.settings, lead };
    node.start();
  }
}

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
const rolesOf = (node: Role | "both"): readonly Role[] => (node === "both" ? ROLES : [node]);

/** The first pool address is reserved, or not, or another is; the last address of all lies outside the pool. */
function plansOf({ addresses }: Setting): Plan[] {
  const pools = [{ first: FIRST, last: FIRST + addresses - 1 }];
  const plan = (hash: string, reserved: Array<[Address, number]>): Plan => ({
    hash,
    pools,
    reserved: new Map(reserved.map(([address, client]) => [address, clientName(client)])),
  });
  const outside = FIRST + addresses;
  return [
    plan("first reserved", [
      [FIRST, 0],
      [outside, 1],
    ]),
    plan("second reserved", [
      [FIRST + 1, 0],
      [outside, 2],
    ]),
    plan("none reserved", []),
  ];
}
