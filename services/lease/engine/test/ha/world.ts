import type { Settings } from "../../src/ha/core-state.ts";
import type { Message } from "../../src/ha/messages.ts";
import { peerOf, type Role } from "../../src/ha/ownership.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Conflict } from "../../src/ha/turn.ts";
import type { Address } from "../../src/leases/binding.ts";
import { Checks } from "./checks.ts";
import { ClientNetwork } from "./client-network.ts";
import { Disk } from "./disk.ts";
import { PeerNetwork } from "./peer-network.ts";
import { type Random, randomOf } from "./random.ts";
import type { Rules } from "./rules.ts";
import { Client } from "./sim-client.ts";
import { clientName, SimNode } from "./sim-node.ts";
import { LEAD, type Setting, SKEW, type Step } from "./steps.ts";

const ROLES = ["primary", "secondary"] as const;
const FIRST = 1;
const QUIET_SECONDS = 120;

/** Two nodes, the network between them, and clients, in true time. */
export class World {
  now = 100_000;
  readonly nodes: Readonly<Record<Role, SimNode>>;
  readonly checks: Checks;
  readonly #rules: Rules;
  readonly #setting: Setting;
  readonly #plans: readonly Plan[];
  readonly #peers: PeerNetwork;
  readonly #clients: ClientNetwork;
  readonly #remembered: Record<Role, Disk | undefined> = { primary: undefined, secondary: undefined };
  readonly #trace: ((line: string) => void) | undefined;
  #stores = 0;
  #isQuiet = false;

  /** With `trace`, everything that happens is told. */
  constructor(rules: Rules, setting: Setting, trace?: (line: string) => void) {
    this.#rules = rules;
    this.#trace = trace;
    this.#setting = setting;
    this.#plans = plansOf(setting);
    const clients = Array.from({ length: setting.clients }, (_, i) => new Client(i));
    const node = (role: Role) => this.#newNode(role);
    this.nodes = { primary: node("primary"), secondary: node("secondary") };
    const addresses = Array.from({ length: setting.addresses + 1 }, (_, i) => FIRST + i);
    this.checks = new Checks(rules, this.nodes, clients, addresses);
    this.#peers = new PeerNetwork(this.nodes, this.checks);
    this.#clients = new ClientNetwork(this.nodes, clients, this.checks, trace);
    for (const role of ROLES) this.nodes[role].start();
  }

  #newNode(role: Role): SimNode {
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
    };
    const watcher = {
      sends: (from: SimNode, messages: readonly Message[]) => this.#send(from, messages),
      closes: (by: SimNode) => this.#peers.connectionOf(by)?.close(by.role),
      finds: (conflict: Conflict) => this.checks.conflict(conflict),
      tells: (by: SimNode, client: string, address: number, end: number) =>
        this.checks.told(by, client, address, end),
    };
    const node = new SimNode(this.#rules, settings, this.#plans[0] as Plan, watcher, () => this.now);
    node.offset = offsets[role];
    return node;
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
      case "start":
        if (this.nodes[step.node].status === "down") this.nodes[step.node].start();
        return;
      case "pause":
        this.nodes[step.node].pause();
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
      case "packets":
        this.#clients.odds = step;
        return;
      case "partner-down":
        this.#declare(step.node, step.isWrong, step.ago);
        return;
      case "maintenance":
        this.#command(step.node, { name: "maintenance" });
        return;
      case "resume command":
        this.#command(step.node, { name: "resume" });
        return;
      case "remember disk":
        this.#remembered[step.node] = this.nodes[step.node].disk.copy();
        return;
      case "lose disk":
        this.#replaceDisk(step.node, random, undefined);
        return;
      case "roll back":
        if (this.#remembered[step.node]) this.#replaceDisk(step.node, random, this.#remembered[step.node]);
        return;
      case "reload":
        for (const role of rolesOf(step.node)) this.#reload(role, this.#plans[step.plan] as Plan);
        return;
      case "clock":
        this.nodes[step.node].offset = step.offset;
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
    for (let second = 0; second < QUIET_SECONDS; second++) this.#second(random);
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

  #tick(node: SimNode): void {
    this.checks.watchTakeover(node, this.now, () => node.run({ kind: "tick" }));
  }

  #send(from: SimNode, messages: readonly Message[]): void {
    for (const message of messages) {
      const { state, epoch } = from.disk.durable;
      if (this.#trace && message.type !== "beat") {
        this.#trace(`${this.now} ${from.role} (${state} ${epoch}) sends ${JSON.stringify(message)}`);
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

  #resume(node: SimNode): void {
    if (node.status === "paused") this.checks.resumed(node, this.now);
    node.resume();
  }

  #crash(role: Role, random: Random): void {
    const node = this.nodes[role];
    node.crash();
    this.#clients.dropHeld(role);
    // The kernel closes the connection, unless the whole machine is gone.
    if (random.chance(0.6)) this.#peers.current?.close(role);
    else this.#peers.current?.cut(random, { primary: false, secondary: false });
  }

  #declare(role: Role, isWrong: boolean, ago: number): void {
    const node = this.nodes[role];
    const peer = this.nodes[peerOf(role)];
    if (!node.core || node.status !== "up") return;
    const isRight = peer.status !== "up";
    if (isRight === isWrong) return;
    // Not promised: taking over with a copy that is older than the peer's own takeover, or that is not whole.
    if (peer.disk.durable.epoch > node.disk.durable.epoch || node.disk.durable.peerStore === null) return;
    const stoppedAt = isWrong ? this.now : Math.max(peer.stoppedAt, this.now - ago);
    const command = { name: "partner-down", stoppedAt: Math.min(stoppedAt, node.now) } as const;
    this.checks.watchTakeover(node, this.now, () => node.run({ kind: "command", command }));
  }

  #command(role: Role, command: { readonly name: "maintenance" } | { readonly name: "resume" }): void {
    this.nodes[role].run({ kind: "command", command });
  }

  /** A node comes up with an empty disk, or with one from before, while the other lives and has everything. */
  #replaceDisk(role: Role, random: Random, old: Disk | undefined): void {
    const node = this.nodes[role];
    const peer = this.nodes[peerOf(role)];
    const isWhole = peer.status === "up" && peer.core?.state !== "recover" && peer.core?.state !== "startup";
    const isNewest = peer.disk.durable.epoch >= node.disk.durable.epoch;
    if (!isWhole || !isNewest || peer.disk.durable.eraSeq !== null) return;
    // A restored copy gives nothing before contact only if there is contact soon.
    if (old && (this.#peers.isPartitioned || peer.refusesUntil > this.now)) return;
    this.#crash(role, random);
    this.#stores++;
    node.disk =
      old?.copy() ?? new Disk(this.#rules.newDurable(`${role}'s store ${this.#stores}`, node.settings.lead));
    this.#remembered[role] = undefined;
    this.checks.lostMemory(node, old !== undefined);
    node.start();
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
