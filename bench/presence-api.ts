import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import { systemClock } from "@frontdesk/kit/clock";
import { openStore } from "@frontdesk/store/open-store";
import type { Batch } from "@frontdesk/store/store";
import Fastify from "fastify";
import type { Compilable } from "kysely";
import { migrations } from "../services/presence/src/adapters/migrations.ts";
import type { Tables } from "../services/presence/src/adapters/tables.ts";
import { ulids } from "../services/presence/src/domain/ulid.ts";
import { StatusBody, TodoBody } from "../services/presence/src/http/requests.ts";
import { MEMBERS, memberEmail, ORG, openBenchPresence, prepareDesk } from "./presence/desk.ts";
import { type Figure, median, table } from "./presence/figures.ts";
import { httpRequest, load } from "./presence/http-load.ts";
import { hotQuery, slot } from "./presence/positional-query.ts";
import { ALL_KINDS, wrkScript } from "./presence/wrk-script.ts";
import { installWrk, wrk } from "./tools/wrk.ts";

/**
 * Status sets and TODO creations per second, durable, at 64 connections, beside the limit: a bare
 * route that validates the same body and commits the same rows by the same group commit. Then the
 * cost of a request in a database of 1,000,000 TODOs and 10,000,000 events beside one of 1,000.
 */
const CONNECTIONS = 64;
/** Long enough that the engine has compiled what runs often, on either side. */
const WARM_UP_SECONDS = 15;
const RUN_SECONDS = 4;
const RUN_MS = 4_000;
const ROUNDS = 3;
const TOKENS = 400;
const BASE = "/api/v1/external/orgs/bench";
const [role, databaseUrl = ""] = process.argv.slice(2);

if (role === "ours") await serveOurs(new URL(databaseUrl));
else if (role === "bare") await serveBare(new URL(databaseUrl));
else if (role === "scale") console.log(table("presence-api", await atScale()));
else console.log(table("presence-api", [...(await speeds()), ...(role === "speed" ? [] : await atScale())]));

async function serveOurs(url: URL): Promise<void> {
  const presence = await openBenchPresence(url);
  await presence.app.listen({ host: "127.0.0.1", port: 0 });
  await presence.start();
  tell((presence.app.server.address() as { port: number }).port, () => presence.close());
}

/** The same rows by the same store and the same prepared statements, and nothing else. */
async function serveBare(url: URL): Promise<void> {
  const store = await openStore<Tables>({ url, migrations, clock: systemClock });
  const ids = ulids(systemClock);
  const members = await store.read.selectFrom("members").select(["id", "email"]).execute();
  const idOf = new Map(members.map(({ id, email }) => [email, id]));
  let { sequence } = await store.read.selectFrom("orgs").select("sequence").executeTakeFirstOrThrow();
  const statusData = "x".repeat(380);
  const todoData = "x".repeat(425);

  const run = (query: Compilable<unknown>) => hotQuery(store, query);
  const setStatus = run(
    store.read
      .updateTable("members")
      .set({ status_key: slot(0), status_expires_at: null, status_set_at: slot(1), status_source: "bench" })
      .where("id", "=", slot(2)),
  );
  const insertTodo = run(
    store.read.insertInto("todos").values({
      id: slot(0),
      org_id: ORG,
      member_id: slot(1),
      project_id: null,
      text: slot(2),
      done_at: null,
      archived: 0,
      position: slot(3),
      integration_id: "bench",
      external_system: slot(4),
      external_ref: slot(5),
      external_url: slot(6),
      source: "bench",
      version: 1,
      created_at: slot(3),
      updated_at: slot(3),
    }),
  );
  const insertEvent = run(
    store.read.insertInto("events").values({
      org_id: ORG,
      sequence: slot(0),
      id: slot(1),
      type: slot(2),
      occurred_at: slot(3),
      data: slot(4),
      source: "integration:i0",
      actor: "integration:i0 token:01JGFJJZ000000000000000000",
    }),
  );
  const saveSequence = run(
    store.read
      .updateTable("orgs")
      .set({ sequence: slot(0) })
      .where("id", "=", ORG),
  );
  let last: Batch | undefined;
  async function event(
    tx: typeof store.read,
    batch: Batch,
    type: string,
    now: number,
    data: string,
  ): Promise<void> {
    if (batch !== last) batch.beforeCommit(() => saveSequence(tx, sequence));
    last = batch;
    await insertEvent(tx, ++sequence, ids.next(), type, now, data);
  }

  const app = Fastify();
  app.setValidatorCompiler(TypeBoxValidatorCompiler as never);
  app.post<{ Params: { email: string }; Body: StatusBody }>(
    "/members/:email/status",
    { schema: { body: StatusBody } },
    async (request) => {
      const now = Date.now();
      await store.write(async (tx, batch) => {
        await setStatus(tx, request.body.status, now, idOf.get(request.params.email));
        await event(tx, batch, "member.status.changed", now, statusData);
      });
      return { ok: true };
    },
  );
  app.post<{ Params: { email: string }; Body: TodoBody }>(
    "/members/:email/todos",
    { schema: { body: TodoBody } },
    async (request) => {
      const now = Date.now();
      const { text, externalSystem, externalRef, externalUrl } = request.body;
      await store.write(async (tx, batch) => {
        const member = idOf.get(request.params.email);
        await insertTodo(tx, ids.next(), member, text, now, externalSystem, externalRef, externalUrl);
        await event(tx, batch, "todo.created", now, todoData);
      });
      return { ok: true };
    },
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  tell((app.server.address() as { port: number }).port, async () => {
    await app.close();
    await store.close();
  });
}

function tell(port: number, close: () => Promise<void>): void {
  process.send?.({ port });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
  process.on("disconnect", () => void close().then(() => process.exit(0)));
}

type Role = "ours" | "bare";

async function start(which: Role, url: URL): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(import.meta.url), [which, url.href], { stdio: "inherit" });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function stop({ child }: { child: ChildProcess }): Promise<void> {
  child.disconnect();
  await once(child, "exit");
}

async function speeds(): Promise<Figure[]> {
  installWrk();
  const figures: Figure[] = [];
  const speed: Record<string, Record<Role, number[]>> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const which of ["ours", "bare"] as const) {
      const desk = await prepareDesk(TOKENS);
      try {
        const server = await start(which, desk.databaseUrl);
        for (const what of ALL_KINDS) {
          const base = which === "ours" ? BASE : "";
          const tokens = which === "ours" ? desk.tokens : [];
          const run = async (name: string, seconds: number) => {
            const script = wrkScript(desk.folder, what, { base, tokens, run: name });
            const { perSecond, failures } = await wrk(
              `http://127.0.0.1:${server.port}`,
              script,
              seconds,
              CONNECTIONS,
            );
            if (failures > 0) throw new Error(`${which} ${what}: ${failures} refused`);
            return perSecond;
          };
          await run("warm-up", WARM_UP_SECONDS);
          speed[what] ??= { ours: [], bare: [] };
          speed[what][which].push(await run("run", RUN_SECONDS));
        }
        await stop(server);
      } finally {
        desk.remove();
      }
    }
  }
  for (const [what, { ours, bare }] of Object.entries(speed)) {
    figures.push({
      name: `${what} per second, ${CONNECTIONS} connections, durable; beside a bare route`,
      ours: median(ours).toFixed(0),
      beside: median(bare).toFixed(0),
      ratio: median(ours) / median(bare),
      wanted: "≥ 0.60",
    });
  }
  return figures;
}

async function cpuMicroseconds(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [{ cpu }] = (await once(child, "message")) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

/** The same mix of requests on a small and on a large database, by what each costs the processor. */
async function atScale(): Promise<Figure[]> {
  const sizes = [
    { todos: 1_000, events: 1_000 },
    { todos: 1_000_000, events: 10_000_000 },
  ];
  const costs: number[] = [];
  for (const { todos, events } of sizes) {
    const desk = await prepareDesk(TOKENS);
    try {
      fill(desk.databaseUrl, todos, events);
      const server = await start("ours", desk.databaseUrl);
      const mix = mixed(desk.tokens, events);
      await load({ port: server.port, connections: CONNECTIONS, ms: 2_000, request: (i) => mix(i + 1e7) });
      const runs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const from = round * 1e8;
        const before = await cpuMicroseconds(server.child);
        const result = await load({
          port: server.port,
          connections: CONNECTIONS,
          ms: RUN_MS,
          request: (i) => mix(i + from),
        });
        const bad = Object.keys(result.statuses).filter((status) => !status.startsWith("2"));
        if (bad.length > 0) throw new Error(`at scale: ${JSON.stringify(result.statuses)}`);
        runs.push(((await cpuMicroseconds(server.child)) - before) / result.requests);
      }
      costs.push(median(runs));
      await stop(server);
    } finally {
      desk.remove();
    }
  }
  const [small = 0, large = 0] = costs;
  return [
    {
      name: "CPU µs per request with 1,000,000 TODOs and 10,000,000 events; beside 1,000",
      ours: large.toFixed(0),
      beside: small.toFixed(0),
      ratio: large / small,
      wanted: "≤ 1.25",
    },
  ];
}

function mixed(tokens: readonly string[], events: number): (i: number) => string {
  const token = (i: number) => tokens[i % tokens.length];
  const statuses = ["focus", "remote", "away", "sick"];
  const status = (i: number) =>
    httpRequest("POST", `${BASE}/members/${memberEmail(i % MEMBERS)}/status`, token(i), {
      status: statuses[Math.floor(i / MEMBERS) % 4],
    });
  const create = (i: number) =>
    httpRequest("POST", `${BASE}/members/${memberEmail(i % MEMBERS)}/todos`, token(i), {
      text: "Return the projector to the storage room",
      externalSystem: "jira",
      externalRef: `OPS-${i}`,
      externalUrl: "https://jira.example/browse/OPS",
    });
  const get = (i: number, path: string) => httpRequest("GET", `${BASE}/${path}`, token(i));
  return (i) => {
    switch (i % 5) {
      case 0:
        return status(i);
      case 1:
        return create(i);
      case 2:
        return get(i, `members/${memberEmail((i * 7) % MEMBERS)}/status`);
      case 3:
        return get(i, `members/${memberEmail((i * 7) % MEMBERS)}/todos?limit=10`);
      default:
        return get(i, `events?limit=10&after=${(i * 7919) % Math.max(1, events - 20)}`);
    }
  };
}

function fill(url: URL, todos: number, events: number): void {
  const database = new DatabaseSync(fileURLToPath(url));
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000");
  database.exec("begin");
  const count = (most: number) =>
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${most - 1})`;
  database.exec(
    "create temp table people as select row_number() over (order by id) - 1 as i, id from members",
  );
  database.exec("create index temp.people_by_i on people (i)");
  database.exec(`
    insert into todos (id, org_id, member_id, text, archived, position, integration_id, external_system, external_ref, source, version, created_at, updated_at)
    ${count(todos)} select printf('00%024d', i), '${ORG}', (select id from people where people.i = n.i % ${MEMBERS}),
      'Return the projector to the storage room', 0, i, 'fill', 'fill', printf('F-%d', i), 'fill', 1, 0, 0 from n`);
  const { sequence } = database.prepare("select sequence from orgs").get() as { sequence: number };
  const data = JSON.stringify({ todo: { text: "x".repeat(300) } });
  const now = Date.now();
  database.exec(`
    insert into events (org_id, sequence, id, type, occurred_at, data)
    ${count(events)} select '${ORG}', ${sequence} + i + 1, printf('00%024d', i), 'todo.created', ${now}, '${data}' from n`);
  database.exec(`update orgs set sequence = ${sequence + events}`);
  database.exec("commit");
  database.exec("pragma journal_mode = wal; analyze");
  database.close();
}
