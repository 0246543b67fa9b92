import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import { duplexPair } from "node:stream";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { RECORD } from "../../src/ha/link-memory.ts";
import { dialOptions, type NodeKey, tlsOptions } from "../../src/ha/link-sockets.ts";
import { Ring } from "../../src/ha/ring.ts";
import { encodeFrame } from "../../src/ha/wire.ts";
import { ack, addresses, credentials, LinkEnd, linkedPair, newKey } from "./link-desk.ts";
import { valve } from "./valve.ts";

/** The secondary by hand: a TLS connection from its address. */
async function dialled(t: TestContext, { at, key }: { at: HaNodes; key: NodeKey }): Promise<TLSSocket> {
  const socket = connect(dialOptions(key, at));
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

/** A primary, and the key of the secondary that it knows. */
async function alonePrimary(t: TestContext) {
  const at = await addresses();
  const [a, b] = [await newKey(), await newKey()];
  const primary = new LinkEnd("primary", credentials(a, b), at).start(t);
  await until("it listens", async () => {
    const probe = connectPlain({ ...at.primary, localAddress: "127.0.0.2" });
    const isThere = await once(probe, "connect").then(
      () => true,
      () => false,
    );
    probe.destroy();
    return isThere;
  });
  return { primary, at, key: b, own: a };
}

test("messages arrive in both directions, in order, with the counters that they left with", async (t) => {
  const { primary, secondary } = await linkedPair(t);
  const [up, upThere] = [await primary.until("up"), await secondary.until("up")];
  for (const [from, link, to] of [
    [primary, up, secondary],
    [secondary, upThere, primary],
  ] as const) {
    for (let n = 0; n < 2000; n += 2) from.port.send(link.id, [ack(n), ack(n + 1)]);
    for (let n = 0; n < 2000; n++) {
      const event = await to.next();
      assert.ok(event.kind === "message");
      assert.deepEqual([event.counter, event.message], [n, ack(n)]);
    }
  }
});

test("a connection that is given up sends what was sent before, and the secondary dials again", async (t) => {
  const { primary, secondary } = await linkedPair(t);
  const first = await primary.until("up");
  primary.port.send(first.id, [ack(1), { type: "bye" }]);
  primary.port.close(first.id);
  primary.port.send(first.id, [ack(2)]);
  await secondary.until("up");
  const events = [await secondary.next(), await secondary.next(), await secondary.next()];
  assert.deepEqual(
    events.map((event) => (event.kind === "message" ? event.message.type : event.kind)),
    ["ack", "bye", "down"],
  );
  const second = await primary.until("up");
  assert.ok(second.id > first.id);
  primary.port.send(second.id, [ack(3)]);
  const { counter, message } = await secondary.until("message");
  assert.deepEqual([counter, message], [0, ack(3)]);
});

test("also what a slow peer has not taken yet is sent before a connection that is given up ends", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const socket = await dialled(t, { at, key });
  const { id } = await primary.until("up");
  socket.pause();
  const given = Array.from({ length: 60_000 }, () => ({ first: 1, last: 2 }));
  const update = { type: "update", rows: [], given, upTo: 0 } as const;
  for (let n = 0; n < 24; n++) primary.port.send(id, [update]);
  const out = new Ring(primary.memory.out);
  assert.ok(out.used > 0, "more than the sockets between take");
  primary.port.close(id);
  let octets = 0;
  socket.on("data", (more: Buffer) => {
    octets += more.length;
  });
  socket.resume();
  await once(socket, "close");
  assert.equal(octets, 24 * encodeFrame({ counter: 0, message: update }).length);
});

test("what was meant for an earlier connection is not sent on a later one", async (t) => {
  const { primary, secondary } = await linkedPair(t);
  const first = await primary.until("up");
  secondary.port.close((await secondary.until("up")).id);
  assert.equal((await primary.until("down")).id, first.id);
  const second = await primary.until("up");
  primary.port.send(first.id, [ack(1)]);
  primary.port.close(first.id);
  primary.port.send(second.id, [ack(2)]);
  assert.deepEqual((await secondary.until("message")).message, ack(2));
});

test("a peer whose process dies is gone at once, and is found again", async (t) => {
  const { primary, secondary, at, keys } = await linkedPair(t);
  await secondary.until("up");
  await primary.stop();
  await secondary.until("down");
  new LinkEnd("primary", credentials(keys.a, keys.b), at).start(t);
  await secondary.until("up");
  assert.equal(secondary.problem, undefined);
});

test("a new connection replaces the old one, whose frames are no longer heard", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const old = await dialled(t, { at, key });
  const first = await primary.until("up");
  const fresh = await dialled(t, { at, key });
  assert.deepEqual(await primary.until("down"), { kind: "down", id: first.id });
  const second = await primary.until("up");
  old.write(encodeFrame({ counter: 0, message: ack(1) }));
  fresh.write(encodeFrame({ counter: 0, message: ack(2) }));
  const event = await primary.next();
  assert.ok(event.kind === "message");
  assert.deepEqual([event.link, event.message], [second.id, ack(2)]);
});

test("a connection that is cut at any octet gives the frames that were whole, and nothing of the rest", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const frames = [0, 1, 2].map((counter) => encodeFrame({ counter, message: ack(counter) }));
  const stream = Buffer.concat(frames);
  const size = frames[0]?.length as number;
  for (let cut = 0; cut <= stream.length; cut++) {
    const socket = await dialled(t, { at, key });
    await primary.until("up");
    socket.end(stream.subarray(0, cut));
    const heard: string[] = [];
    for (let event = await primary.next(); ; event = await primary.next()) {
      heard.push(event.kind);
      if (event.kind === "down") break;
    }
    assert.deepEqual(heard, [...Array(Math.floor(cut / size)).fill("message"), "down"], `cut at ${cut}`);
  }
});

for (const [name, octets] of [
  ["no frame", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["a frame of a type that is unknown", Uint8Array.of(0, 0, 0, 5, 0, 0, 0, 0, 99)],
] as const) {
  test(`a peer that sends ${name} loses the connection`, async (t) => {
    const { primary, at, key } = await alonePrimary(t);
    const socket = await dialled(t, { at, key });
    const { id } = await primary.until("up");
    socket.write(octets);
    assert.deepEqual(await primary.next(), { kind: "down", id });
    if (!socket.closed) await once(socket, "close");
  });
}

test("nobody but the peer is a connection: not another certificate, not another address, not plain text", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const stranger = await dialled(t, { at, key: await newKey() });
  if (!stranger.closed) await once(stranger, "close");
  await until("the certificate is refused", () => primary.hasTold(/certificate of the peer/));
  const elsewhere = connectPlain({ ...at.primary, localAddress: "127.0.0.3" });
  elsewhere.on("error", () => {});
  await once(elsewhere, "close");
  await until("the address is refused", () => primary.hasTold(/127\.0\.0\.3/));
  const plain = connectPlain({ ...at.primary, localAddress: "127.0.0.2" });
  plain.on("error", () => {});
  plain.write("hello\r\n\r\n");
  await once(plain, "close");
  await dialled(t, { at, key });
  assert.equal((await primary.next()).kind, "up", "the first thing that happened is the peer");
});

test("a secondary does not speak to a primary with another certificate", async (t) => {
  const at = await addresses();
  const [a, b, other] = [await newKey(), await newKey(), await newKey()];
  new LinkEnd("primary", credentials(other, b), at).start(t);
  const secondary = new LinkEnd("secondary", credentials(b, a), at).start(t);
  await until("the certificate is refused", () => secondary.hasTold(/certificate of the peer/));
  assert.equal(secondary.port.take(), undefined);
});

test("a peer that reads nothing costs a bounded memory, never a wait, and in the end the connection", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const socket = await dialled(t, { at, key });
  const { id } = await primary.until("up");
  socket.pause();
  const rows = Array.from({ length: 500 }, (_, i) => ({
    address: i,
    client: "02:00:00:00:00:01",
    state: 1 as never,
    server: "primary" as const,
    end: 1,
    promise: 2,
    seq: i,
    base: 0,
    details: new Uint8Array(100),
  }));
  const out = new Ring(primary.memory.out);
  let sent = 0;
  let lost = primary.port.take();
  for (; !lost; lost = primary.port.take()) {
    primary.port.send(id, [{ type: "update", rows, given: [], upTo: 500 }]);
    sent++;
    assert.ok(out.used <= out.capacity);
    if (sent % 20 === 0) await new Promise((resume) => setImmediate(resume));
    assert.ok(sent < 100_000, "it never ends");
  }
  assert.deepEqual(lost, { kind: "down", id });
  assert.ok(!primary.port.isCongested || out.used > 0);
  if (!socket.closed) {
    socket.resume();
    await once(socket, "close");
  }
});

test("a packet thread that takes nothing stops the peer's sending, and nothing is lost when it goes on", async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const socket = await dialled(t, { at, key });
  const { id } = await primary.until("up");
  const ring = new Ring(primary.memory.in);
  const given = Array.from({ length: 4000 }, () => ({ first: 1, last: 2 }));
  const frames = Array.from({ length: 800 }, (_, counter) =>
    encodeFrame({ counter, message: { type: "update", rows: [], given, upTo: 0 } }),
  );
  let written = 0;
  const sending = (async () => {
    for (const frame of frames) {
      await new Promise((taken) => socket.write(frame, taken));
      written++;
    }
  })();
  let before = -1;
  let looks = 0;
  await until("nothing moves", () => {
    looks = written === before ? looks + 1 : 0;
    before = written;
    return looks === 25;
  });
  assert.ok(written < frames.length, "the rest stays with the peer");
  assert.ok(ring.used > ring.capacity / 2);
  for (let n = 0; n < frames.length; n++) {
    const event = await primary.next();
    assert.ok(event.kind === "message" && event.counter === n && event.link === id);
  }
  await sending;
});

test("a connection that is cut between the two is made again", async (t) => {
  const at = await addresses();
  const [a, b] = [await newKey(), await newKey()];
  const between = await valve(t, { port: await freePort(), to: at.primary, from: at.secondary.host });
  const primary = new LinkEnd("primary", credentials(a, b), at).start(t);
  const through = { primary: { host: between.host, port: between.port }, secondary: at.secondary };
  const secondary = new LinkEnd("secondary", credentials(b, a), through).start(t);
  await primary.until("up");
  await secondary.until("up");
  between.cut();
  await primary.until("down");
  await secondary.until("down");
  await primary.until("up");
  const { id } = await secondary.until("up");
  secondary.port.send(id, [ack(7)]);
  assert.deepEqual((await primary.until("message")).message, ack(7));
});

test("a thread that is started anew goes on with the memory, and says that the connection before is gone", async (t) => {
  const { primary, secondary } = await linkedPair(t);
  const { id } = await primary.until("up");
  const upThere = await secondary.until("up");
  await primary.stop();
  primary.start(t);
  assert.deepEqual(await primary.until("down"), { kind: "down", id });
  assert.ok((await primary.until("up")).id > id);
  assert.ok((await secondary.until("up")).id > upThere.id);
});

test("a handshake that is not over when the link stops becomes no connection, and holds nothing up", {
  timeout: 30_000,
}, async (t) => {
  const { primary, at, key } = await alonePrimary(t);
  const raw = connectPlain({ ...at.primary, localAddress: "127.0.0.2" });
  t.after(() => raw.destroy());
  const [near, far] = duplexPair();
  far.pipe(raw);
  const socket = connect({ ...tlsOptions(key), socket: near });
  socket.on("error", () => {});
  const [answer] = await once(raw, "data");
  raw.pause();
  const stopped = primary.stop();
  await until("it listens no more", async () => {
    const probe = connectPlain({ ...at.primary, localAddress: "127.0.0.2" });
    const [error] = await Promise.race([once(probe, "error"), once(probe, "connect")]);
    probe.destroy();
    return error !== undefined;
  });
  const closed = once(raw, "close");
  raw.on("error", () => {});
  far.write(answer);
  raw.pipe(far);
  await closed;
  await stopped;
});

test("a record that is no frame of the newest connection is nothing", () => {
  const end = new LinkEnd("primary", {} as never, {} as never);
  const ring = new Ring(end.memory.in);
  ring.write(RECORD.frame, 1, encodeFrame({ counter: 0, message: ack(1) }));
  ring.write(RECORD.down, 0);
  assert.equal(end.port.take(), undefined);
});
