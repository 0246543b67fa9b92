import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openApiCheck } from "./openapi-check.ts";
import { bridge } from "./support.ts";

type Json = Record<string, unknown>;

async function desk(t: TestContext) {
  const b = await bridge(t);
  const check = openApiCheck(await (await fetch(`${b.http}/openapi.json`)).json());
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${b.http}/api/v1/admin/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${b.adminToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    check(method, `/api/v1/admin/${path}`, response.status, response.headers.get("content-type") ?? "", text);
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Json };
  };
  return { ...b, call };
}

const PRINTER = {
  id: "dock",
  name: "Dock",
  transport: "tcp",
  address: "127.0.0.1:9100",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 100,
  heightMm: 50,
};
const TEMPLATE = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
const ORIGIN = { origin: "https://shop.example", issueToken: false };

for (const [what, method, path, list, body] of [
  ["printer", "PUT", "printers/dock", "printers", PRINTER],
  ["template", "PUT", "templates/badge", "templates", TEMPLATE],
  ["origin", "POST", "origins", "origins", ORIGIN],
] as const) {
  test(`a ${what} that somebody else has changed is not overwritten, and a name that is taken stays taken`, async (t) => {
    const { call } = await desk(t);
    const write = (headers: Record<string, string> = {}) => call(method, path, body, headers);
    const row = async () => ((await call("GET", list)).body[list] as Json[])[0] as Json;
    assert.ok((await write({ "if-none-match": "*" })).status < 300);
    assert.equal((await row()).version, 1);
    const taken = await write({ "if-none-match": "*" });
    assert.deepEqual([taken.status, taken.body.error], [412, "PRECONDITION_FAILED"]);
    assert.equal((taken.body.current as Json).version, 1);
    assert.ok((await write({ "if-match": '"1"' })).status < 300);
    assert.equal((await write({ "if-match": '"1"' })).status, 412);
    assert.equal((await row()).version, 2);
    assert.ok((await write()).status < 300, "without a condition the last one wins");
    assert.equal((await row()).version, 3);
  });
}

test("a field that is not right is named", async (t) => {
  const { call } = await desk(t);
  const wrong = async (change: object) => {
    const { status, body } = await call("PUT", "printers/dock", { ...PRINTER, ...change });
    return [status, ...((body.errors ?? []) as Array<{ pointer: string }>).map(({ pointer }) => pointer)];
  };
  assert.deepEqual(await wrong({ address: "10.0.0.300" }), [400, "/address"]);
  assert.deepEqual(await wrong({ address: "[::zz]:9100" }), [400, "/address"]);
  assert.deepEqual(await wrong({ widthMm: 0 }), [400, "/widthMm"]);
  assert.deepEqual(await wrong({ dpmm: 99, heightMm: 1 }), [400, "/dpmm", "/heightMm"]);
});
