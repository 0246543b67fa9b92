import type { Clock } from "@frontdesk/kit/clock";
import {
  type Courier,
  type Delivery,
  type Ending,
  Interrupted,
  NothingSent,
  OVER,
  type Parcel,
  type Progress,
  type Wait,
} from "./courier.ts";
import { BridgeError } from "./errors.ts";
import type { Look } from "./printer.ts";

/** How a spooler says a job stands. */
export interface SpoolState {
  readonly state: "waiting" | "held" | "done" | "failed" | "gone";
  readonly reasons: readonly string[];
}

/** A queue that takes whole documents and answers for them. */
export interface Spool {
  /**
   * Hands over a document; answers with what to ask for later. Throws BridgeError when it was not taken:
   * RATE_LIMITED when it is busy with another and can be asked again.
   */
  submit(title: string, data: Uint8Array, copies: number): Promise<string>;
  check(receipt: string): Promise<SpoolState>;
  look(): Promise<Look>;
}

/** Brings jobs to a spooler, and believes what the spooler says of them. */
export function createSpoolCourier(options: {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly pollMs: number;
  readonly recoverMs: number;
}): Courier {
  const { spool } = options;
  const closing = new AbortController();

  const ended = (parcel: Parcel, state: Ending["state"], error?: Ending["error"]): Ending => ({
    state,
    verification: state === "Unknown" ? "none" : "sent",
    tally: { asked: parcel.labels, printed: state === "Done" ? parcel.labels : 0 },
    ...(error ? { error } : {}),
  });

  async function follow(
    parcel: Parcel,
    receipt: string,
    tell: (progress: Progress) => void,
  ): Promise<Ending> {
    let away = options.clock.now() + options.recoverMs;
    const tally = { asked: parcel.labels, printed: 0 };
    for (;;) {
      const now = await spool.check(receipt).catch((error: unknown) => {
        if (error instanceof BridgeError) return undefined;
        throw error;
      });
      if (now) away = options.clock.now() + options.recoverMs;
      if (now?.state === "done") return ended(parcel, "Done");
      if (now?.state === "failed") {
        return ended(parcel, "Failed", {
          code: "SPOOLER",
          message: `The spooler gave the job up: ${now.reasons.join(", ") || "no reason"}.`,
        });
      }
      if (now?.state === "gone" || options.clock.now() > away) return ended(parcel, "Unknown");
      tell({
        state: now?.state === "held" ? "Held" : "Printing",
        tally,
        reasons: now?.reasons ?? [],
        receipt,
      });
      await options.wait(options.pollMs, closing.signal);
      if (closing.signal.aborted) throw new Interrupted();
    }
  }

  async function submit(parcel: Parcel): Promise<string> {
    try {
      return await spool.submit(`frontdesk ${parcel.id}`, parcel.data, parcel.copies);
    } catch (error) {
      if (error instanceof BridgeError && error.code === "RATE_LIMITED") throw new NothingSent("busy");
      throw error;
    }
  }

  function deliver(parcel: Parcel, tell: (progress: Progress) => void): Delivery {
    const submitted = submit(parcel);
    const ending = submitted.then(
      (receipt) => follow(parcel, receipt, tell),
      (error: unknown) => {
        if (!(error instanceof BridgeError)) throw error;
        // Refused whole is refused; a line that broke in the middle may have been taken.
        const state = error.code === "TRANSPORT_TIMEOUT" ? "Unknown" : "Failed";
        return ended(parcel, state, { code: error.code, message: error.message });
      },
    );
    return {
      ending,
      handedOver: submitted.then(
        () => {},
        (error: unknown) => {
          if (error instanceof NothingSent) throw error;
        },
      ),
    };
  }

  return {
    isReady: () => false,
    baseline: () => undefined,
    prepare: () => spool.look(),
    look: () => spool.look(),
    deliver,
    recover: async (parcel, tell) =>
      parcel.receipt ? follow(parcel, parcel.receipt, tell) : ended(parcel, "Unknown"),
    rest: () => {},
    close: async () => closing.abort(OVER),
  };
}
