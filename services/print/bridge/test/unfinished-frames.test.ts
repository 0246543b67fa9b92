import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { createFrameMeter } from "../src/http/frame-meter.ts";
import { admitted, bridge, type Speaker } from "./support.ts";

const MIB = 1024 * 1024;

/** A frame as a client writes it: masked, with a mask of zeros. */
function frame(payload: number, { opcode = 1, isFinal = true } = {}): Buffer {
  const length =
    payload < 126
      ? [0x80 | payload]
      : payload < 65_536
        ? [0xfe, payload >> 8, payload & 0xff]
        : [0xff, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (payload >>> shift) & 0xff)];
  const head = Buffer.from([(isFinal ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]);
  return Buffer.concat([head, Buffer.alloc(payload, 0x20)]);
}

test("what has come of a message without its end is counted, however it is cut into frames and pieces", () => {
  const ping = frame(20, { opcode: 9 });
  const emptyPong = frame(0, { opcode: 10 });
  const parts = [
    ping,
    frame(100),
    ping,
    frame(300, { isFinal: false }),
    ping,
    frame(70_000, { opcode: 0, isFinal: false }),
    ping,
    emptyPong,
  ];
  const open = 70_300 + 2 * ping.length + emptyPong.length;
  const stream = Buffer.concat(parts);
  for (const size of [1, 7, 64, 4_096, stream.length]) {
    const meter = createFrameMeter();
    let most = 0;
    for (let at = 0; at < stream.length; at += size)
      most = Math.max(most, meter.push(stream.subarray(at, at + size)));
    assert.deepEqual([meter.unfinished, most], [open, open], `in pieces of ${size}`);
    assert.equal(meter.frames, parts.length);
    assert.equal(meter.push(frame(0, { opcode: 0 })), open);
    assert.equal(meter.unfinished, 0);
    assert.equal(meter.push(frame(5_000)), 5_000, "also of one that came whole");
    assert.equal(meter.push(frame(0)), 0);
  }
});

const raw = (page: Speaker) => (page.socket as unknown as { _socket: Socket })._socket;
/** All of a frame but its last byte. */
const begin = (page: Speaker, size: number) => raw(page).write(frame(size).subarray(0, -1));

/** Sixteen of the largest frames of an origin have room, and no more. */
const narrow = {
  env: { PRINT_LIMIT_FRAME_BYTES: String(MIB) },
  connections: { unfinishedBytesPerOrigin: MIB },
};

test("frames that never end are bounded for an origin, and cost no other its connection", async (t) => {
  const b = await bridge(t, narrow);
  const token = b.allow();
  const other = await admitted(t, b.url, b.allow("https://other.example"), {
    origin: "https://other.example",
  });
  begin(other, MIB);
  const pages = await Promise.all(Array.from({ length: 17 }, () => admitted(t, b.url, token)));
  for (const page of pages) begin(page, MIB + 1);
  assert.equal(await Promise.race(pages.map((page) => page.closed())), 1013);
  raw(other).write(" ");
  assert.equal((await other.call("ping")).error, undefined);
  assert.equal(pages.filter(({ socket }) => socket.readyState === socket.OPEN).length, 16);
});

test("control frames between the parts of a message that does not end are bounded with it", {
  timeout: 60_000,
}, async (t) => {
  const b = await bridge(t, narrow);
  const page = await admitted(t, b.url, b.allow());
  const pong = frame(125, { opcode: 10 });
  const round = Buffer.concat([
    frame(1, { opcode: 0, isFinal: false }),
    ...Array.from({ length: 500 }, () => pong),
  ]);
  raw(page).write(frame(1, { isFinal: false }));
  for (let sent = 0; sent <= 16 * MIB; sent += round.length) raw(page).write(round);
  assert.equal(await page.closed(), 1013);
});

test("the largest frames of sixteen pages of an origin may arrive together", {
  timeout: 60_000,
}, async (t) => {
  const b = await bridge(t, narrow);
  const token = b.allow();
  const pages = await Promise.all(Array.from({ length: 16 }, () => admitted(t, b.url, token)));
  const begun = pages.map(
    (page) => new Promise((resolve) => raw(page).write(frame(MIB).subarray(0, -1), () => resolve(undefined))),
  );
  await Promise.all(begun);
  for (const page of pages) raw(page).write(" ");
  for (const page of pages) assert.equal((await page.call("ping")).error, undefined);
});

test("a frame whose rest does not come ends its connection; one that comes slowly does not", async (t) => {
  const b = await bridge(t, { connections: { unfinishedMs: 2_000 } });
  const token = b.allow();
  const [stuck, slow] = [await admitted(t, b.url, token), await admitted(t, b.url, token)];
  let isSlowOver = false;
  void slow.closing.then(() => {
    isSlowOver = true;
  });
  begin(stuck, 1_000);
  const bytes = frame(1_000);
  let at = 0;
  const dripping = setInterval(() => raw(slow).write(bytes.subarray(at, ++at)), 20);
  t.after(() => clearInterval(dripping));
  await stuck.closed();
  clearInterval(dripping);
  assert.equal(isSlowOver, false);
  raw(slow).write(bytes.subarray(at));
  assert.equal((await slow.call("ping")).error, undefined);
});

test("a frame that could never be taken ends its connection before it is read", async (t) => {
  const b = await bridge(t, { env: { PRINT_LIMIT_FRAME_BYTES: "100000" } });
  const page = await admitted(t, b.url, b.allow());
  raw(page).write(frame(190_000).subarray(0, 20));
  assert.equal(await page.closed(), 1009);
});
