import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import { BridgeError } from "../src/domain/errors.ts";
import type { JobOutcome, JobProgress } from "../src/domain/job-machine.ts";
import type { SpoolerJob } from "../src/domain/spooler.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createWindowsSpooler, type Winspool, WinspoolError } from "../src/transports/windows-spooler.ts";
import { readJobs } from "../src/transports/winspool.ts";

const PAPER_OUT = 0x40;
const PRINTING = 0x10;
const PAUSED = 0x1;
const DELETING = 0x4;
const PRINTED = 0x80;
const GONE = undefined;

/** What the queue says at each look of each job, in the order they were handed over; it stays at the last. */
type Look =
  | {
      readonly jobs: ReadonlyArray<number | undefined>;
      readonly printer?: number;
      /** Jobs of other programs that came before ours, and after them. */
      readonly before?: readonly number[];
      readonly after?: readonly number[];
    }
  | "refused";

/** The number of our first job. */
const OURS = 7;

/** Stands in for winspool.drv. */
function scripted(script: readonly Look[], { breaksOff = false } = {}) {
  const submitted: Buffer[] = [];
  const titles: string[] = [];
  const looks = [...script];
  const now = () => {
    const look = looks[0] ?? { jobs: [] };
    if (look === "refused") {
      looks.shift();
      throw new WinspoolError("EnumJobsW");
    }
    return look;
  };
  const opened = (printer: string) => {
    if (printer !== "Labels") throw new WinspoolError("OpenPrinterW");
  };
  const winspool: Winspool = {
    printerStatus: async (printer) => {
      opened(printer);
      const { printer: bits = 0 } = now();
      if (looks.length > 1) looks.shift();
      return bits;
    },
    submit: async (printer, title, pieces) => {
      opened(printer);
      if (breaksOff) throw new WinspoolError("WritePrinter", { isBrokenOff: true });
      submitted.push(Buffer.concat([...pieces]));
      titles.push(title);
      return OURS - 1 + submitted.length;
    },
    jobs: async () => {
      const { jobs, before = [], after = [] } = now();
      const numbered = (first: number, bits: readonly (number | undefined)[]) =>
        bits.flatMap((status, n) => {
          const title = first === OURS ? (titles[n] ?? "frontdesk job") : "another's";
          return status === undefined ? [] : [[first + n, { status, title }] as const];
        });
      return new Map([...numbered(1, before), ...numbered(OURS, jobs), ...numbered(90, after)]);
    },
  };
  const backendOf = (printer: string) =>
    createSpoolerBackend({
      spooler: createWindowsSpooler(printer, async () => winspool),
      monotonic: () => performance.now(),
      wait: systemWait,
      pollMs: 1,
      recoverMs: 60_000,
    });
  return { submitted, winspool, backendOf };
}

const one = (statuses: ReadonlyArray<number | undefined>): Look[] =>
  statuses.map((bits) => ({ jobs: [bits] }));

const QUEUE_PAUSED = 0x1;
const PAPER_OUT_OF_PRINTER = 0x10;
const STATES: Readonly<Record<JobOutcome["type"], string>> = {
  done: "Done",
  failed: "Failed",
  lost: "Unknown",
  "not-sent": "Queued",
  interrupted: "left",
};
const ENDED: Readonly<Record<string, string>> = { done: "Done", failed: "Failed", gone: "Unknown" };
const document = {
  id: "job",
  data: Buffer.from("^XA^XZ"),
  copies: 2,
  labels: 2,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
};

for (const [what, statuses, expected] of [
  ["is kept as printed", [PRINTING, PRINTED], "Done"],
  ["leaves the queue in good order", [0, PRINTING, GONE], "Done"],
  ["is gone before it was looked at", [GONE], "Done"],
  ["waits for paper and goes on", [PAPER_OUT, PRINTING, GONE], "Held Done"],
  ["waits, and is printed between two looks", [0, 0, GONE], "Done"],
  ["is deleted by somebody", [PRINTING, DELETING, GONE], "Failed"],
  ["disappears while there was no paper", [PAPER_OUT, GONE], "Held Unknown"],
] as const) {
  test(`scripted winspool: a job that ${what} is ${expected}`, async () => {
    const { submitted, backendOf } = scripted(one(statuses));
    const told: JobProgress[] = [];
    const { outcome } = backendOf("Labels").send(document, (progress) => told.push(progress));
    const state = STATES[(await outcome).type];
    const held = told.some((progress) => progress.type === "stopped" && progress.reasons[0] === "paper-out");
    assert.equal(held ? `Held ${state}` : state, expected);
    assert.equal(submitted.toString(), "^XA^XZ^XA^XZ");
  });
}

for (const [what, looks, expected] of [
  [
    "a job that disappears from a queue that is paused",
    [{ jobs: [0], printer: QUEUE_PAUSED }, { jobs: [GONE] }],
    ["Unknown"],
  ],
  [
    "a waiting job that disappears while the one before it is there",
    [{ jobs: [PRINTING, 0] }, { jobs: [PRINTING, GONE] }, { jobs: [GONE, GONE] }],
    ["Done", "Unknown"],
  ],
  [
    "a queue without paper that is emptied",
    [{ jobs: [PAPER_OUT, 0] }, { jobs: [GONE, GONE] }],
    ["Unknown", "Unknown"],
  ],
  [
    "two jobs that are printed between two looks",
    [{ jobs: [PRINTING, 0] }, { jobs: [GONE, GONE] }],
    ["Done", "Done"],
  ],
  [
    "a waiting job that disappears while that of another program before it is there",
    [
      { before: [PRINTING], jobs: [0] },
      { before: [PRINTING], jobs: [GONE] },
    ],
    ["Unknown"],
  ],
  [
    "a waiting job that is printed while one that somebody has paused stays before it",
    [
      { before: [PAUSED], jobs: [0] },
      { before: [PAUSED], jobs: [GONE] },
    ],
    ["Done"],
  ],
  [
    "a waiting job that is printed after that of another program, and before the next",
    [
      { before: [PRINTING], jobs: [0], after: [0] },
      { jobs: [GONE], after: [PRINTING] },
    ],
    ["Done"],
  ],
  [
    "a spooler that refuses to tell for a while",
    [{ jobs: [0] }, "refused", "refused", { jobs: [DELETING] }],
    ["Failed"],
  ],
] as const satisfies ReadonlyArray<[string, readonly Look[], readonly string[]]>) {
  test(`scripted winspool: ${what}: ${expected.join(", ")}`, async () => {
    const { winspool } = scripted(looks);
    const spooler = createWindowsSpooler("Labels", async () => winspool);
    const ended = new Map<string, string>();
    const names: string[] = [];
    for (const _job of expected) names.push(await spooler.submit("job", document.data, 1));
    for (const _look of looks) {
      const open = names.filter((name) => !ended.has(name));
      const told = await spooler.jobs(open).catch((error: unknown) => {
        assert.ok(error instanceof BridgeError);
        return new Map<string, SpoolerJob>();
      });
      for (const [name, { state }] of told) if (state in ENDED) ended.set(name, ENDED[state] as string);
    }
    assert.deepEqual(
      names.map((name) => ended.get(name)),
      expected,
    );
  });
}

test("scripted winspool: a job that Windows breaks off in the middle is unknown", async () => {
  const { backendOf } = scripted([], { breaksOff: true });
  const outcome = await backendOf("Labels").send(document, () => {}).outcome;
  assert.equal(outcome.type, "lost");
});

test("the numbers, states and titles of jobs are read as Windows lays them out, with pointers of four and of eight bytes", () => {
  for (const [pointer, size] of [
    [4, 64],
    [8, 96],
  ] as const) {
    const infos = Buffer.alloc(3 * size, 0xff);
    for (const [n, job, bits] of [
      [0, 7, PRINTING],
      [1, 9, PAPER_OUT],
    ] as const) {
      infos.writeUInt32LE(job, n * size);
      infos.writeUInt32LE(bits, n * size + 7 * pointer);
    }
    assert.deepEqual(
      [...readJobs(infos, 2, pointer, (at) => `text at ${at}`)],
      [
        [7, { status: PRINTING, title: `text at ${4 * pointer}` }],
        [9, { status: PAPER_OUT, title: `text at ${size + 4 * pointer}` }],
      ],
    );
  }
});

test("scripted winspool: after a restart a job that is no longer there is unknown, one that is there is followed", async () => {
  const later = { ...document, spoolerJob: "7" };
  const recovered = (statuses: Array<number | undefined>) =>
    scripted(one(statuses))
      .backendOf("Labels")
      .recover(later, () => {});
  assert.equal((await recovered([GONE]).outcome).type, "lost");
  const followed = recovered([PRINTING, GONE]);
  await followed.taken;
  assert.equal((await followed.outcome).type, "done");
});

test("scripted winspool: a queue that is not there is offline; one without paper is stopped", async () => {
  const { backendOf } = scripted([{ jobs: [], printer: PAPER_OUT_OF_PRINTER }]);
  await assert.rejects(backendOf("Nothing").status(), { code: "PRINTER_OFFLINE" });
  const refused = await backendOf("Nothing").send(document, () => {}).outcome;
  assert.ok(refused.type === "not-sent" && refused.error?.code === "PRINTER_OFFLINE", "it is sent later");
  const status = await backendOf("Labels").status();
  assert.deepEqual([status.online, status.state, status.reasons], [true, "stopped", ["paper-out"]]);
});

test("scripted winspool: the number of a job that was printed says nothing of a later job that has it", async () => {
  const { backendOf } = scripted(one([PRINTED, GONE]));
  const backend = backendOf("Labels");
  assert.equal((await backend.send(document, () => {}).outcome).type, "done");
  const later = { ...document, spoolerJob: "7" };
  assert.equal((await backend.recover(later, () => {}).outcome).type, "lost");
});

/** A queue with one job of another program, whose number may have been ours. */
function withOthers(number: number) {
  const queue = new Map([[number, { status: PRINTING, title: "another's" }]]);
  const winspool: Winspool = {
    printerStatus: async () => 0,
    jobs: async () => new Map(queue),
    submit: async () => number,
  };
  return { queue, spooler: createWindowsSpooler("Labels", async () => winspool) };
}

test("scripted winspool: a job of another program that has the number of ours is not ours", async () => {
  const { spooler } = withOthers(7);
  const wait = systemWait;
  const backend = createSpoolerBackend({ spooler, monotonic: () => 0, wait, pollMs: 1, recoverMs: 60_000 });
  const { outcome } = backend.recover({ ...document, spoolerJob: "7" }, () => {});
  assert.equal((await outcome).type, "lost", "Windows was started anew, and counts anew");
});

test("scripted winspool: a job that was seen printing is done when the next job gets its number", async () => {
  const { spooler, queue } = withOthers(7);
  const looked = Promise.withResolvers<void>();
  const backend = createSpoolerBackend({
    spooler,
    monotonic: () => 0,
    wait: (_ms, signal) => {
      looked.resolve();
      return new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));
    },
    pollMs: 1,
    recoverMs: 60_000,
  });
  queue.set(7, { status: PRINTING, title: `frontdesk ${document.id}` });
  const first = backend.send(document, () => {});
  await looked.promise;
  backend.send({ ...document, id: "next" }, () => {});
  assert.equal((await first.outcome).type, "done");
  await backend.close();
});

test("scripted winspool: a job whose number another has by now has left the queue as any other", async () => {
  const { spooler, queue } = withOthers(7);
  const theirs = queue.get(7) as { status: number; title: string };
  const name = await spooler.submit("ours", document.data, 1);
  queue.set(7, { status: PRINTING, title: "ours" });
  assert.equal((await spooler.jobs([name])).get(name)?.state, "waiting");
  queue.set(7, theirs);
  assert.equal((await spooler.jobs([name])).get(name)?.state, "done");
});

test("scripted winspool: a job that is given a number while the queue is looked at is known by it all the same", async () => {
  const looking = Promise.withResolvers<void>();
  const queue = new Map<number, { status: number; title: string }>();
  const spooler = createWindowsSpooler("Labels", async () => ({
    printerStatus: async () => {
      await looking.promise;
      return 0;
    },
    jobs: async () => new Map(queue),
    submit: async () => 7,
  }));
  const name = await spooler.submit("earlier", document.data, 1);
  const look = spooler.jobs([name]);
  await spooler.submit("ours", document.data, 1);
  looking.resolve();
  assert.equal((await look).get(name), undefined);
  assert.equal((await spooler.jobs([name])).get(name)?.state, "done", "it waited, and had its turn");
});
