import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalEvent } from "../src/domain/journal.ts";
import { openEventFeed } from "../src/protocol/event-feed.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const statusOf = (seq: number) =>
  ({ seq, event: "printer.status", printer: "dock", status: { state: "ready" } }) as unknown as JournalEvent;

/** A page that hears of a printer, and a registry that cannot always be read. */
async function feed() {
  const disk = { isAway: false };
  const events: JournalEvent[] = [];
  const told: number[] = [];
  const logged: string[] = [];
  let listener: (event: JournalEvent) => void = () => {};
  const bridge = {
    journal: {
      lastSeq: 0,
      firstSeq: 1,
      eventsSince: (seq: number) => {
        if (disk.isAway) throw new Error("disk I/O error");
        return events.filter((event) => event.seq > seq);
      },
      listen: (listen: typeof listener) => {
        listener = listen;
        return () => {};
      },
    },
    access: {
      printersOf: () => {
        if (disk.isAway) throw new Error("disk I/O error");
        return [{ alias: "dock", printer: { id: "dock" } }];
      },
    },
    log: { error: (_about: object, what: string) => logged.push(what) },
  } as unknown as Parameters<typeof openEventFeed>[0];
  const wire = {
    send: (text: string) => void told.push(JSON.parse(text).seq),
    isFull: false,
    drained: async () => {},
  };
  const origin = { origin: "o" } as ReturnType<Parameters<typeof openEventFeed>[2]>;
  const opened = openEventFeed(bridge, wire, () => origin);
  opened.subscribe({ events: ["printer.status"] } as Parameters<typeof opened.subscribe>[0]);
  await turn();
  await turn();
  const happen = async (seq: number) => {
    events.push(statusOf(seq));
    listener(statusOf(seq));
    for (let n = 0; n < 5; n++) await turn();
  };
  return { disk, told, logged, happen, close: opened.close };
}

test("what could not be told, since the disk could not be read, is told before the next event", async (t) => {
  const { disk, told, logged, happen, close } = await feed();
  t.after(close);
  await happen(1);
  disk.isAway = true;
  await happen(2);
  await happen(3);
  assert.deepEqual(told, [1]);
  disk.isAway = false;
  await happen(4);
  assert.deepEqual(told, [1, 2, 3, 4]);
  assert.equal(logged.length, 1);
});

test("what could not be told is told a second later where nothing else happens", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { disk, told, happen, close } = await feed();
  t.after(close);
  disk.isAway = true;
  await happen(1);
  t.mock.timers.tick(1_000);
  for (let n = 0; n < 5; n++) await turn();
  disk.isAway = false;
  t.mock.timers.tick(1_000);
  for (let n = 0; n < 5; n++) await turn();
  assert.deepEqual(told, [1]);
});
