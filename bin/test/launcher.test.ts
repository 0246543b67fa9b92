import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { services } from "../services.js";
import { freshCopy, libraryForNode26, pathWithNode, type Run, repository, run } from "./checkout.ts";

const HASH = "b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514";
const NO_REGISTRY = { npm_config_registry: "http://127.0.0.1:1", npm_config_prefer_offline: "false" };
const OLDEST_MAJOR = 18;
const linuxOnly = process.platform === "linux" ? {} : { skip: "the other Nodes are fetched for Linux" };

/** One checkout, made ready once by the oldest Node, for the tests that need no fresh one. Those run on Node 24. */
let ready = "";
let readyPath = "";
let firstRun = "";
const cleanups: Array<() => void> = [];

before(async () => {
  const scope = { after: (cleanup: () => void) => cleanups.push(cleanup) };
  ready = freshCopy(scope);
  takeConsoles(repository, ready);
  readyPath = pathWithNode(scope, 24);
  firstRun = await testOneFile(scope, ready, pathWithNode(scope, OLDEST_MAJOR));
});
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** `npm test` with a small file; answers with what was printed. */
async function testOneFile(t: Pick<TestContext, "after">, folder: string, PATH: string): Promise<string> {
  const { exitCode, output } = run(t, folder, "npm", ["test", "--", "packages/kit/test/settings.test.ts"], {
    PATH,
  });
  assert.equal(await exitCode, 0, output());
  return output();
}

/** Puts the consoles that are built in one checkout into another: building them is not the subject there. */
function takeConsoles(from: string, to: string): void {
  for (const service of Object.values(services)) {
    const dist = "console" in service ? join(service.console, "dist") : undefined;
    if (dist && existsSync(join(from, dist))) cpSync(join(from, dist), join(to, dist), { recursive: true });
  }
}

/**
 * Puts the dependencies that are installed in one checkout into another, without the launcher's note that they are:
 * it calls npm again, which finds most of its work done. Installing from nothing is the oldest Node's subject.
 */
function takeDependencies(from: string, to: string): void {
  execFileSync("cp", ["-al", join(from, "node_modules"), join(to, "node_modules")]);
  rmSync(join(to, "node_modules/.frontdesk-installed"));
}

for (const major of [OLDEST_MAJOR, 26]) {
  test(
    `a fresh copy under Node ${major}: npm test and npm start install what they need, and run`,
    linuxOnly,
    async (t) => {
      if (major === 26 && !libraryForNode26(t)) return;
      const isOldest = major === OLDEST_MAJOR;
      const folder = isOldest ? ready : freshCopy(t);
      if (!isOldest) {
        takeConsoles(ready, folder);
        takeDependencies(ready, folder);
      }
      const PATH = pathWithNode(t, major);
      const printed = isOldest ? firstRun : await testOneFile(t, folder, PATH);
      assert.match(printed, /Installing, once: The dependencies/);
      assert.equal(/Installing, once: Node 24/.test(printed), isOldest, printed);
      assert.doesNotMatch(printed, /EBADENGINE|Warning/);
      if (!isOldest) assert.doesNotMatch(printed, /Building/, "a console is the same whatever Node built it");
      assert.match(printed, /^\d+ passed, 0 failed, 0 skipped$/m);

      const port = await freePort();
      const start = run(t, folder, "npm", ["start", "--", "avatar"], {
        PATH,
        AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}`,
        AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
        ...NO_REGISTRY,
      });
      await start.printed("Frontdesk is running.");
      await start.printed(`http://127.0.0.1:${port}/credits`);
      assert.doesNotMatch(start.output(), /Installing|Building/, "what is there is not made again");
      assert.equal(
        (await fetch(`http://127.0.0.1:${port}/${HASH}`)).headers.get("content-type"),
        "image/png",
      );
      assert.ok(existsSync(join(folder, ".frontdesk/avatar/avatar.db")));

      start.interrupt();
      assert.equal(await start.exitCode, 0, start.output());
      await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    },
  );
}

test("npx frontdesk --help lists every command and every service", async (t) => {
  const help = run(t, ready, "npm", ["exec", "--offline", "--", "frontdesk", "--help"], { PATH: readyPath });
  assert.equal(await help.exitCode, 0, help.output());
  for (const word of ["start [service …]", "test [path …]", "bench <name>", "avatar", "FRONTDESK_HOME"]) {
    assert.ok(help.output().includes(word), word);
  }
});

test("a word that is no command, and one that is no service, are told so", async (t) => {
  const cases: Array<[words: string[], sentence: string]> = [
    [["frobnicate"], '"frobnicate" is not a command. "npx frontdesk --help" lists them all.\n'],
    [["constructor"], '"constructor" is not a command. "npx frontdesk --help" lists them all.\n'],
    [["start", "constructor"], '"constructor" is not a service. The services are: '],
    [["start", "coffee"], '"coffee" is not a service. The services are: '],
  ];
  for (const [words, sentence] of cases) {
    const { exitCode, output } = run(t, ready, "node", ["bin/frontdesk.js", ...words], { PATH: readyPath });
    assert.equal(await exitCode, 1);
    assert.ok(output().startsWith(sentence), output());
  }
});

test("a console is built when there is none, and again when its sources have changed, and only then", async (t) => {
  const words = ["bin/frontdesk.js", "test", "packages/kit/test/settings.test.ts"];
  const source = join(ready, "services/avatar/console/src/main.tsx");
  const index = join(ready, "services/avatar/console/dist/index.html");
  const before = readFileSync(index, "utf8");
  rmSync(dirname(index), { recursive: true });
  const none = run(t, ready, "node", words, { PATH: readyPath });
  assert.equal(await none.exitCode, 0, none.output());
  assert.match(none.output(), /Building, once: the avatar console/);
  assert.equal(readFileSync(index, "utf8"), before, "the same sources make the same page");
  appendFileSync(source, '\nconsole.info("changed");\n');
  const first = run(t, ready, "node", words, { PATH: readyPath });
  assert.equal(await first.exitCode, 0, first.output());
  assert.match(first.output(), /Building, once: the avatar console/);
  assert.notEqual(readFileSync(index, "utf8"), before, "the page names its files by their content");
  const second = run(t, ready, "node", words, { PATH: readyPath });
  assert.equal(await second.exitCode, 0);
  assert.doesNotMatch(second.output(), /Building/);
});

test("a console that cannot be built is told in one sentence, and the one that was built stays", async (t) => {
  const source = join(ready, "services/avatar/console/src/main.tsx");
  const whole = readFileSync(source);
  t.after(() => writeFileSync(source, whole));
  appendFileSync(source, "\nconst broken = ;\n");
  const start = run(t, ready, "npm", ["start", "--silent", "--", "avatar"], { PATH: readyPath });
  assert.equal(await start.exitCode, 1);
  assert.match(
    start.output(),
    /^Building, once: the avatar console …\nThe avatar console could not be built: .*main\.tsx.*\n$/,
  );
  const folder = join(ready, "services/avatar/console");
  assert.ok(existsSync(join(folder, "dist/index.html")));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("dist-")),
    [],
  );
});

test("without a network a fresh clone fails with one clear sentence", async (t) => {
  const start = run(t, freshCopy(t), "npm", ["start", "--silent"], {
    PATH: readyPath,
    ...NO_REGISTRY,
    npm_config_cache: temporaryHome(t),
  });
  assert.equal(await start.exitCode, 1);
  assert.equal(
    start.output(),
    "Installing, once: The dependencies …\nThe dependencies could not be installed because the package registry did not answer: check the network, then run this again (once installed, no network is needed).\n",
  );
});

test("without npm a fresh clone fails with one clear sentence", async (t) => {
  const folder = temporaryHome(t);
  cpSync(readyPath.split(":")[0] as string, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(join(folder, "npm"));
  const start = run(t, freshCopy(t), "node", ["bin/frontdesk.js", "start"], { PATH: folder });
  assert.equal(await start.exitCode, 1);
  assert.match(
    start.output(),
    /^The dependencies could not be installed because there is no npm: install npm, then run this again\.$/m,
  );
});

test("a checkout that cannot be written fails with one clear sentence", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can mount a folder read-only");
  const folder = freshCopy(t);
  const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec node bin/frontdesk.js start`;
  const start = run(t, folder, "unshare", ["--mount", "sh", "-c", script, folder], { PATH: readyPath });
  assert.equal(await start.exitCode, 1);
  assert.match(
    start.output(),
    /^The dependencies could not be installed because .*frontdesk-clone-.* cannot be written: make it writable, then run this again\.$/m,
  );
});

test("a port that is taken is told in one clear sentence, and everything ends", async (t) => {
  const other = createServer();
  t.after(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const start = run(t, ready, "npm", ["start", "--silent", "--", "avatar"], {
    PATH: readyPath,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}`,
    AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  assert.equal(await start.exitCode, 1);
  assert.match(
    start.output(),
    new RegExp(
      `^avatar could not start: 127\\.0\\.0\\.1:${port} is already in use: stop the program that has it, or set AVATAR_MEDIA_LISTEN to another address\\.$`,
      "m",
    ),
  );
});

/** The launcher in the ready checkout, with avatar up. */
async function runningAvatar(t: TestContext) {
  const port = await freePort();
  const start = run(t, ready, "node", ["bin/frontdesk.js", "start", "avatar"], {
    PATH: readyPath,
    FRONTDESK_HOME: temporaryHome(t),
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}`,
    AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  await start.printed("Frontdesk is running.");
  return { start, port };
}

/** The process that the launcher runs a service in. */
async function serviceOf({ child }: Run): Promise<number> {
  const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  await until("the launcher has a service", () => children() !== "");
  return Number(children().split(" ")[0]);
}

test("a service that crashes is named with its last log lines and started again; the others go on", async (t) => {
  const { start, port } = await runningAvatar(t);
  const pid = await serviceOf(start);
  process.kill(pid, "SIGKILL");
  await start.printed("avatar is up again.");
  assert.match(
    start.output(),
    /^avatar was ended by SIGKILL\. Its last lines:\n(.*\n)*.*avatar {2}info {2}ready(.*\n)*avatar is started again in 1 s\.$/m,
  );
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  start.interrupt();
  assert.equal(await start.exitCode, 0, start.output());
});

test("a service is not started again while everything stops", async (t) => {
  const { start } = await runningAvatar(t);
  process.kill(await serviceOf(start), "SIGKILL");
  await start.printed("avatar is started again in 1 s.");
  start.interrupt();
  assert.equal(await start.exitCode, 0, start.output());
  assert.doesNotMatch(start.output(), /is up again/);
});

test("a launcher that is killed leaves no service behind", async (t) => {
  const { start, port } = await runningAvatar(t);
  start.child.kill("SIGKILL");
  await start.exitCode;
  const isGone = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    );
  await until("the service is gone", isGone);
});

test("a SIGTERM to npx ends the command that it runs", async (t) => {
  const port = await freePort();
  const words = ["exec", "--offline", "--", "frontdesk", "print", "simulate", "--port", String(port)];
  const simulate = run(t, ready, "npm", words, { PATH: readyPath, FRONTDESK_HOME: temporaryHome(t) });
  await simulate.printed("listens on");
  simulate.child.kill("SIGTERM");
  const isGone = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(false));
      socket.on("error", () => resolve(true));
      socket.on("connect", () => socket.destroy());
    });
  await until("the simulated printer is gone", isGone);
});

test("a manifest that asks for more than the lock file has stops the start, and says what to do", async (t) => {
  const manifest = join(ready, "packages/kit/package.json");
  const whole = readFileSync(manifest);
  t.after(() => writeFileSync(manifest, whole));
  const changed = JSON.parse(whole.toString()) as { dependencies: Record<string, string> };
  changed.dependencies["left-pad"] = "^1.0.0";
  writeFileSync(manifest, JSON.stringify(changed));
  const start = run(t, ready, "npm", ["start", "--silent", "--", "avatar"], { PATH: readyPath });
  assert.equal(await start.exitCode, 1);
  assert.equal(
    start.output(),
    'packages/kit/package.json asks for left-pad ^1.0.0, which package-lock.json does not have: run "npm install --package-lock-only", then commit package-lock.json with it.\n',
  );
});

test("a new workspace that the lock file does not know stops the start too", async (t) => {
  const folder = join(ready, "packages/unlocked");
  mkdirSync(folder);
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "name": "unlocked" }');
  const start = run(t, ready, "npm", ["start", "--silent", "--", "avatar"], { PATH: readyPath });
  assert.equal(await start.exitCode, 1);
  assert.match(start.output(), /^the workspace packages\/unlocked is not in package-lock\.json: run /);
});

test("Node 24.9 is too old (no setAuthorizer), 24.10 is not", async () => {
  const { isRecentEnough } = await import("../prepare.js");
  for (const [version, serves] of [
    ["18.20.8", false],
    ["24.9.0", false],
    ["24.10.0", true],
    ["25.0.0", true],
    ["100.1.0", true],
  ] as const) {
    assert.equal(isRecentEnough(version), serves, version);
  }
});

test("root is told that it need not be; with FRONTDESK_USER the services run as that user", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can run a service as another user");
  const { start } = await runningAvatar(t);
  await start.printed("Running as root: avatar would need no such rights. Set FRONTDESK_USER");

  const home = temporaryHome(t);
  chmodSync(home, 0o755);
  const port = await freePort();
  const everybodys = temporaryHome(t);
  chmodSync(everybodys, 0o755);
  cpSync(realpathSync(join(readyPath.split(":")[0] as string, "node")), join(everybodys, "node"));
  writeFileSync(join(home, "frontdesk.env"), "# As whom\nFRONTDESK_USER='nobody'\n");
  const asNobody = run(t, ready, "node", ["bin/frontdesk.js", "start", "avatar"], {
    PATH: `${everybodys}:${readyPath}`,
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${port}`,
    AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  await asNobody.printed("Frontdesk is running.");
  assert.doesNotMatch(asNobody.output(), /Running as root/);
  const status = readFileSync(`/proc/${await serviceOf(asNobody)}/status`, "utf8");
  assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m);
  assert.equal(statSync(join(home, "avatar/avatar.db")).uid, 65_534);

  chmodSync(everybodys, 0o700);
  const barred = run(t, ready, "node", ["bin/frontdesk.js", "start", "avatar"], {
    PATH: `${everybodys}:${readyPath}`,
    FRONTDESK_USER: "nobody",
    FRONTDESK_HOME: home,
  });
  assert.equal(await barred.exitCode, 1);
  assert.match(
    barred.output(),
    /^FRONTDESK_USER=nobody cannot read .*\/node: put it in a folder that everybody may enter/m,
  );

  rmSync(join(home, "frontdesk.env"));
  const nobodyElse = run(t, ready, "node", ["bin/frontdesk.js", "start", "avatar"], {
    PATH: readyPath,
    FRONTDESK_USER: "no-such-user",
  });
  assert.equal(await nobodyElse.exitCode, 1);
  assert.match(
    nobodyElse.output(),
    /^FRONTDESK_USER=no-such-user: there is no such user on this machine\.$/m,
  );
});

test("a file that root was led to by a link is not given away with a folder of state", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can give files away");
  const { handOver } = await import("../identity.js");
  const outside = join(temporaryHome(t), "shadow");
  writeFileSync(outside, "");
  const state = temporaryHome(t);
  symlinkSync(outside, join(state, "avatar.db"));
  handOver(state, { uid: 65_534, gid: 65_534 });
  assert.equal(statSync(outside).uid, 0);
  assert.equal(lstatSync(join(state, "avatar.db")).uid, 65_534);
});

// Last, because consoles are made of what the lock file names: after it, each would be built again.
test("dependencies are installed again when the lock file has changed", async (t) => {
  appendFileSync(join(ready, "package-lock.json"), "\n");
  // Lists its commands, and needs no console.
  const words = ["bin/frontdesk.js", "avatar"];
  const first = run(t, ready, "node", words, { PATH: readyPath });
  assert.equal(await first.exitCode, 0, first.output());
  assert.match(first.output(), /Installing, once: The dependencies/);
  const second = run(t, ready, "node", words, { PATH: readyPath });
  assert.equal(await second.exitCode, 0);
  assert.doesNotMatch(second.output(), /Installing/);
});
