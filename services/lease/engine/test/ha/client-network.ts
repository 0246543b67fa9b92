import type { Role } from "../../src/ha/ownership.ts";
import type { Checks } from "./checks.ts";
import type { Random } from "./random.ts";
import type { Client, Reply, Request, Sending } from "./sim-client.ts";
import type { SimNode } from "./sim-node.ts";

const ROLES = ["primary", "secondary"] as const;
const MAX_LATE = 12;
/** Within a second: a question, an offer, a request, an acknowledgement. */
const ROUNDS = 5;

type Packet = { readonly due: number } & (
  | { readonly to: Role; readonly request: Request; readonly isHeld?: boolean }
  | { readonly to: "client"; readonly reply: Reply }
);

/** What is between clients and nodes: it loses, delays and doubles packets, and may reach one side only. */
export class ClientNetwork {
  readonly #nodes: Readonly<Record<Role, SimNode>>;
  readonly #clients: readonly Client[];
  readonly #checks: Checks;
  readonly #trace: ((line: string) => void) | undefined;
  #packets: Packet[] = [];
  reach: Role | "both" = "both";
  odds = { lost: 0, late: 0, doubled: 0 };

  constructor(
    nodes: Readonly<Record<Role, SimNode>>,
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
    this.deliver(now, random);
    for (const client of this.#clients) {
      const sending = client.act(now, random);
      if (sending) this.#launch(sending, now, random);
    }
    this.deliver(now, random);
  }

  clear(): void {
    this.#packets = [];
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
      for (const packet of due) {
        if (packet.to === "client") this.#receive(packet.reply, now, random);
        else this.#hand(packet, now, random);
      }
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

  #hand(packet: Extract<Packet, { to: Role }>, now: number, random: Random): void {
    const node = this.#nodes[packet.to];
    // A process that stands still finds in its socket what came meanwhile.
    if (node.status === "paused") this.#packets.push({ ...packet, due: now + 1, isHeld: true });
    if (node.status !== "up") return;
    const reply = node.handle(packet.request);
    const [asked, answered] = this.#trace ? [packet.request, reply].map((each) => JSON.stringify(each)) : [];
    this.#trace?.(`${now} ${node.role} (${node.core?.state}) ${asked} -> ${answered}`);
    if (!reply || random.chance(this.odds.lost)) return;
    this.#checks.answered(node);
    const due = now + (random.chance(this.odds.late) ? random.below(MAX_LATE) : 0);
    this.#packets.push({ due, to: "client", reply });
  }

  #receive(reply: Reply, now: number, random: Random): void {
    const client = this.#clients[reply.client] as Client;
    const before = client.lease;
    const sending = client.take(reply, now);
    if (client.lease !== before && client.lease) this.#checks.believes(client, reply, now);
    if (sending) this.#launch(sending, now, random);
  }
}
