import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createHostGuard } from "@frontdesk/kit/host-guard";
import { createLog } from "@frontdesk/kit/log";
import { MAX_RELEASES } from "@frontdesk/lease-control-api/schemas";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { versionOf } from "../src/domain/config-version.ts";
import type { Engine } from "../src/domain/engine.ts";
import type { HostNetwork } from "../src/domain/host-network.ts";
import type { Keeper } from "../src/domain/keeper.ts";
import { ROLE_TABLE } from "../src/http/role-table.ts";
import { createManager } from "../src/manager.ts";
import { SUBNET } from "./manager-desk.ts";

const LOCAL = { actor: "command line", isLocal: true } as const;
const PASSWORD = "correct horse battery";
const TEXT = `[server]\nlisten = ["127.0.0.1:6767"]\n\n${SUBNET}`;
const IF_MATCH = { "if-match": `"${versionOf(TEXT)}"` };
const LEASE = { ip: "10.77.1.1", mac: "02:00:00:00:00:01", subnet: "10.77.0.0/16", reserved: false };

/** Routes that are no GET, and change nothing. */
const READS = [
  "POST /api/v1/explain",
  "POST /api/v1/reservations/preview",
  "POST /api/v1/config/check",
  "POST /api/v1/config/diff",
  "POST /api/v1/config/replay",
  "POST /api/v1/system/network/preview",
];
/** Everybody may who is signed in: no other role takes it away. */
const OWN = ["PUT /api/v1/auth/password"];

interface Write {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** What it goes on to do at the engine once it is answered. */
  readonly afterwards?: string;
}
const RESERVATION = { ip: "10.77.0.60", mac: "02:00:00:00:00:60" };
const WRITES: Readonly<Record<string, Write>> = {
  "DELETE /api/v1/leases/:ip": { path: "leases/10.77.1.1" },
  "DELETE /api/v1/leases": { path: "leases?subnet=10.77.0.0/16&count=1" },
  "PATCH /api/v1/leases/:ip": { path: "leases/10.77.1.1", body: { note: "front" } },
  "POST /api/v1/leases/:ip/reserve": { path: "leases/10.77.1.1/reserve" },
  "POST /api/v1/leases/:ip/force-renew": { path: "leases/10.77.1.1/force-renew" },
  "POST /api/v1/rollout": { body: {}, afterwards: "forceRenew" },
  "DELETE /api/v1/rollout": {},
  "POST /api/v1/reservations": { body: RESERVATION },
  "POST /api/v1/reservations/import": { body: "ip,mac\n10.77.0.60,02:00:00:00:00:60\n", headers: IF_MATCH },
  "PUT /api/v1/reservations/:ip": { path: "reservations/10.77.0.50", body: RESERVATION },
  "DELETE /api/v1/reservations/:ip": { path: "reservations/10.77.0.50" },
  "PUT /api/v1/config": { body: `${TEXT}# changed\n`, headers: IF_MATCH },
  "PUT /api/v1/config/full": {
    body: { config: { server: { listen: ["127.0.0.1:6767"] } } },
    path: "config/full?confirmation=leave%20no%20subnet",
    headers: IF_MATCH,
  },
  "POST /api/v1/config/confirm": { body: { version: versionOf(TEXT) } },
  "POST /api/v1/config/take-back": {},
  "POST /api/v1/config/rollback": { body: { id: 1 }, headers: IF_MATCH },
  "POST /api/v1/engine/start": {},
  "POST /api/v1/engine/stop": {},
  "POST /api/v1/engine/restart": {},
  "POST /api/v1/ha/partner-down": { body: {} },
  "POST /api/v1/ha/maintenance": {},
  "POST /api/v1/ha/resume": { body: {} },
  "POST /api/v1/ddns/reconcile": { body: { missing: [], stale: [] } },
  "PUT /api/v1/system/network": {
    body: { interface: "eth0", address: "192.0.2.10/24", gateway: null, dns: [] },
  },
  "POST /api/v1/system/network/confirm": { body: { ends_at: "2030-01-01T00:00:00.000Z" } },
  "POST /api/v1/system/network/take-back": { body: { ends_at: "2030-01-01T00:00:00.000Z" } },
  "POST /api/v1/users": { body: { username: "vera", password: PASSWORD, role: "viewer" } },
  "PATCH /api/v1/users/:username": { path: "users/vera", body: { role: "operator" } },
  "DELETE /api/v1/users/:username": { path: "users/vera" },
  "POST /api/v1/tokens": { body: { name: "program", role: "viewer" } },
  "DELETE /api/v1/tokens/:id": { path: "tokens/none" },
  "POST /api/v1/system/factory-reset": { body: { confirmation: "factory reset" } },
};

/** A manager with an engine in memory that notes what it is asked to do; `afterGate` comes once a request was let in. */
async function office(t: TestContext, engine: Partial<Engine> = {}) {
  const done: string[] = [];
  let reads = 0;
  const noting = <T extends object>(reads: Partial<T>): T =>
    new Proxy(reads, {
      get: (known, name) =>
        Reflect.get(known, name) ??
        (async () => {
          done.push(String(name));
        }),
    }) as T;
  const state = { state: "stopped", pid: null, since: 0, restarts: 0, problem: null } as const;
  const manager = await createManager({
    home: temporaryHome(t),
    log: createLog({ service: "lease", level: "silent", settings: {} }),
    clock: { now: () => Date.now() },
    engine: noting<Engine>({
      config: async () => {
        reads++;
        const version = versionOf(TEXT);
        return { running: version, file: version, restart: [], trial: null, text: TEXT, file_text: TEXT };
      },
      leases: async () => ({ items: [LEASE], next_cursor: null, total: 1 }) as never,
      lease: async () => LEASE as never,
      checkConfig: async () => ({ ok: true, checked: { version: "", subnets: 0, addresses: 0 } }),
      writeConfig: async (text) => {
        done.push("writeConfig");
        return { kind: "applied", applied: { version: versionOf(text), restart: [], trial: null } };
      },
      ...engine,
    }),
    keeper: noting<Keeper>({ state: async () => state, stop: async () => state, start: async () => state }),
    publicUrl: "https://localhost",
    isOurs: createHostGuard(["localhost", "127.0.0.1"]),
    adminPassword: PASSWORD,
    removeEngineState: () => void done.push("removeEngineState"),
    resetMark: { path: "", actor: () => undefined, set: () => {}, remove: () => {} },
    network: noting<HostNetwork>({}),
  });
  t.after(() => manager.close());
  const hooks = { afterGate: async () => {} };
  manager.app.addHook("preHandler", () => hooks.afterGate());
  // What comes in the clear is taken for https: this is not about that.
  manager.app.server.on("connection", (socket) => Object.assign(socket, { encrypted: true }));
  const url = await manager.app.listen({ host: "127.0.0.1", port: 0 });
  let cookie = "";
  const send = (method: string, path: string, { body, headers }: Write = {}) =>
    fetch(`${url}/api/v1/${path}`, {
      method,
      headers: {
        ...(body === undefined
          ? {}
          : { "content-type": typeof body === "string" ? "text/plain" : "application/json" }),
        cookie,
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  await manager.users.add(LOCAL, "eve", PASSWORD, "admin");
  const signedIn = await send("POST", "auth/login", { body: { username: "eve", password: PASSWORD } });
  cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? assert.fail();
  const become = (role: "viewer" | "admin") => manager.users.change(LOCAL, "eve", { role });
  return { done, hooks, send, become, reads: () => reads };
}

test("whoever is demoted after the gate has let them in writes nothing any more, whatever the route", async (t) => {
  const { done, hooks, send, become } = await office(t);
  const routes = Object.keys(ROLE_TABLE).filter(
    (route) => !/^(GET|HEAD) /.test(route) && ROLE_TABLE[route] !== "anyone" && !READS.includes(route),
  );
  assert.deepEqual(routes.toSorted(), [...Object.keys(WRITES), ...OWN].toSorted());
  for (const [route, write] of Object.entries(WRITES)) {
    const [method = "", path = ""] = route.split(" ");
    const ask = () => send(method, write.path ?? path.replace("/api/v1/", ""), write);
    hooks.afterGate = () => become("viewer").then(() => {});
    done.length = 0;
    const late = await ask();
    assert.deepEqual([late.status, done], [403, []], `${route}: ${await late.text()}`);

    hooks.afterGate = async () => {};
    await become("admin");
    const { status } = await ask();
    assert.ok(status !== 401 && status !== 403, `${route} is refused whoever asks`);
    const { afterwards } = write;
    if (afterwards !== undefined) await until(`${route} is through`, () => done.includes(afterwards));
  }
});

test("whoever is demoted while their write waits for another's writes nothing", async (t) => {
  const isBegun = Promise.withResolvers<void>();
  const isLetGo = Promise.withResolvers<void>();
  const written: string[] = [];
  const { send, become, reads } = await office(t, {
    writeConfig: async (text) => {
      written.push(text);
      isBegun.resolve();
      await isLetGo.promise;
      return { kind: "applied", applied: { version: versionOf(text), restart: [], trial: null } };
    },
  });
  const put = (word: string) =>
    send("PUT", "config", { body: `${TEXT}# ${word}\n`, headers: IF_MATCH }).then(({ status }) => status);
  const first = put("first");
  await isBegun.promise;
  const before = reads();
  const late = [
    put("second"),
    send("POST", "reservations", { body: RESERVATION }).then(({ status }) => status),
  ];
  await until("they wait for their turn", () => reads() === before + late.length);
  await become("viewer");
  isLetGo.resolve();
  assert.deepEqual(await Promise.all([first, ...late]), [200, 403, 403]);
  assert.deepEqual(written, [`${TEXT}# first\n`]);
});

test("no edit that waits when a factory reset begins comes into what begins anew", async (t) => {
  const isBegun = Promise.withResolvers<void>();
  const isLetGo = Promise.withResolvers<void>();
  const { send, done, reads } = await office(t, {
    writeConfig: async (text) => {
      isBegun.resolve();
      await isLetGo.promise;
      done.push("writeConfig");
      return { kind: "applied", applied: { version: versionOf(text), restart: [], trial: null } };
    },
  });
  const reserve = () => send("POST", "reservations", { body: RESERVATION }).then(({ status }) => status);
  const first = reserve();
  await isBegun.promise;
  const before = reads();
  const late = [reserve(), reserve()];
  await until("they wait for their turn", () => reads() === before + late.length);
  const reset = send("POST", "system/factory-reset", { body: { confirmation: "factory reset" } });
  await until("the reset is under way", async () => (await send("POST", "engine/start")).status === 409);
  isLetGo.resolve();
  assert.deepEqual([await first, (await reset).status], [201, 200]);
  for (const status of await Promise.all(late)) assert.ok([401, 409].includes(status), String(status));
  assert.deepEqual(done, ["writeConfig", "rollBackConfig", "removeEngineState"]);
  const body = { username: "admin", password: PASSWORD };
  const signedIn = await send("POST", "auth/login", { body });
  const cookie = String(signedIn.headers.get("set-cookie")).split(";")[0] ?? "";
  const { items } = await (await send("GET", "audit", { headers: { cookie } })).json();
  assert.deepEqual(
    items.map(({ actor, action }: { actor: string; action: string }) => `${actor} ${action}`),
    ["admin sign_in", "first start user_add", "eve factory_reset"],
  );
});

test("a release of many stops at the batch at which its author is not allowed to any more", async (t) => {
  const items = Array.from({ length: MAX_RELEASES + 1 }, (_, n) => ({ ...LEASE, ip: `10.0.0.${n}` }));
  let released = 0;
  const { send, become } = await office(t, {
    leases: async () => ({ items, next_cursor: null, total: items.length }) as never,
    releaseMany: async (leases) => {
      await become("viewer");
      released += leases.length;
      return { released: leases.length };
    },
  });
  const answer = await send("DELETE", `leases?subnet=10.77.0.0/16&count=${items.length}`);
  assert.deepEqual([answer.status, released], [403, MAX_RELEASES]);
});

test("a release of what a filter shows is of the leases that it showed: one that changes hands meanwhile stays", async (t) => {
  const items = [LEASE, { ...LEASE, ip: "10.77.1.2" }].map((lease) => ({
    ...lease,
    version: `of ${lease.ip}`,
  }));
  const released: unknown[] = [];
  const { send } = await office(t, {
    leases: async () => ({ items, next_cursor: null, total: items.length }) as never,
    releaseMany: async (leases) => {
      released.push(...leases);
      return { released: 1 };
    },
  });
  const answer = await send("DELETE", `leases?subnet=10.77.0.0/16&count=${items.length}`);
  assert.deepEqual(await answer.json(), { released: 1 });
  assert.deepEqual(
    released,
    items.map(({ ip, version }) => ({ ip, version })),
  );
});
