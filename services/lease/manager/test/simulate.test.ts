import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { simulate } from "../src/adapters/simulate.ts";

test("a simulated client sends a message again when its reply is lost, as devices do", async (t) => {
  const server = createSocket("udp4");
  t.after(() => server.close());
  const heard = new Set<number>();
  server.on("message", (bytes, { port, address }) => {
    const transaction = bytes.readUInt32BE(4);
    if (!heard.has(transaction)) return void heard.add(transaction);
    // The type is the first option.
    const type = bytes[242] === TYPE.discover ? TYPE.offer : TYPE.ack;
    const reply = Buffer.from([...bytes.subarray(0, 240), CODE.messageType, 1, type, 255]);
    reply[0] = 2;
    server.send(reply, port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  assert.deepEqual(await simulate(`127.0.0.1:${server.address().port}`, 3), {
    leases: 3,
    refused: 0,
    silent: 0,
  });
});
