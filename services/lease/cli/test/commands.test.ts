import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { CONTROL_HEADER } from "@frontdesk/lease-control-api/schemas";
import { commands } from "../src/commands.ts";
import { Client } from "../src/control-client.ts";

async function run(client: Client, name: string, flags: object = {}) {
  const command = commands.get(name);
  assert.ok(command);
  return command.run(client, [], { all: false, ...flags });
}

/** An engine that has so many events, newest first, and gives at most so many at once. */
function engineWith(events: number, page: number) {
  const asked: string[] = [];
  const call = async (_method: string, path: string) => {
    const query = new URL(path, "http://engine").searchParams;
    asked.push(String(query));
    const newest = Number(query.get("cursor") ?? events + 1) - 1;
    const size = Math.min(Number(query.get("limit") ?? 100), page, newest);
    const items = Array.from({ length: size }, (_, i) => ({ id: newest - i, at: "", type: "grant" }));
    return { items, next_cursor: size < newest ? newest - size + 1 : null, last: events };
  };
  return { client: { call } as unknown as Client, asked };
}
const idsOf = ({ value }: { value: unknown }) => (value as Array<{ id: number }>).map(({ id }) => id);

test("events: as many as were asked for, from as many pages as that takes", async () => {
  const { client, asked } = engineWith(5000, 1000);
  assert.equal(idsOf(await run(client, "events", { limit: "2500" })).at(-1), 2501);
  assert.deepEqual(asked, ["limit=1000", "limit=1000&cursor=4001", "limit=500&cursor=3001"]);
});

test("events: all of them, and only those, with --all", async () => {
  const { client } = engineWith(2300, 1000);
  const ids = idsOf(await run(client, "events", { all: true, ip: "10.0.0.1" }));
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [2300, 2300, 1]);
});

test("events: a page that the engine cut short is not the end", async () => {
  const { client } = engineWith(90, 40);
  assert.equal(idsOf(await run(client, "events")).length, 90);
});

test("events: who sees not all of them is told so", async () => {
  const more = await run(engineWith(500, 1000).client, "events");
  assert.match(more.text, /\nThere are older ones: --limit <number> or --all shows them\.$/);
  const all = await run(engineWith(100, 1000).client, "events");
  assert.doesNotMatch(all.text, /older/);
});

test("events: a limit that is no number is refused before the engine is asked", async () => {
  const { client, asked } = engineWith(5, 5);
  for (const limit of ["0", "-1", "many", "1.5"]) {
    await assert.rejects(run(client, "events", { limit }), /--limit must be a whole number/);
  }
  assert.deepEqual(asked, []);
});

test("explain: what was given is sent, also without the DUID that it goes with: the engine refuses it", async () => {
  const asked: unknown[] = [];
  const call = async (_method: string, _path: string, body: unknown) => {
    asked.push(body);
    return { outcome: "", steps: [], reply: null };
  };
  const client = { call } as unknown as Client;
  const explain = (flags: object) =>
    commands.get("explain")?.run(client, ["02:00:00:00:00:50"], flags as never);
  await explain({ link: "fd77::1", prefix: true, iaid: "7" });
  assert.deepEqual(asked, [{ mac: "02:00:00:00:00:50", link: "fd77::1", prefix: true, iaid: 7 }]);
  await assert.rejects(explain({ iaid: "seven" }) ?? assert.fail(), /--iaid must be a whole number/);
});

test("health: an engine that cannot do its job says why", async (t) => {
  const reason = "leases cannot be written to disk; the interface eth0\u001b[2J is gone";
  const server = createServer((_request, response) => {
    response.setHeader(CONTROL_HEADER.name, CONTROL_HEADER.version);
    response.writeHead(503, { "content-type": "application/json" });
    response.end(JSON.stringify({ status: "unavailable", reason }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  assert.deepEqual(await run(new Client(`http://127.0.0.1:${port}`, ""), "health"), {
    ok: false,
    value: { status: "unavailable", reason },
    text: "unavailable: leases cannot be written to disk; the interface eth0?[2J is gone",
  });
});
