import type { LoadSocket } from "./load-socket.ts";

const DRAIN_MS = 1000;
const MAX_AT_ONCE = 256;

export interface Exchanges {
  readonly socket: LoadSocket;
  readonly count: number;
  readonly perSecond: number;
  /** Puts the first message of an exchange. */
  readonly begin: (n: number) => void;
  /** Takes a reply, and puts what the client answers; says of which exchange it is, and what has become of that. */
  readonly hear: (
    reply: Uint8Array,
  ) => { readonly n: number; readonly outcome: "offered" | "done" | "refused" } | undefined;
}

export interface Driven {
  readonly begun: number;
  readonly offers: number;
  readonly acks: number;
  readonly naks: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Begins exchanges at a rate and goes on with them until all have ended or time is up. */
export function drive({ socket, count, perSecond, begin, hear }: Exchanges): Driven {
  const begunAt = new Float64Array(count);
  const delays: number[] = [];
  let [begun, offers, naks] = [0, 0, 0];
  const take = (reply: Uint8Array) => {
    const heard = hear(reply);
    if (!heard || heard.n < 0 || heard.n >= begun) return;
    if (heard.outcome === "offered") offers++;
    else if (heard.outcome === "refused") naks++;
    else delays.push(performance.now() - (begunAt[heard.n] as number));
  };
  const startedAt = performance.now();
  const planned = (count / perSecond) * 1000;
  for (;;) {
    const elapsed = performance.now() - startedAt;
    const due = Math.min(count, Math.floor((elapsed / 1000) * perSecond));
    for (let n = 0; begun < due && n < MAX_AT_ONCE; n++) {
      begunAt[begun] = performance.now();
      begin(begun++);
    }
    socket.flush();
    socket.wait(begun < due ? 0 : 1);
    socket.receive(take);
    socket.flush();
    if (elapsed > planned + DRAIN_MS || delays.length + naks >= count) break;
  }
  const took = Math.min(performance.now() - startedAt, planned) / 1000;
  delays.sort((a, b) => a - b);
  const at = (share: number) =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
  const acks = delays.length;
  return { begun, offers, acks, naks, rate: acks / took, p50: at(0.5), p99: at(0.99) };
}
