import assert from "node:assert/strict";
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { createNameLookup, type NameLookupParts } from "../src/delivery/name-lookup.ts";

const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const TYPE_A = 1;
const ANSWER = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 1]);

/** A name server: `good.…` is 192.0.2.1, of `silent.…` nothing is heard until it is told to fail, nothing else exists. */
async function nameServer(t: TestContext) {
  const socket = createSocket("udp4");
  t.after(() => socket.close());
  const held: Array<{ question: Buffer; from: RemoteInfo }> = [];
  const reply = (question: Buffer, from: RemoteInfo, code: number, answer?: Buffer) => {
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(answer ? 1 : 0, 6);
    head.fill(0, 8);
    const asked = question.subarray(12, question.indexOf(0, 12) + 5);
    socket.send(Buffer.concat([head, asked, answer ?? Buffer.alloc(0)]), from.port, from.address);
  };
  let isFailing = false;
  socket.on("message", (question, from) => {
    const end = question.indexOf(0, 12);
    const first = question.subarray(13, 13 + (question[12] ?? 0)).toString();
    const isForIpv4 = question.readUInt16BE(end + 1) === TYPE_A;
    if (first === "good") return reply(question, from, NO_ERROR, isForIpv4 ? ANSWER : undefined);
    if (first !== "silent") return reply(question, from, NO_SUCH_NAME);
    if (isFailing) return reply(question, from, SERVER_FAILURE);
    held.push({ question, from });
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    held,
    servers: [`127.0.0.1:${socket.address().port}`],
    fail: () => {
      isFailing = true;
      for (const { question, from } of held) reply(question, from, SERVER_FAILURE);
    },
  };
}

async function lookupUnderTest(t: TestContext, parts: NameLookupParts = {}) {
  const server = await nameServer(t);
  const hosts = join(temporaryHome(t), "hosts");
  writeFileSync(hosts, "127.0.0.1 localhost\n198.51.100.7\tWarehouse.example wh # the hall\n");
  const lookup = createNameLookup({ servers: server.servers, hosts, ...parts });
  return { ...server, lookup };
}

test("names whose name servers are silent hold up no other", async (t) => {
  const system = async () => assert.fail("the system was asked");
  const { lookup, held, fail } = await lookupUnderTest(t, { system });
  const silent = Array.from({ length: 8 }, (_, index) => lookup(`silent.example${index}`));
  const refused = Promise.all(silent.map((each) => assert.rejects(each, { code: "ESERVFAIL" })));
  await until("all of them are asked for", () => held.length >= 16);
  assert.deepEqual(await lookup("good.example"), [{ address: "192.0.2.1", family: 4 }]);
  fail();
  await refused;
});

test("the file of hosts comes first; the system is asked for names of one word, and for what name servers do not know", async (t) => {
  const asked: string[] = [];
  const system = async (name: string) => {
    asked.push(name);
    return [{ address: "198.51.100.9", family: 4 }];
  };
  const { lookup } = await lookupUnderTest(t, { system });
  assert.deepEqual(await lookup("warehouse.example"), [{ address: "198.51.100.7", family: 4 }]);
  assert.deepEqual(await lookup("wh"), [{ address: "198.51.100.7", family: 4 }]);
  assert.deepEqual(asked, []);
  await lookup("printer");
  await lookup("printer.local");
  assert.deepEqual(asked, ["printer", "printer.local"]);
});

test("the system is asked for one name at a time, and not for whoever has given up", async (t) => {
  let now = 0;
  let looks = 0;
  const first = Promise.withResolvers<never[]>();
  const asked: string[] = [];
  const system = (name: string) => {
    asked.push(name);
    return name === "one" ? first.promise : Promise.resolve([]);
  };
  const { lookup } = await lookupUnderTest(t, { system, now: () => [now, looks++][0] ?? 0 });
  const one = lookup("one");
  await until("the first is asked for", () => asked.length > 0);
  const before = looks;
  const two = lookup("two");
  await until("the second waits", () => looks > before);
  now = 11_000;
  const three = lookup("three");
  first.resolve([]);
  await one;
  await assert.rejects(two, /looking up two took too long/);
  await three;
  assert.deepEqual(asked, ["one", "three"]);
});
