import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createReceiver } from "../receiver.ts";

const SECRET = "whsec_of-the-demo";

test("what is signed and yet no event is refused, and the receiver takes the next", async (t) => {
  const receiver = createReceiver(() => SECRET);
  t.after(() => receiver.close().closeAllConnections());
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const post = async (body: string) => {
    const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
    return (await fetch(url, { method: "POST", headers: { "x-service-signature": signature }, body })).status;
  };
  for (const body of ["", "{", "null"]) assert.equal(await post(body), 400, body);
  assert.equal(await post(JSON.stringify({ type: "todo.created", occurredAt: "today", data: {} })), 204);
  assert.match(await (await fetch(url)).text(), /todo\.created/);
});
