import { type Input, step } from "../../src/ha/core.ts";
import { type Core, type Durable, newDurable, type Settings, startCore } from "../../src/ha/core-state.ts";
import type { Hello, Message, SentRow } from "../../src/ha/messages.ts";
import type { Plan } from "../../src/ha/plan.ts";
import type { Outcome } from "../../src/ha/turn.ts";
import { STATE } from "../../src/leases/binding.ts";
import { MemoryLedger } from "./disk.ts";

export const NOW = 10_000;
export const SETTINGS: Settings = {
  node: "two",
  role: "secondary",
  mode: "hot-standby",
  identity: "client_id",
  lead: 1800,
  skew: 10,
  contactTimeout: 5,
  partnerDownAfter: 0,
  share: 0.5,
  servers: [],
};
const PLAN: Plan = { hash: "a", pools: [{ first: 1, last: 20 }], reserved: new Map() };
export const HELLO: Hello = {
  type: "hello",
  version: 1,
  node: "one",
  store: "first",
  peerStore: "second",
  role: "primary",
  mode: "hot-standby",
  identity: "client_id",
  epoch: 3,
  holder: "primary",
  agreed: 3,
  lastSeq: 0,
  appliedSeq: 0,
  ackedSeq: 0,
  restores: false,
  state: "interrupted",
  lead: 1800,
  skew: 10,
  plan: "a",
  clock: NOW,
  servers: [],
};
export const BEAT = {
  type: "beat",
  clock: NOW,
  echo: NOW,
  state: "resync",
  serving: true,
  drained: true,
  lastSeq: 0,
  plan: "a",
  prepared: true,
  since: NOW - 100,
  service: "",
  replay: 0,
} as const;

/** The core of the secondary of a pair, and what is done to it. */
export function secondary(durable: Partial<Durable> = {}, settings = SETTINGS, setBy = 0) {
  const kept: Durable = {
    ...newDurable("second", 1800),
    peerStore: "first",
    epoch: 3,
    agreed: 3,
    ...durable,
  };
  const ledger = new MemoryLedger(new Map());
  let core: Core = startCore(settings, kept, PLAN, NOW, setBy);
  let link = 0;
  let received = 0;
  const run = (input: Input): Outcome => {
    const pending = ledger.open();
    const outcome = step(core, pending, input);
    pending.apply();
    core = outcome.core;
    return outcome;
  };
  return {
    get core() {
      return core;
    },
    row: (address: number) => ledger.rows.get(address),
    run,
    /** A new connection. */
    connect: (now = NOW) => {
      received = 0;
      return run({ kind: "link", now, id: ++link, isUp: true });
    },
    hear: (message: Message, now = NOW) => run({ kind: "message", now, link, counter: received++, message }),
  };
}

export const sentRow = (change: Partial<SentRow>): SentRow => ({
  address: 1,
  client: "a",
  state: STATE.bound,
  server: "primary",
  end: NOW + 600,
  promise: NOW + 900,
  seq: 1,
  base: 0,
  details: new Uint8Array(0),
  ...change,
});
export const update = (row: SentRow) => ({ type: "update", rows: [row], given: [], upTo: row.seq }) as const;
