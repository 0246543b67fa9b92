import type { EngineLog } from "../loop/engine.ts";
import type { Decision6, Exchange6 } from "./exchange.ts";
import { REFUSALS6 } from "./outcomes.ts";

/** A reason that keeps coming is told once in this time. */
const NOTICE_MS = 60_000;

/** Says in the log what an operator must put right. */
export class Notices6 {
  readonly #log: Pick<EngineLog, "warn">;
  readonly #toldAt = new Map<string, number>();

  constructor(log: Pick<EngineLog, "warn">) {
    this.#log = log;
  }

  /** `left`: options that did not fit the reply. */
  tell(
    { outcome, ias = [] }: Decision6,
    x: Exchange6 | undefined,
    left: readonly number[],
    now: number,
  ): void {
    if (left.length > 0) {
      this.#warn("left-out", now, { options: left }, "DHCPv6 options do not fit the reply and are left out");
    }
    const network = x?.network.name;
    for (const { type, status } of ias) {
      const reason = status?.reason;
      if (!reason) continue;
      const message =
        reason === "no-free-address"
          ? `${status.text}: the pools of this network are full`
          : `a client of DHCPv6 gets no lease: ${REFUSALS6[reason]}`;
      this.#warn(`${reason} ${type} ${network}`, now, { network, reason }, message);
    }
    if (outcome.kind !== "silence") return;
    const { reason } = outcome;
    if (reason === "no-subnet" || reason === "untrusted-relay" || reason === "registration-limit") {
      this.#warn(reason, now, { reason }, "DHCPv6 packets are dropped");
    }
  }

  #warn(key: string, now: number, details: object, message: string): void {
    if (now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < NOTICE_MS) return;
    this.#toldAt.set(key, now);
    this.#log.warn(details, message);
  }
}
