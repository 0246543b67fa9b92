import { setImmediate as turn } from "node:timers/promises";
import type { Config } from "@frontdesk/lease-config/config";
import { createConflictRetry } from "../../src/ddns/conflict-retry.ts";
import type { Update } from "../../src/ddns/dns-message.ts";
import { createNameSender } from "../../src/ddns/name-sender.ts";
import { createNameUpdates } from "../../src/ddns/name-updates.ts";
import { namePolicy } from "../../src/ddns/naming.ts";
import type { Answer } from "../../src/ddns/update-exchange.ts";
import type { NameResult } from "../../src/leases/dns-name.ts";
import { NameReader } from "../../src/store/name-reader.ts";
import { dueNames, identitiesAt, leavingAddresses, namesBeside } from "../../src/store/name-rows.ts";
import { openForReading } from "../../src/store/schema.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { EngineNode } from "./engine-node.ts";
import type { Happening } from "./world-node.ts";

const ddnsOf = ({ collision }: Pick<NamedNodeParts, "collision">) => `
[ddns]
enabled = true
server = "127.0.0.1:1053"
forward_zone = "a.example"
collision = "${collision}"
[[ddns.zone]]
name = "10.in-addr.arpa"
`;

export interface NamedNodeParts {
  readonly collision: "refuse" | "suffix";
  readonly answer: (update: Update) => Promise<Answer>;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

/** A node that brings names to DNS as well, with the real outbox and sender. */
export class NamedNode extends EngineNode {
  /** Of all nodes of a run; it is set before they are made. */
  static parts: NamedNodeParts;
  override edit = (toml: string): string => `${toml}${ddnsOf(NamedNode.parts)}`;
  /** What a process that has crashed waits for never comes. */
  #life = 0;
  #ddns: Config["ddns"];
  #reading: ReturnType<typeof openForReading> | undefined;
  #sender: ReturnType<typeof createNameSender> | undefined;
  #names: NameReader | undefined;
  #retryConflicts: ReturnType<typeof createConflictRetry> | undefined;

  override start(): void {
    super.start();
    const life = ++this.#life;
    const [store, { answer, monotonic }] = [this.store, NamedNode.parts];
    const reading = openForReading(store.path);
    this.#reading?.close();
    this.#reading = reading;
    const untilUp = async () => {
      while (life === this.#life && this.status === "paused") await turn();
      if (life !== this.#life) await new Promise(() => {});
    };
    const send = async (_: unknown, update: Update): Promise<Answer> => {
      await untilUp();
      const answered = await answer(update);
      await untilUp();
      return answered;
    };
    const settle = async (names: readonly NameResult[]) => {
      await untilUp();
      // The faults of commits are for those of leases.
      SqliteStore.prototype.commit.call(store, {
        writes: [],
        events: [],
        notes: [],
        clock: undefined,
        names,
      });
      return true;
    };
    this.#names?.close();
    this.#names = new NameReader(store.path);
    this.#retryConflicts = createConflictRetry({ names: this.#names, settle, monotonic });
    this.#beginNames();
    this.#sender = createNameSender({
      config: () => this.#ddns,
      updates: createNameUpdates({ send, query: async () => ({ kind: "silent" }) }),
      isPaired: true,
      due: (query) => dueNames(reading, query),
      leaving: (name) => leavingAddresses(reading, name),
      namesBeside: (address) => namesBeside(reading, address),
      identitiesAt: (address) => identitiesAt(reading, address),
      settle,
      monotonic,
      wait: async () => {},
      count: () => {},
    });
  }

  override crash(): void {
    this.#life++;
    super.crash();
  }

  override close(): void {
    super.close();
    this.#reading?.close();
    this.#reading = undefined;
    this.#names?.close();
    this.#names = undefined;
  }

  override run(happening: Happening): void {
    super.run(happening);
    if (happening.kind === "plan" && this.status === "up") this.#beginNames();
  }

  #beginNames(): void {
    const { config } = this;
    this.#ddns = config.ddns;
    this.store.names.begin(namePolicy(config));
  }

  /** What is due is begun; it goes on by itself. */
  bringNames(): void {
    if (this.status !== "up") return;
    this.store.reconcileNames();
    void this.#sender?.round();
    void this.#retryConflicts?.();
  }
}
