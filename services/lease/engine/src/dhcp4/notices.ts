import { formatHex } from "@frontdesk/lease-options/address";
import type { EngineLog } from "../loop/engine.ts";
import type { Decision, Exchange } from "./exchange.ts";

/** A reason that keeps coming is told once in this time. */
const NOTICE_MS = 60_000;

/** Says in the log what an operator must put right. */
export class Notices {
  readonly #log: Pick<EngineLog, "warn">;
  readonly #toldAt = new Map<string, number>();

  constructor(log: Pick<EngineLog, "warn">) {
    this.#log = log;
  }

  /** `left`: options that did not fit the reply. */
  tell({ outcome }: Decision, x: Exchange | undefined, left: readonly number[], now: number): void {
    if (left.length > 0) {
      this.#warn("left-out", now, { options: left }, "options do not fit the reply and are left out");
    }
    if (outcome.kind !== "silence") return;
    const { reason } = outcome;
    const network = x?.network.name;
    if (reason === "no-free-address") {
      const key = `${reason} ${network}`;
      this.#warn(key, now, { network }, "no free address: the pools of this network are full");
    } else if (reason === "decline-limit") {
      const mac = x && formatHex(x.request.chaddr);
      this.#warn(reason, now, { mac }, "a device declines every address; its DECLINE is ignored for an hour");
    } else if (reason === "release-limit") {
      const message = "clients come and go too fast on this network; RELEASE is ignored for an hour";
      this.#warn(`${reason} ${network}`, now, { network }, message);
    } else if (reason === "no-subnet" || reason === "untrusted-relay") {
      this.#warn(reason, now, { reason }, "packets are dropped");
    }
  }

  #warn(key: string, now: number, details: object, message: string): void {
    if (now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < NOTICE_MS) return;
    this.#toldAt.set(key, now);
    this.#log.warn(details, message);
  }
}
