import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { readableProgram } from "../../engine/test/readable-program.ts";
import { exchange } from "../src/adapters/keeper-client.ts";
import type { EngineProcessState } from "../src/domain/keeper.ts";
import type { KeeperIdentity } from "../src/keeper/start-keeper.ts";
import { managerDesk } from "./manager-desk.ts";
import { childrenOf, isAlive, parentOf } from "./processes.ts";

/** Run on a machine of its own, as root, whose network ifupdown has: its processes are killed while an address is on trial. */
const CHANGE = { interface: "lan0", address: "192.0.2.10/24", gateway: "192.0.2.1", dns: [] };
const INTERFACES = "/etc/network/interfaces";
/** While it is there, whoever sets the interface up waits for somebody to write into it. */
const GATE = "/run/gate";
const BEFORE = `auto lan0
iface lan0 inet static
    address 192.0.2.77/24
    up test ! -p ${GATE} || cat ${GATE}
`;
const AFTER = BEFORE.replace("192.0.2.77/24", `${CHANGE.address}\n    gateway ${CHANGE.gateway}`);
const keptTrial = () => globSync("/var/lib/*/lease-network-trial.json")[0];
const NOBODY = 65_534;
const NONE = { state: "stopped", pid: null };

/** What the machine has on disk and in its kernel. */
function network() {
  const [{ addr_info }] = JSON.parse(
    execFileSync("ip", ["-json", "-4", "address", "show", "lan0"], { encoding: "utf8" }),
  );
  const addresses = addr_info.map(
    ({ local, prefixlen }: { local: string; prefixlen: number }) => `${local}/${prefixlen}`,
  );
  return { file: readFileSync(INTERFACES, "utf8"), addresses, isOnTrial: keptTrial() !== undefined };
}
const AS_BEFORE = { file: BEFORE, addresses: ["192.0.2.77/24"], isOnTrial: false };
const ON_TRIAL = { file: AFTER, addresses: [CHANGE.address], isOnTrial: true };
const CONFIRMED = { ...ON_TRIAL, isOnTrial: false };

/** Anew by its files, as when a machine starts: of /run and of the kernel nothing is left then. */
function setUpNetwork(): void {
  rmSync("/run/network", { recursive: true, force: true });
  mkdirSync("/run/network");
  execFileSync("ip", ["address", "flush", "dev", "lan0"]);
  execFileSync("ifup", ["--all"]);
}

writeFileSync(INTERFACES, BEFORE);
setUpNetwork();
assert.deepEqual(network(), AS_BEFORE);
const desk = await managerDesk(
  // What is left at the end goes with the machine.
  { after: () => {} },
  {},
  {
    program: readableProgram(),
    prepare: (home) => {
      for (const path of [home, join(home, "engine.toml")]) chownSync(path, NOBODY, NOBODY);
    },
  },
);
const sock = join(desk.home, "lease/keeper.sock");

async function processes() {
  const manager = desk.process.child.pid ?? assert.fail("no manager");
  const { state, pid } = await exchange<EngineProcessState>(sock, "state").catch(() => NONE);
  if (state !== "running" || pid === null) return undefined;
  const [starter = assert.fail("no starter"), ...others] = childrenOf(manager);
  assert.deepEqual(others, []);
  return { manager, starter, keeper: parentOf(pid), engine: pid };
}

const admin = await desk.signedIn();
const trial = async () => (await admin("GET", "system/network")).json.trial;

async function tryOut(): Promise<void> {
  const { status, text } = await admin("PUT", "system/network?confirm_within=3600", { body: CHANGE });
  assert.equal(status, 200, text);
  assert.deepEqual(network(), ON_TRIAL);
}

/** As a later keeper sees it; the one that there is goes by its timer. */
function anHourPasses(): void {
  const path = keptTrial() ?? assert.fail("nothing is on trial");
  const { deadline, ...kept } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...kept, deadline: deadline - 3_600_000 }));
}

async function killKeeper(): Promise<void> {
  const { keeper, starter } = (await processes()) ?? assert.fail("no engine");
  process.kill(keeper, "SIGKILL");
  const next = async () => (await processes())?.keeper ?? keeper;
  await until("another keeper has started an engine", async () => (await next()) !== keeper);
  assert.equal(parentOf(await next()), starter);
  const { uid, owner } = await exchange<KeeperIdentity>(sock, "identity");
  assert.deepEqual([uid, owner], [0, NOBODY]);
}

async function cutPower(): Promise<void> {
  const all = Object.values((await processes()) ?? assert.fail("no engine"));
  // One that ends by itself meanwhile can still be killed: nobody here asks how it ended.
  for (const each of all) process.kill(each, "SIGKILL");
  await until("all have ended", () => !all.some(isAlive));
  setUpNetwork();
  assert.deepEqual(network().addresses, [CHANGE.address], "the machine starts by its files");
  await desk.start();
}

await tryOut();
await killKeeper();
const { change, seconds_left } = await trial();
assert.deepEqual(change, CHANGE, "while there is time it is still on trial");
assert.ok(seconds_left > 0);
assert.deepEqual(network(), ON_TRIAL);
anHourPasses();
await killKeeper();
await untilEqual(network, AS_BEFORE, "it is taken back after kill -9 of the keeper");

await tryOut();
anHourPasses();
await cutPower();
await untilEqual(network, AS_BEFORE, "it is taken back after a power cut");

// Killed while ifup has the interface in its hands.
execFileSync("mkfifo", [GATE]);
const tried = admin("PUT", "system/network", { body: CHANGE });
let gate = -1;
await until("ifup waits at the gate", () => {
  try {
    // Refused as long as nobody reads there.
    gate = openSync(GATE, constants.O_WRONLY | constants.O_NONBLOCK);
    return true;
  } catch {
    return false;
  }
});
assert.deepEqual(network(), ON_TRIAL);
const killed = killKeeper();
assert.equal((await tried).status, 503);
rmSync(GATE);
closeSync(gate);
await killed;
await untilEqual(network, AS_BEFORE, "what was half set up is taken back");

await tryOut();
const { ends_at } = await trial();
const confirmed = await admin("POST", "system/network/confirm", { body: { ends_at } });
assert.deepEqual([confirmed.status, confirmed.json.trial], [200, null]);
for (const kill of [killKeeper, cutPower]) {
  await kill();
  assert.equal(await trial(), null);
  assert.deepEqual(network(), CONFIRMED);
}
assert.equal(await desk.stop(), 0);
