import assert from "node:assert/strict";
import { test } from "node:test";
import { createNoFeedbackBackend } from "../src/backends/no-feedback-backend.ts";
import type { JobDocument } from "../src/domain/backend.ts";

const document = (id: string): JobDocument => ({
  id,
  copies: 1,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
  labels: 1,
  data: Buffer.from(`^XA^FD${id}^FS^XZ`),
});

test("a job that was lost with its connection is not called done by the next one", async () => {
  const lines: Array<{ broken: boolean }> = [];
  const backend = createNoFeedbackBackend({
    connect: async () => {
      const line = {
        broken: false,
        write: async () => {},
        hasTakenAll: async () => true,
        progress: async () => "",
        end: async () => "closed" as const,
        destroy: () => {},
        onData: () => {},
        onEnd: () => {},
      };
      lines.push(line);
      return line;
    },
    wait: async (milliseconds, signal) => {
      if (milliseconds > 100) return;
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    },
    pollMs: 100,
  });
  await backend.prepare();
  const first = backend.send(document("one"), () => {});
  await first.taken;
  (lines[0] as { broken: boolean }).broken = true;
  await backend.prepare();
  const second = backend.send(document("two"), () => {});
  await second.taken;
  await backend.close();
  assert.deepEqual(
    (await Promise.all([first.outcome, second.outcome])).map(({ type }) => type),
    ["lost", "done"],
  );
});
