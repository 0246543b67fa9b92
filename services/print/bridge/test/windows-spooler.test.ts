import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import { BridgeError } from "../src/domain/errors.ts";
import type { JobOutcome, JobProgress } from "../src/domain/job-machine.ts";
import type { SpoolerJob } from "../src/domain/spooler.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createWindowsSpooler, type Winspool, WinspoolError } from "../src/transports/windows-spooler.ts";
import { jobStatuses } from "../src/transports/winspool.ts";

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

/** Stands in for winspool.drv. */
function scripted(script: readonly Look[], { breaksOff = false } = {}) {
  const submitted: Buffer[] = [];
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
    submit: async (printer, _title, pieces) => {
      opened(printer);
      if (breaksOff) throw new WinspoolError("WritePrinter", { isBrokenOff: true });
      submitted.push(Buffer.concat([...pieces]));
      return 6 + submitted.length;
    },
    jobs: async () => {
      const { jobs, before = [], after = [] } = now();
      const numbered = (first: number, bits: readonly (number | undefined)[]) =>
        bits.flatMap((status, n) => (status === undefined ? [] : [[first + n, status] as const]));
      return new Map([...numbered(1, before), ...numbered(7, jobs), ...numbered(90, after)]);
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

test("the numbers and states of jobs are read as Windows lays them out, with pointers of four and of eight bytes", () => {
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
      [...jobStatuses(infos, 2, pointer)],
      [
        [7, PRINTING],
        [9, PAPER_OUT],
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
