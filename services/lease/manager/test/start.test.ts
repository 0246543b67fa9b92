import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { exchange, openKeeper, quitKeeper } from "../src/adapters/keeper-client.ts";
import type { EngineProcessState } from "../src/domain/keeper.ts";
import type { KeeperIdentity } from "../src/keeper/start-keeper.ts";
import { managerDesk } from "./manager-desk.ts";
import { childrenOf, isAlive, parentOf } from "./processes.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Starts one more manager, and answers with the one sentence that it ends with. */
async function refused(t: TestContext, settings: Record<string, string>): Promise<string> {
  const { started, ended, output } = serviceProcess(t, MAIN, settings);
  const { problem } = await started;
  assert.ok(problem, "it is ready");
  assert.equal(await ended, 1);
  assert.doesNotMatch(output(), /^ +at /m, "no stack trace");
  assert.doesNotMatch(problem, /\n/);
  return problem;
}

/** A configuration of the same engine beside the first one. */
function otherConfig({ home, configPath }: { home: string; configPath: string }): string {
  const path = join(home, "other.toml");
  writeFileSync(path, readFileSync(configPath, "utf8"));
  return path;
}

test("a second manager on the same folder is refused before it touches the engine or a file", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const engine = async () => (await admin("GET", "engine/status")).json.process;
  const before = await engine();
  const kept = ["manager.db", "tls/server.crt", "engine/control-token", "keeper.sock"].map((name) =>
    join(desk.home, "lease", name),
  );
  const stateOf = (path: string) => {
    const { ino, mtimeMs } = statSync(path);
    return [path, ino, mtimeMs];
  };
  const files = kept.map(stateOf);
  const elsewhere = { ...desk.settings, LEASE_CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  for (const LEASE_CONFIG of [desk.configPath, otherConfig(desk)]) {
    assert.equal(
      await refused(t, { ...elsewhere, LEASE_CONFIG, LEASE_HOSTS: "desk.example.org" }),
      `Another lease manager runs in ${join(desk.home, "lease")}: stop it, or set FRONTDESK_HOME to another folder.`,
    );
    assert.deepEqual(await engine(), before);
    assert.deepEqual(kept.map(stateOf), files);
  }
  // However a manager ends, the next one is not held up.
  await desk.kill();
  await desk.start();
});

test("a manager that cannot start says so in a sentence and leaves the engine that runs alone", async (t) => {
  const desk = await managerDesk(t);
  const database = join(desk.home, "lease/manager.db");
  const admin = await desk.signedIn();
  const engine = async () => (await admin("GET", "engine/status")).json.process.pid as number;
  const pid = await engine();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  await desk.kill();

  const reasons: Record<string, readonly [RegExp, Record<string, string>, (() => void)?]> = {
    "the port is taken": [
      /^127\.0\.0\.1:\d+ is already in use: .*LEASE_CONSOLE_LISTEN/,
      { LEASE_CONSOLE_LISTEN: `127.0.0.1:${port}` },
    ],
    "the certificate is none": [
      /^LEASE_TLS_CERT must name a PEM file with a certificate, not ".*engine\.toml" \(ERR_/,
      { LEASE_TLS_CERT: desk.configPath, LEASE_TLS_KEY: desk.configPath },
    ],
    "the database is broken": [
      /manager\.db is damaged/,
      {},
      () => {
        for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true });
        writeFileSync(database, "no database, by any means".repeat(100));
      },
    ],
  };
  for (const [name, [sentence, settings, damage]] of Object.entries(reasons)) {
    await t.test(name, async () => {
      damage?.();
      for (const LEASE_CONFIG of [desk.configPath, otherConfig(desk)]) {
        assert.match(await refused(t, { ...desk.settings, LEASE_CONFIG, ...settings }), sentence);
        assert.ok(process.kill(pid, 0), "the engine is there");
      }
    });
  }
  for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
  await desk.start();
  const again = await desk.signedIn();
  assert.equal((await again("GET", "engine/status")).json.process.pid, pid, "and never was another one");
});

test("a manager that cannot start on a fresh folder leaves no engine behind", async (t) => {
  const desk = await managerDesk(t);
  const home = join(desk.home, "fresh");
  mkdirSync(home);
  const fresh = { ...desk.settings, FRONTDESK_HOME: home };
  const problem = await refused(t, fresh);
  assert.match(problem, /is already in use/);
  assert.deepEqual(existsSync(join(home, "lease/keeper.sock")), false);
  assert.deepEqual(existsSync(join(home, "lease/engine")), false);

  assert.match(
    await refused(t, { ...fresh, LEASE_HOSTS: "[fd00::5]:31074" }),
    /^LEASE_HOSTS must be names or addresses like .*, not "\[fd00::5\]:31074"\.$/,
  );
  assert.match(
    await refused(t, { ...fresh, LEASE_CONSOLE_LISTEN: "[2001:db8::1]:31074" }),
    /^\[2001:db8::1\]:31074 cannot be listened on \(\w+\): set LEASE_CONSOLE_LISTEN to another address\.$/,
  );
});

test("a keeper whose socket is gone ends with its engine, and makes room for the next one", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const engine = async () => (await admin("GET", "engine/status")).json?.process;
  const { pid: before } = await engine();
  const keeper = parentOf(before);
  rmSync(join(desk.home, "lease/keeper.sock"));
  await until("another engine runs", async () => {
    const { pid, state } = (await engine()) ?? {};
    return state === "running" && pid !== before;
  });
  for (const pid of [before, keeper]) assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  assert.ok(statSync(join(desk.home, "lease/keeper.sock")).isSocket());
});

/** Where the manager is gone and an engine takes its time to end: the keeper waits for it until it is released. */
async function slowEnd(desk: Awaited<ReturnType<typeof managerDesk>>) {
  const sock = join(desk.home, "lease/keeper.sock");
  const { pid } = await exchange<EngineProcessState>(sock, "state");
  await desk.kill();
  const engine = pid ?? assert.fail("no engine");
  const keeper = parentOf(engine);
  process.kill(engine, "SIGSTOP");
  return {
    sock,
    keeper,
    release: () => process.kill(engine, "SIGCONT"),
    isEnding: () => exchange<EngineProcessState>(sock, "state").then(({ state }) => state !== "running"),
    hasEnded: () => !isAlive(keeper),
  };
}

for (const how of ["quit", "SIGTERM"] as const) {
  test(`a keeper that is ending after ${how} is not taken for one that goes on`, async (t) => {
    const desk = await managerDesk(t);
    const { sock, keeper, release, isEnding, hasEnded } = await slowEnd(desk);
    if (how === "quit") void quitKeeper(sock);
    else process.kill(keeper, how);
    await until("it is ending", isEnding);
    const manager = serviceProcess(t, MAIN, desk.settings);
    const isServed = () =>
      desk.call("GET", "/healthz").then(
        () => true,
        () => false,
      );
    await until("the next manager serves its console", isServed);
    release();
    const { ready = [] } = await manager.started;
    assert.match(new Map(ready).get("engine") ?? "", /^serves by /);
    await until("the first has ended", hasEnded);
  });
}

test("a keeper that ends late leaves the socket of the one that followed it", async (t) => {
  const desk = await managerDesk(t);
  const { sock, release, isEnding, hasEnded } = await slowEnd(desk);
  void quitKeeper(sock);
  await until("it is ending", isEnding);
  rmSync(sock);
  const next = createServer((socket) => socket.destroy()).listen(sock);
  await once(next, "listening");
  t.after(() => next.close());
  release();
  await until("it has ended", hasEnded);
  assert.ok(existsSync(sock));
});

test("what answers on the keeper's socket and is no keeper is replaced", async (t) => {
  const asked: string[] = [];
  const impostor = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      asked.push(String(chunk));
      socket.end("no state\n");
    });
  });
  t.after(() => impostor.close());
  const prepare = (home: string) => {
    mkdirSync(join(home, "lease"));
    impostor.listen(join(home, "lease/keeper.sock"));
  };
  const desk = await managerDesk(t, {}, { prepare });
  const admin = await desk.signedIn();
  assert.equal((await admin("GET", "engine/status")).json.process.state, "running");
  assert.deepEqual(asked, ["identity\n", "identity\n", "state\n", "quit\n"]);
});

test("the certificate is for the address that the console listens on, too", async (t) => {
  const port = await freePort();
  const desk = await managerDesk(t, { LEASE_CONSOLE_LISTEN: `127.0.0.2:${port}` });
  const ca = readFileSync(join(desk.home, "lease/tls/ca.crt"));
  const socket = connect({ host: "127.0.0.2", port, ca });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  assert.ok(socket.authorized);
});

test("where nobody keeps an engine the keeper takes up at once: a change of the network may wait to be taken back", async (t) => {
  const home = temporaryHome(t);
  const path = join(home, "keeper.sock");
  const log = { error: () => {} };
  const first = await openKeeper(path, join(home, "one.toml"), undefined, log);
  t.after(() => first.quit());
  assert.equal((await first.state()).state, "stopped");
  // Beside one that lives it waits: that one has what is on trial.
  const second = await openKeeper(path, join(home, "two.toml"), undefined, log);
  const { ino } = statSync(path);
  await second.quit();
  // A manager that is told to stop while it starts: what it does until it has ended.
  await second.takeUp();
  assert.equal((await first.state()).state, "stopped");
  assert.equal(statSync(path).ino, ino);
});

test("a path that is too long for the keeper's socket is told, with what to shorten", async (t) => {
  const log = { error: () => {} };
  const path = join(temporaryHome(t), "x".repeat(108), "keeper.sock");
  const tooLong = path.length - 107;
  await assert.rejects(openKeeper(path, "engine.toml", undefined, log), {
    message: new RegExp(`a FRONTDESK_HOME that is shorter by ${tooLong} characters`),
  });
});

test("where the keeper does not start, it is told what to look at", async (t) => {
  const path = join(temporaryHome(t), "keeper.sock");
  mkdirSync(path);
  await assert.rejects(openKeeper(path, "engine.toml", undefined, { error: () => {} }), {
    name: "StartProblem",
    message: new RegExp(`did not start: see that ${path} can be made, .* then start lease again\\.$`),
  });
});

test("a keeper that ends while the next manager starts is replaced by that one", async (t) => {
  const path = join(temporaryHome(t), "keeper.sock");
  const log = { error: () => {} };
  const open = () => openKeeper(path, "engine.toml", undefined, log);
  const first = await open();
  const second = await open();
  t.after(() => second.quit());
  await first.quit();
  await second.takeUp();
  assert.equal((await second.state()).state, "stopped");
});

test("a keeper that hangs is told with how to end it, and holds up neither the next start nor a stop", async (t) => {
  const path = join(temporaryHome(t), "keeper.sock");
  const before = childrenOf(process.pid);
  const newKeeper = () => {
    const pid = childrenOf(process.pid).find((each) => !before.includes(each)) ?? assert.fail("no keeper");
    before.push(pid);
    t.after(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    return pid;
  };
  const first = await openKeeper(path, "one.toml", undefined, { error: () => {} });
  const hung = newKeeper();
  process.kill(hung, "SIGSTOP");
  const told: object[] = [];
  const log = { error: (words: object) => void told.push(words) };
  const second = await openKeeper(path, "two.toml", undefined, log, 100);
  assert.deepEqual(told, [{ end: `pkill -KILL -f 'keeper/main.ts ${path}'` }]);
  const words = readFileSync(`/proc/${hung}/cmdline`, "utf8").split("\0").join(" ");
  assert.ok(words.includes(`keeper/main.ts ${path}`));
  await second.takeUp();
  assert.equal((await exchange<KeeperIdentity>(path, "identity")).config, "two.toml");

  const next = newKeeper();
  process.kill(next, "SIGSTOP");
  await second.quit();
  assert.ok(isAlive(next));
  for (const pid of [hung, next]) process.kill(pid, "SIGCONT");
  await until("each ends when it goes on", () => ![hung, next].some(isAlive));
  await first.quit();
});

test("an engine that was stopped is not started by the keeper that replaces a killed one, however soon that is", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const sock = join(desk.home, "lease/keeper.sock");
  const { pid } = await exchange<EngineProcessState>(sock, "state");
  const keeper = parentOf(pid ?? 0);
  // Every engine writes it anew.
  const told = () => readFileSync(join(desk.home, "lease/engine/control.json"), "utf8");
  const before = told();
  assert.equal((await admin("POST", "engine/stop")).json.process.state, "stopped");
  process.kill(keeper, "SIGKILL");
  await until("another keeper answers", () => exchange(sock, "state").then(Boolean, () => false));
  // It waits for what the manager has begun.
  assert.equal(await desk.stop(), 0);
  assert.equal(told(), before);
});

test("an engine that was stopped stays so until somebody starts it, also under another manager and another keeper", async (t) => {
  const desk = await managerDesk(t);
  const sock = join(desk.home, "lease/keeper.sock");
  const LEASE_CONFIG = otherConfig(desk);
  const state = async () => {
    const admin = await desk.signedIn();
    return (await admin("GET", "engine/status")).json.process.state as EngineProcessState["state"];
  };
  const kill = async () => {
    await desk.kill();
    await desk.start();
  };
  const admin = await desk.signedIn();
  await admin("POST", "engine/stop");
  await kill();
  assert.equal(await state(), "stopped");

  const found = (await exchange<KeeperIdentity>(sock, "identity")).config;
  await desk.kill();
  const { child, started, ended } = serviceProcess(t, MAIN, { ...desk.settings, LEASE_CONFIG });
  const { problem } = await started;
  assert.equal(problem, undefined);
  assert.notEqual((await exchange<KeeperIdentity>(sock, "identity")).config, found);
  assert.equal((await exchange<EngineProcessState>(sock, "state")).state, "stopped");
  child.kill("SIGKILL");
  await ended;
  await desk.start();
  assert.equal(await state(), "stopped");

  await (await desk.signedIn())("POST", "engine/start");
  await kill();
  assert.equal(await state(), "running");
  await (await desk.signedIn())("POST", "engine/stop");
  assert.equal(await desk.stop(), 0);
  await desk.start();
  assert.equal(await state(), "running", "whoever starts Frontdesk wants it served");
});
