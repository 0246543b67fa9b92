import assert from "node:assert/strict";
import { test } from "node:test";
import { answerZebra } from "@frontdesk/print-simulator/zebra-answer";
import { decode, encode } from "dns-packet";
import fc from "fast-check";
import { createRecords } from "../src/adapters/dns-sd-records.ts";
import { describeLink, onEveryLink } from "../src/adapters/local-links.ts";
import { readZebraAnswer } from "../src/adapters/zebra-packet.ts";
import { readDeviceId } from "../src/domain/printer-clues.ts";

const ANSWER = answerZebra({
  model: "ZT411-203dpi",
  serial: "18J192000",
  firmware: "V92.21.39Z",
  name: "dock-printer",
  address: "10.0.0.20",
});

const TYPE = "_pdl-datastream._tcp.local";
const announcement = (instance: string, texts: string[] = [], address = "10.0.0.20") =>
  encode({
    type: "response",
    answers: [{ name: TYPE, type: "PTR", ttl: 120, data: `${instance}.${TYPE}` }],
    additionals: [
      { name: `${instance}.${TYPE}`, type: "SRV", ttl: 120, data: { target: "zt411.local", port: 9100 } },
      { name: `${instance}.${TYPE}`, type: "TXT", ttl: 120, data: texts },
      { name: "zt411.local", type: "A", ttl: 120, data: address },
    ],
  });
const isNear = (address: string) => address.startsWith("10.0.0.");

/** Bytes that are nearly right: some changed, some cut off, some added. */
const nearly = (good: Buffer) =>
  fc
    .record({
      changes: fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        maxLength: 12,
      }),
      length: fc.nat({ max: good.length }),
      tail: fc.uint8Array({ maxLength: 40 }),
    })
    .map(({ changes, length, tail }) => {
      const bytes = Buffer.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      return Buffer.concat([bytes.subarray(0, length), tail]);
    });
const anyBytes = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));

const isPlain = (text: string | null | undefined) =>
  !text || (text.length <= 120 && !/[\p{Cc}\p{Cf}]/u.test(text));

test("Zebra's answer is read field by field; one of an unknown version is only known to be one", () => {
  assert.deepEqual(readZebraAnswer(ANSWER), {
    version: 3,
    fields: {
      productNumber: "79071",
      productName: "ZT411-203dpi",
      firmware: "V92.21.39Z",
      hardwareAddress: "00074d000001",
      serial: "18J192000",
      address: "10.0.0.20",
      systemName: "dock-printer",
    },
  });
  const newer = Buffer.from(ANSWER);
  newer[3] = 4;
  assert.deepEqual(readZebraAnswer(newer), { version: 4 });
  assert.equal(readZebraAnswer(ANSWER.subarray(0, 60)), undefined);
  assert.equal(readZebraAnswer(Buffer.alloc(5_000, ANSWER)), undefined);
  assert.equal(readZebraAnswer(Buffer.from([0x2e, 0x2c, 0x3a, 1, 0, 0])), undefined);
});

test("whatever bytes come as Zebra's answer, they are read or ignored, and what is read is plain and short", () => {
  fc.assert(
    fc.property(fc.oneof(anyBytes, nearly(ANSWER)), (bytes) => {
      const answer = readZebraAnswer(bytes);
      for (const value of Object.values(answer?.fields ?? {}))
        assert.ok(isPlain(value), JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});

test("an announcement is put together from its records, however they are spread over packets", () => {
  const records = createRecords(isNear);
  const whole = decode(
    announcement("Dock. No. 1", ["ty=Zebra ZT411-300dpi", "PDL=application/vnd.zebra-zpl"]),
  );
  for (const record of [...(whole.answers ?? []), ...(whole.additionals ?? [])].reverse())
    records.take({ answers: [record] });
  const [seen, ...others] = records.sightings();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [seen?.name, seen?.transport, seen?.address, seen?.model, seen?.languages, seen?.dpmm],
    ["Dock. No. 1", "tcp", "10.0.0.20:9100", "Zebra ZT411-300dpi", ["zpl"], 12],
  );
  assert.deepEqual(records.missing(), []);
});

test("what is missing is asked for; a printer whose address is not on this link is none", () => {
  const records = createRecords(isNear);
  records.take({ answers: [{ name: TYPE, type: "PTR", ttl: 120, data: `Dock.${TYPE}` }] });
  assert.deepEqual(records.missing(), [
    { name: `dock.${TYPE}`, type: "SRV" },
    { name: `dock.${TYPE}`, type: "TXT" },
  ]);
  const far = createRecords(isNear);
  far.take(decode(announcement("Far away", [], "192.0.2.1")));
  assert.deepEqual(far.sightings(), []);
  const gone = createRecords(isNear);
  gone.take({ answers: [{ name: TYPE, type: "PTR", ttl: 0, data: `Dock.${TYPE}` }] });
  assert.deepEqual(gone.missing(), []);
});

test("whatever packets come, they are read or refused, and what is read is plain and bounded", () => {
  const good = announcement("Dock", ["ty=Zebra ZT411", "usb_CMD=ZPL", "rp=ipp/print"]);
  fc.assert(
    fc.property(fc.array(fc.oneof(anyBytes, nearly(good)), { maxLength: 5 }), (packets) => {
      const records = createRecords(isNear);
      for (const bytes of packets) {
        try {
          records.take(decode(bytes));
        } catch {
          // The library refuses it: that is counted, and the next one is read.
        }
      }
      for (const { name, model, serial } of records.sightings())
        for (const value of [name, model, serial]) assert.ok(isPlain(value), JSON.stringify(value));
      assert.ok(records.missing().length <= 3_000);
    }),
    { numRuns: 1_000 },
  );
});

test("however many names are announced, only so many are remembered", () => {
  const records = createRecords(isNear);
  for (let at = 0; at < 3_000; at++) records.take(decode(announcement(`Printer ${at}`)));
  assert.equal(records.sightings().length, 500);
  assert.deepEqual(records.sightings(), [], "what was looked at is looked at again when something comes in");
  records.take(decode(announcement("Printer 7")));
  assert.deepEqual(
    records.sightings().map(({ name }) => name),
    ["Printer 7"],
  );
});

test("whatever a USB device calls itself, it is read", () => {
  const parts = fc.array(fc.constantFrom("MFG", "MDL", "SN", "CMD", ";", ":", " ", "a", "\0", "\u202e"), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      fc.oneof(
        anyBytes.map((bytes) => bytes.toString("latin1")),
        parts.map((words) => words.join("")),
      ),
      (text) => {
        for (const value of Object.values(readDeviceId(text))) assert.ok(isPlain(value));
      },
    ),
  );
});

test("a link knows which addresses are its own, and where everybody on it listens", () => {
  const office = describeLink("eth0", "10.1.2.3", "255.255.252.0");
  assert.equal(office.broadcast, "10.1.3.255");
  assert.deepEqual(["10.1.0.1", "10.1.3.254", "10.1.4.1", "8.8.8.8", "not an address", ""].map(office.has), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(describeLink("lo", "127.0.0.1", "255.0.0.0").broadcast, "127.255.255.255");
  assert.equal(describeLink("tun0", "10.9.0.1", "255.255.255.255").broadcast, "10.9.0.1");
});

test("a link that does not work is no reason to give up the others; when none does, that is told", async () => {
  const links = [
    describeLink("eth0", "10.0.0.1", "255.0.0.0"),
    describeLink("tun0", "10.9.0.1", "255.255.255.255"),
  ];
  const tried: string[] = [];
  await onEveryLink(links, async ({ name }) => {
    tried.push(name);
    if (name === "tun0") throw new Error("no broadcast");
  });
  assert.deepEqual(tried, ["eth0", "tun0"]);
  await assert.rejects(
    onEveryLink(links, () => Promise.reject(new Error("no sockets left"))),
    /no sockets left/,
  );
  await onEveryLink([], () => Promise.reject(new Error("never asked")));
});
