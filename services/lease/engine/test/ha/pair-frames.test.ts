import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_BODY } from "../../src/ha/frame-splitter.ts";
import type { Message, SentRow } from "../../src/ha/messages.ts";
import { encodeFrame } from "../../src/ha/wire.ts";
import { STATE } from "../../src/leases/binding.ts";
import { framesOf } from "../../src/loop/pair-frames.ts";

const row = (seq: number): SentRow => ({
  address: seq,
  client: "00",
  state: STATE.bound,
  server: "primary",
  end: 1,
  promise: 1,
  seq,
  base: 0,
  details: new Uint8Array(0),
});
const rows = Array.from({ length: 512 }, (_, i) => row(i + 1));
const large = () => new Uint8Array(4000);

test("an update of large leases leaves in frames that the peer takes, each telling how far it goes", () => {
  const given = [{ first: 1, last: 2 }];
  const update: Message = { type: "update", rows, given, upTo: 600 };
  const frames = framesOf(update, large) as Array<Extract<Message, { type: "update" }>>;
  assert.ok(frames.length > 1);
  for (const message of frames) assert.ok(encodeFrame({ counter: 0, message }).length < MAX_BODY);
  assert.deepEqual(
    frames.flatMap((frame) => frame.rows.map(({ seq }) => seq)),
    rows.map(({ seq }) => seq),
  );
  assert.deepEqual(
    frames.map(({ upTo, rows: part }) => upTo === part.at(-1)?.seq),
    frames.map((_, i) => i < frames.length - 1),
  );
  assert.deepEqual([frames.at(-1)?.upTo, frames.at(-1)?.given, frames[0]?.given], [600, given, []]);
});

test("of pages that were split, only the first says that it is the first", () => {
  const frames = framesOf({ type: "page", rows, isFirst: true }, large);
  assert.deepEqual(
    frames.map((frame) => frame.type === "page" && frame.isFirst),
    frames.map((_, i) => i === 0),
  );
});
