import type { Role } from "../../src/ha/ownership.ts";
import type { Checks } from "./checks.ts";
import type { Random } from "./random.ts";
import type { Client, Reply, Request, Sending } from "./sim-client.ts";
import type { WorldNode } from "./world-node.ts";

const ROLES = ["primary", "secondary"] as const;
const MAX_LATE = 12;
/** Seconds that an imported lease still runs, and for which its import is tried. */
const IMPORTED = 150;
const IMPORTING = 5;
/** Messages that a node decides together. */
const MAX_BATCH = 4;
/** Within a second: a question, an offer, a request, an acknowledgement. */
const ROUNDS = 5;

type Packet = { readonly due: number } & (
  | { readonly to: Role; readonly request: Request; readonly isHeld?: boolean }
  | { readonly to: "client"; readonly reply: Reply }
);

/** What is between clients and nodes: it loses, delays and doubles packets, and may reach one side only. */
export class ClientNetwork {
  readonly #nodes: Readonly<Record<Role, WorldNode>>;
  readonly #clients: readonly Client[];
  readonly #checks: Checks;
  readonly #trace: ((line: string) => void) | undefined;
  #packets: Packet[] = [];
  #imports: Array<{
    readonly role: Role;
    readonly client: Client;
    readonly address: number;
    readonly end: number;
  }> = [];
  reach: Role | "both" = "both";
  odds = { lost: 0, late: 0, doubled: 0 };

  constructor(
    nodes: Readonly<Record<Role, WorldNode>>,
    clients: readonly Client[],
    checks: Checks,
    trace?: (line: string) => void,
  ) {
    this.#nodes = nodes;
    this.#clients = clients;
    this.#checks = checks;
    this.#trace = trace;
  }

  /** Clients do what they do in a second. */
  act(now: number, random: Random): void {
    for (const node of Object.values(this.#nodes)) {
      for (const reply of node.lateReplies()) this.#answer(node, reply, now, random);
    }
    this.deliver(now, random);
    this.#goOnImporting(now);
    for (const client of this.#clients) {
      const sending = client.act(now, random);
      if (sending) this.#launch(sending, now, random);
    }
    this.deliver(now, random);
  }

  /** Clients of a node give their addresses back. */
  giveBack(role: Role, now: number, random: Random): void {
    for (const client of this.#clients) {
      if (client.lease?.server !== role || !random.chance(0.5)) continue;
      const sending = client.leave(now, random);
      if (sending) this.#launch(sending, now, random);
    }
  }

  /** Clients of another server, on addresses that nobody has, are made those of a node. */
  import(role: Role, addresses: readonly number[], now: number, random: Random): void {
    const isHeld = (address: number) => this.#clients.some(({ lease }) => lease?.address === address);
    const free = addresses.filter((address) => !isHeld(address));
    const first = random.below(free.length);
    for (const client of this.#clients.filter((each) => each.isForeign && !each.lease)) {
      for (const address of [...free.slice(first), ...free.slice(0, first)])
        this.#imports.push({ role, client, address, end: now + IMPORTED });
    }
    this.#goOnImporting(now);
  }

  /** It is tried again until it can be relied on. */
  #goOnImporting(now: number): void {
    this.#imports = this.#imports.filter(({ role, client, address, end }) => {
      if (client.lease || end - now < IMPORTED - IMPORTING) return false;
      if (!this.#nodes[role].adopt(client.id, address, end - now)) return true;
      client.hold(address, role, now, end);
      this.#trace?.(`${now} ${role} imports ${client.id} at ${address}`);
      this.#checks.believes(client, { address, decidedAt: now }, now);
      return false;
    });
  }

  /** Some clients sleep for a while. */
  silence(until: number, random: Random): void {
    for (const client of this.#clients) if (random.chance(0.5)) client.silentUntil = until;
  }

  clear(): void {
    this.#packets = [];
    this.#imports = [];
  }

  /** What a process had not read is lost with it. */
  dropHeld(role: Role): void {
    this.#packets = this.#packets.filter((packet) => packet.to !== role || !packet.isHeld);
  }

  deliver(now: number, random: Random): void {
    for (let round = 0; round < ROUNDS; round++) {
      const due = this.#packets.filter((packet) => packet.due <= now);
      if (due.length === 0) return;
      this.#packets = this.#packets.filter((packet) => packet.due > now);
      const arrived: Record<Role, Request[]> = { primary: [], secondary: [] };
      for (const packet of due) {
        if (packet.to === "client") this.#receive(packet.reply, now, random);
        else if (this.#arrives(packet, now)) arrived[packet.to].push(packet.request);
      }
      for (const role of ROLES) this.#hand(this.#nodes[role], arrived[role], now, random);
    }
  }

  #launch({ request, to }: Sending, now: number, random: Random): void {
    for (const role of random.chance(0.5) ? ROLES : ROLES.toReversed()) {
      if ((to !== "all" && to !== role) || (this.reach !== "both" && this.reach !== role)) continue;
      if (random.chance(this.odds.lost)) continue;
      // One server could not tell a late RELEASE from a new one either.
      const isPrompt = request.kind === "release" || request.kind === "decline";
      const isLate = !isPrompt && random.chance(this.odds.late);
      this.#packets.push({ due: now + (isLate ? random.below(MAX_LATE) : 0), to: role, request });
      if (!isPrompt && random.chance(this.odds.doubled)) {
        this.#packets.push({ due: now + random.below(MAX_LATE), to: role, request });
      }
    }
  }

  #arrives(packet: Extract<Packet, { to: Role }>, now: number): boolean {
    const { status } = this.#nodes[packet.to];
    // A process that stands still finds in its socket what came meanwhile.
    if (status === "paused") this.#packets.push({ ...packet, due: now + 1, isHeld: true });
    return status === "up";
  }

  /** A few at a time, as they come in together. */
  #hand(node: WorldNode, requests: Request[], now: number, random: Random): void {
    while (requests.length > 0) {
      const batch = requests.splice(0, 1 + random.below(MAX_BATCH));
      const before = node.core?.state;
      const replies = node.handleAll(batch);
      if (this.#trace) {
        const [asked, answered] = [batch, replies].map((each) => JSON.stringify(each));
        this.#trace(`${now} ${node.role} (${node.core?.state}) ${asked} -> ${answered}`);
      }
      for (const reply of replies) {
        if (before !== "normal" && reply.kind === "nak") this.#checks.refused(node, reply.address);
        this.#answer(node, reply, now, random);
      }
    }
  }

  #answer(node: WorldNode, reply: Reply, now: number, random: Random): void {
    if (random.chance(this.odds.lost)) return;
    this.#checks.answered(node);
    const isLate = !this.#clients[reply.client]?.countsFromReply && random.chance(this.odds.late);
    this.#packets.push({ due: now + (isLate ? random.below(MAX_LATE) : 0), to: "client", reply });
  }

  #receive(reply: Reply, now: number, random: Random): void {
    const client = this.#clients[reply.client] as Client;
    const before = client.lease;
    const sending = client.take(reply, now);
    if (client.lease !== before && client.lease) this.#checks.believes(client, reply, now);
    if (sending) this.#launch(sending, now, random);
  }
}
