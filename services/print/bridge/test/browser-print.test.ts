import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bridge, LABEL, ORIGIN, simulator, until } from "./support.ts";

async function desk(t: TestContext, rights = { raw: true, templates: true, rfid: true }) {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  return { ...sim, ...b, token: b.allow(ORIGIN, { rights }) };
}

test("questions in Browser Print's /write are told from data without trying many ways", async (t) => {
  const { http, token, printer } = await desk(t);
  const write = (data: string) =>
    fetch(`${http}/write`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
      body: JSON.stringify({ device: { uid: "dock" }, data }),
    });
  assert.equal((await write(`${"~HQES".repeat(40)}`)).status, 200);
  // With a pattern that backtracks this does not come back within anybody's patience.
  assert.equal((await write(`${"~HQES".repeat(200)}x${LABEL}`)).status, 400, "no question alone, and no job");
  assert.equal((await write(LABEL)).status, 200);
  await until("the label is out", () => printer.labels.length === 1);
});

test("an origin for templates only may not ask the printer in its own language", async (t) => {
  const { http, token } = await desk(t, { raw: false, templates: true, rfid: false });
  const response = await fetch(`${http}/write`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
    body: JSON.stringify({ device: { uid: "dock" }, data: '! U1 getvar "device.host_status"\r\n' }),
  });
  assert.equal(response.status, 403);
});

test("questions of pages open few connections to a printer at once", async (t) => {
  const { http, token, listener } = await desk(t);
  listener.faults.deaf = true;
  const before = listener.received.connections;
  const ask = async () =>
    (
      await fetch(`${http}/write`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
        body: JSON.stringify({ device: { uid: "dock" }, data: "~HS" }),
      })
    ).status;
  const statuses = await Promise.all(Array.from({ length: 20 }, ask));
  assert.ok(statuses.filter((status) => status === 200).length >= 4);
  assert.ok(statuses.includes(429));
  assert.ok(listener.received.connections - before < 15, `${listener.received.connections - before}`);
});

test("whoever may not print is refused before the body is read", async (t) => {
  const { http } = await desk(t);
  const body = "x".repeat(30 * 1024 * 1024);
  const response = await fetch(`${http}/write`, {
    method: "POST",
    headers: { origin: "https://evil.example", "content-type": "text/plain" },
    body,
  }).catch(() => ({ status: 403 }));
  assert.equal(response.status, 403);
});
