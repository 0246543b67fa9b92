import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { decodeReply, RECORD, u16 } from "../src/ddns/dns-message.ts";
import { nameOctets } from "../src/ddns/domain-name.ts";
import { createNameUpdates } from "../src/ddns/name-updates.ts";
import { createUpdateExchange, type DnsServer } from "../src/ddns/update-exchange.ts";

const KEY = { name: "k", algorithm: "hmac-sha256", secret: new Uint8Array(32).fill(1) } as const;
const UPDATE = { zone: "a.example", prerequisites: [], changes: [] };
const MAC = 32;
const [NOTAUTH, BADTIME] = [9, 18];
const REPLY_TO_UPDATE = 0x8000 | (5 << 11);

/** A server that sends these datagrams to each question. */
async function serverThat(t: TestContext, answers: (asked: Buffer) => Buffer[]): Promise<DnsServer> {
  const socket = createSocket("udp4");
  t.after(() => socket.close());
  socket.on("message", (asked, from) => {
    for (const answer of answers(asked)) socket.send(answer, from.port, from.address);
  });
  const port = await freePort();
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return { host: "127.0.0.1", port, key: KEY };
}

function unsigned(asked: Buffer, rcode = 0): Buffer {
  const header = Buffer.alloc(12);
  asked.copy(header, 0, 0, 2);
  header.writeUInt16BE(REPLY_TO_UPDATE | rcode, 2);
  return header;
}

/** With a TSIG record of these data. */
function withTsig(message: Buffer, data: Buffer): Buffer {
  const counted = Buffer.from(message);
  counted.writeUInt16BE(1, 10);
  const record = [nameOctets(KEY.name), u16(RECORD.tsig), u16(255), Buffer.alloc(4), u16(data.length), data];
  return Buffer.concat([counted, ...record]);
}

/** As who has the key answers, at this time in seconds; with the server's clock where it does not accept the asker's. */
function signed(asked: Buffer, seconds = Math.floor(Date.now() / 1000), badTime?: Buffer): Buffer {
  const message = unsigned(asked, badTime ? NOTAUTH : 0);
  const [error, other] = badTime ? [BADTIME, badTime] : [0, Buffer.alloc(0)];
  const mac = asked.subarray(asked.length - 6 - MAC, asked.length - 6);
  const time = Buffer.alloc(6);
  time.writeUIntBE(seconds, 0, 6);
  const head = [nameOctets(KEY.algorithm), time, u16(300)];
  const said = [u16(error), u16(other.length), other];
  const variables = [nameOctets(KEY.name), Buffer.from([0, 255, 0, 0, 0, 0]), ...head, ...said];
  const hmac = createHmac("sha256", KEY.secret);
  for (const part of [u16(MAC), mac, message, ...variables]) hmac.update(part);
  const tail = [u16(MAC), hmac.digest(), asked.subarray(0, 2), ...said];
  return withTsig(message, Buffer.concat([...head, ...tail]));
}

/** As a server answers that does not accept the signature: it cannot sign. */
function signatureError(asked: Buffer, error: number): Buffer {
  const head = [nameOctets(KEY.algorithm), Buffer.alloc(6), u16(300), u16(0)];
  return withTsig(unsigned(asked, 9), Buffer.concat([...head, asked.subarray(0, 2), u16(error), u16(0)]));
}

const exchange = () => createUpdateExchange({ now: () => Date.now(), waitMs: 400, tries: 2 });
const NOERROR = { kind: "answered", rcode: "NOERROR" };

test("RFC 8945 section 5.3: what is not signed is passed over, and the signed answer after it is taken", async (t) => {
  const server = await serverThat(t, (asked) => [unsigned(asked, 5), signed(asked)]);
  assert.deepEqual(await exchange().send(server, UPDATE), NOERROR);
});

test("a signature that is cut short anywhere is passed over like any other forgery", async (t) => {
  const whole = 13 + 6 + 2 + 2 + MAC + 6;
  for (let length = 0; length < whole; length += 3) {
    const server = await serverThat(t, (asked) => [
      withTsig(unsigned(asked), signed(asked).subarray(-whole).subarray(0, length)),
      signed(asked),
    ]);
    assert.deepEqual(await exchange().send(server, UPDATE), NOERROR, `${length} octets`);
  }
});

test("RFC 8945 section 5.2.3: an answer that was signed at another time is passed over", async (t) => {
  const old = await serverThat(t, (asked) => [signed(asked, 1)]);
  assert.deepEqual(await exchange().send(old, UPDATE), { kind: "untrusted", error: "outdated" });
  const [late, early] = [-290, 290].map((by) => Math.floor(Date.now() / 1000) + by);
  for (const at of [late, early]) {
    const near = await serverThat(t, (asked) => [signed(asked, at)]);
    assert.deepEqual(await exchange().send(near, UPDATE), NOERROR);
  }
});

test("a server whose clock differs takes all that was asked at once, not the first alone", async (t) => {
  const ahead = Math.floor(Date.now() / 1000) + 3600;
  const clock = Buffer.alloc(6);
  clock.writeUIntBE(ahead, 0, 6);
  // What stands behind the time: fudge, length and octets of the MAC, id, error, length of nothing.
  const timeOf = (asked: Buffer) => asked.readUIntBE(asked.length - (6 + MAC + 4 + 6), 6);
  const isNear = (asked: Buffer) => Math.abs(timeOf(asked) - ahead) <= 300;
  const server = await serverThat(t, (asked) => [
    isNear(asked) ? signed(asked, ahead) : signed(asked, timeOf(asked), clock),
  ]);
  const { send } = exchange();
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(server, UPDATE)));
  assert.deepEqual(answers, [NOERROR, NOERROR, NOERROR, NOERROR]);
});

test("a server to which there is no way is silent", async () => {
  // Link-local without its interface, and broadcast without leave: both fail when they are connected to.
  for (const host of ["fe80::1", "255.255.255.255"]) {
    const server = { host, port: 53, key: KEY };
    assert.deepEqual(await exchange().send(server, UPDATE), { kind: "silent" }, host);
  }
});

/** An answer to a question, with so many PTR records; or cut. */
function pointers(asked: Buffer, count: number | "cut"): Buffer {
  const header = Buffer.alloc(12);
  asked.copy(header, 0, 0, 2);
  header.writeUInt16BE(count === "cut" ? 0x8200 : 0x8000, 2);
  if (count === "cut") return header;
  header.writeUInt16BE(count, 6);
  const data = nameOctets("anna.office.example");
  const record = [Buffer.from([0]), u16(RECORD.ptr), u16(1), Buffer.alloc(4), u16(data.length), data];
  return Buffer.concat([header, ...Array.from({ length: count }, () => record).flat()]);
}
const countOf = (answer: Awaited<ReturnType<ReturnType<typeof exchange>["query"]>>) =>
  answer.kind === "answered" ? answer.records?.length : answer.kind;

test("a question that gets lost is asked again", async (t) => {
  let lost = 0;
  const server = await serverThat(t, (asked) => (lost++ === 0 ? [] : [pointers(asked, 1)]));
  assert.equal(countOf(await exchange().query({ ...server, key: undefined }, "x", RECORD.ptr)), 1);
});

test("RFC 7766 section 5: what does not fit into a datagram is asked for over TCP", async (t) => {
  const server = { ...(await serverThat(t, (asked) => [pointers(asked, "cut")])), key: undefined };
  const ask = async () => countOf(await exchange().query(server, "x", RECORD.ptr));
  assert.equal(await ask(), undefined, "nobody is there");
  let answer: "whole" | "half" | "nothing" = "whole";
  const listener = createServer((socket) => {
    socket.once("data", (asked) => {
      const reply = pointers(asked.subarray(2), 100);
      const octets = Buffer.concat([u16(reply.length), reply]);
      if (answer === "nothing") return;
      socket.write(octets.subarray(0, 1));
      setImmediate(() =>
        answer === "half" ? socket.end(octets.subarray(1, 900)) : socket.write(octets.subarray(1)),
      );
    });
  });
  t.after(() => listener.close());
  listener.listen(server.port, "127.0.0.1");
  await once(listener, "listening");
  assert.equal(await ask(), 100);
  for (answer of ["half", "nothing"] as const) assert.equal(await ask(), undefined, answer);
});

test("where nobody who has the key answers, the name is tried again; where the key is not accepted, it is not", async (t) => {
  const { addForward } = createNameUpdates(exchange());
  const outcomeOf = async (answers: (asked: Buffer) => Buffer[]) => {
    const server = await serverThat(t, answers);
    const owned = { name: "x.a.example", dhcid: Uint8Array.of(1) };
    const outcome = await addForward([{ name: "a.example", server }], owned, Uint8Array.of(10, 0, 0, 1), 300);
    return [outcome.kind, "error" in outcome && outcome.error];
  };
  const [SERVFAIL, REFUSED] = [2, 5];
  const isUnsigned = ["later", "the server's answer is unsigned"];
  assert.deepEqual(await outcomeOf((asked) => [unsigned(asked)]), isUnsigned);
  assert.deepEqual(await outcomeOf((asked) => [unsigned(asked, SERVFAIL)]), isUnsigned);
  assert.deepEqual(await outcomeOf((asked) => [unsigned(asked, REFUSED)]), isUnsigned);
  assert.deepEqual(await outcomeOf((asked) => [signatureError(asked, 16)]), ["parked", "BADSIG"]);
  assert.deepEqual(await outcomeOf((asked) => [signatureError(asked, 17)]), ["parked", "BADKEY"]);
  assert.deepEqual(await outcomeOf((asked) => [signatureError(asked, 0)]), [
    "later",
    "the server's answer is forged",
  ]);
});

test("a name in an answer may go on before it; one that leads in a circle, or out of the message, is no answer", () => {
  const ptrWith = (data: Buffer) => {
    const header = Buffer.alloc(12);
    header.writeUInt16BE(0x8000, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(1, 6);
    const question = Buffer.concat([nameOctets("office.example"), u16(RECORD.ptr), u16(1)]);
    const record = [u16(0xc00c), u16(RECORD.ptr), u16(1), Buffer.alloc(4), u16(data.length), data];
    return Buffer.concat([header, question, ...record]);
  };
  const at = ptrWith(Buffer.alloc(0)).length;
  const named = Buffer.concat([Buffer.from("\x04Anna"), u16(0xc00c)]);
  assert.deepEqual(decodeReply(ptrWith(named), 0, "query")?.answers, [
    { type: RECORD.ptr, data: "anna.office.example" },
  ]);
  const itself = Buffer.concat([Buffer.from("\x01a"), u16(0xc000 | at)]);
  const label = (length: number) => Buffer.concat([Buffer.from([length]), Buffer.alloc(length, 97)]);
  const long = Buffer.concat([...Array.from({ length: 4 }, () => label(63)), u16(0)]);
  const whole = Buffer.concat([...Array.from({ length: 3 }, () => label(63)), label(61), Buffer.from([0])]);
  assert.equal(decodeReply(ptrWith(whole), 0, "query")?.answers.length, 1, "as long as a name may be");
  const tooLong = [long, Buffer.concat([label(64), Buffer.from([0])])];
  for (const wrong of [u16(0xc000 | at), itself, u16(0xffff), Buffer.from("\x3fcut"), ...tooLong])
    assert.equal(decodeReply(ptrWith(wrong), 0, "query"), undefined);
});

test("a name of many pointers is no answer, nor is an answer to another question", () => {
  /** The data of the first record are a chain of pointers, each to the one before; the second is a PTR to its end. */
  const answerOf = (pointers: number) => {
    const header = Buffer.alloc(12);
    header.writeUInt16BE(7, 0);
    header.writeUInt16BE(0x8000, 2);
    header.writeUInt16BE(2, 6);
    const record = (type: number, data: Buffer) =>
      Buffer.concat([Buffer.from([0]), u16(type), u16(1), Buffer.alloc(4), u16(data.length), data]);
    const first = header.length + record(RECORD.a, Buffer.alloc(0)).length;
    const chain = Array.from({ length: pointers - 1 }, (_, n) => u16(0xc000 | (first + 2 * n)));
    const data = Buffer.concat([Buffer.alloc(2), ...chain]);
    return Buffer.concat([
      header,
      record(RECORD.a, data),
      record(RECORD.ptr, u16(0xc000 | (first + data.length - 2))),
    ]);
  };
  assert.equal(decodeReply(answerOf(16), 7, "query")?.answers.length, 2);
  assert.equal(decodeReply(answerOf(17), 7, "query"), undefined);
  assert.equal(decodeReply(answerOf(1), 8, "query"), undefined);
});
