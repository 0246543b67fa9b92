import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { type Acked, LabClients, macOf } from "../lab-clients.ts";
import type { LabEngine } from "../lab-engine.ts";
import { control, ha, labPair, statusOf, untilBoth } from "./lab-pair.ts";

const timeout = 300_000;
const WIDE = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.40.250"\n`;
const QUICK = "max_lead = 600\nmax_clock_skew = 2\ncontact_timeout = 2\n";

const isIn = async (engine: LabEngine, state: string) => (await statusOf(engine)).state === state;

async function leasesOf(engine: LabEngine): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Array<{ ip: string; mac: string }>; next_cursor: string | null } = await control(
      engine,
      "GET",
      `/v1/leases?state=active&limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    for (const { ip, mac } of page.items) all.push(`${ip} ${mac}`);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all.toSorted();
}

/** S1: no lease ends while the test runs, so no address may ever be another client's. */
function assertOneClientEach(acked: readonly Acked[]): void {
  const holders = new Map<string, string>();
  for (const { ip, mac } of acked) {
    const holder = holders.get(ip) ?? mac;
    assert.equal(mac, holder, `${ip} was given to ${holder} and to ${mac}`);
    holders.set(ip, holder);
  }
}

/** Clients that come to both engines all the time, each to one of them. */
async function load(t: TestContext, a: LabEngine, b: LabEngine) {
  const both = [await LabClients.open(a.port), await LabClients.open(b.port)] as const;
  let isOver = false;
  const running = both.map((clients, i) => clients.load(40, 1 + i * 1_000_000, () => isOver, 1000));
  t.after(() => {
    isOver = true;
  });
  return {
    clients: both,
    end: async () => {
      isOver = true;
      await Promise.all(running);
      for (const each of both) each.close();
      return both.flatMap(({ acked }) => acked);
    },
  };
}

test("under load, whatever happens to the link and to either process, no address is given twice", {
  timeout,
}, async (t) => {
  const pair = await labPair(t, {
    network: WIDE,
    more: `${QUICK}mode = "load-balancing"\n`,
    through: await freePort(),
  });
  const { a, b, between } = pair;
  await until("the secondary was lent addresses", async () =>
    (await statusOf(b)).pools.every(({ own_free }) => own_free > 3000),
  );
  const { clients, end } = await load(t, a, b);
  const served = (which: 0 | 1) => {
    const before = clients[which].acked.length;
    return until(`engine ${which} gives addresses`, () => clients[which].acked.length > before + 10);
  };
  const normal = () => untilBoth("both are in normal operation", [a, b], "normal");

  await served(0);
  between.cut();
  await normal();

  between.shut();
  await until("both are alone", async () => (await isIn(a, "interrupted")) && (await isIn(b, "interrupted")));
  await Promise.all([served(0), served(1)]);
  between.open();
  await normal();

  // The secondary hears nothing, and nobody closes the connection.
  between.stall();
  await until("the secondary is alone", () => isIn(b, "interrupted"));
  await served(1);
  between.flow();
  await normal();

  for (const [engine, other] of [
    [a, 1],
    [b, 0],
  ] as const) {
    await engine.kill("SIGKILL");
    await served(other);
    await engine.start();
    await normal();
  }

  // A process that stands still: its messages wait in the sockets.
  for (const [engine, other] of [
    [a, 1],
    [b, 0],
  ] as const) {
    const stands = engine.process();
    stands.kill("SIGSTOP");
    await until("the other is alone", () => isIn(other === 0 ? a : b, "interrupted"));
    await served(other);
    stands.kill("SIGCONT");
    await normal();
  }

  await Promise.all([a.kill("SIGKILL"), b.kill("SIGKILL")]);
  await Promise.all([a.start(), b.start()]);
  await normal();
  await Promise.all([served(0), served(1)]);

  const acked = await end();
  assertOneClientEach(acked);
  await until("both know the same", async () => {
    const [ofA, ofB] = [await leasesOf(a), await leasesOf(b)];
    return ofA.length >= new Set(acked.map(({ ip }) => ip)).size && ofA.join() === ofB.join();
  });
  const known = new Set(await leasesOf(a));
  for (const { ip, mac } of acked) assert.ok(known.has(`${ip} ${mac}`), `${ip} of ${mac} is forgotten`);
  assert.deepEqual([(await statusOf(a)).conflicts, (await statusOf(b)).conflicts], [0, 0]);
});

test("a takeover that was declared of a peer that serves, by one or by both, ends in normal operation", {
  timeout,
}, async (t) => {
  const { a, b, between } = await labPair(t, { network: WIDE, more: QUICK, through: await freePort() });
  await until("the secondary was lent addresses", async () =>
    (await statusOf(b)).pools.every(({ own_free }) => own_free > 3000),
  );
  const { clients, end } = await load(t, a, b);
  const served = (which: 0 | 1) => {
    const before = clients[which].acked.length;
    return until(`engine ${which} gives addresses`, () => clients[which].acked.length > before + 10);
  };
  for (const wrong of [[b], [a, b]]) {
    between.shut();
    await until(
      "both are alone",
      async () => (await isIn(a, "interrupted")) && (await isIn(b, "interrupted")),
    );
    for (const engine of wrong) await control(engine, "POST", "/v1/ha/partner-down", {});
    for (const engine of wrong) assert.ok(await isIn(engine, "partner_down"));
    await Promise.all([served(0), served(1)]);
    between.open();
    await untilBoth("both are in normal operation", [a, b], "normal");
  }
  // S3: what was the peer's is given after the lead at the earliest, which is longer than this.
  assertOneClientEach(await end());
  await until("both know the same", async () => (await leasesOf(a)).join() === (await leasesOf(b)).join());
});

test("while the primary's disk is full the secondary serves, and gives back when there is room again", {
  timeout,
}, async (t) => {
  const { a, b } = await labPair(t, { more: QUICK });
  await until("the secondary was lent addresses", async () =>
    (await statusOf(b)).pools.every(({ own_free }) => own_free > 20),
  );
  await a.kill("SIGTERM");
  // No file may grow: to whoever writes, that is a full disk. The signal that would come with it is ignored.
  await a.start(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
  await untilBoth("both are in normal operation", [a, b], "normal");
  const limit = (octets: string) =>
    execFileSync("prlimit", ["--pid", String(a.process().pid), `--fsize=${octets}:`]);
  const [atA, atB] = [await LabClients.open(a.port), await LabClients.open(b.port)];
  t.after(() => {
    for (const clients of [atA, atB]) clients.close();
  });
  assert.ok(await atA.join(macOf(1)));
  limit("0");
  let next = 2;
  await until("the secondary serves", async () => {
    assert.equal(await atA.join(macOf(next++), 100), false, "nothing is acknowledged that is not on disk");
    return atB.join(macOf(next++), 300);
  });
  limit("unlimited");
  await untilBoth("both are in normal operation", [a, b], "normal");
  await until("the primary serves", () => atA.join(macOf(next++), 300));
  assertOneClientEach([...atA.acked, ...atB.acked]);
  await until("both know the same", async () => (await leasesOf(a)).join() === (await leasesOf(b)).join());
});

/** Another wall clock for a process and all its threads; the monotonic one is left alone. */
const clockAhead = (seconds: number) => [
  "env",
  `NODE_OPTIONS=--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${seconds * 1000}`,
];

for (const seconds of [5, 3600]) {
  test(`a secondary whose clock is ${seconds} s ahead serves with the primary and after it, and says so`, {
    timeout,
  }, async (t) => {
    // From its first start: an engine keeps its time when the wall clock is set later.
    const { a, b } = await labPair(t, { more: QUICK, secondaryIn: clockAhead(seconds) });
    await until("the difference is measured", async () => {
      const { clock_difference_ms } = await statusOf(a);
      return Math.abs(clock_difference_ms - seconds * 1000) < 1000;
    });
    assert.match((await statusOf(a)).advice ?? "", /Set the clocks of both machines/);
    await until("the secondary was lent addresses", async () =>
      (await statusOf(b)).pools.every(({ own_free }) => own_free > 20),
    );
    const [atA, atB] = [await LabClients.open(a.port), await LabClients.open(b.port)];
    t.after(() => {
      for (const clients of [atA, atB]) clients.close();
    });
    assert.ok(await atA.join(macOf(1)));
    await until("the secondary has the lease", async () => (await leasesOf(b)).length === 1);
    await a.kill("SIGKILL");
    const [{ ip = "" } = {}] = atA.acked;
    await until("the secondary renews it", () => atB.renew(macOf(1), ip));
    assert.ok(await atB.join(macOf(2)));
    assertOneClientEach([...atA.acked, ...atB.acked]);
  });
}

test("a node whose store was lost gets everything again, and gives nothing meanwhile", {
  timeout,
}, async (t) => {
  const { a, b } = await labPair(t, { more: QUICK });
  const clients = await LabClients.open(a.port);
  t.after(() => clients.close());
  for (let n = 0; n < 20; n++) assert.ok(await clients.join(macOf(n)));
  await until("the secondary has all", async () => (await leasesOf(b)).length === 20);
  await a.kill("SIGKILL");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(a.storePath + suffix, { force: true });
  await a.start();
  await untilBoth("both are in normal operation", [a, b], "normal");
  assert.deepEqual(await leasesOf(a), await leasesOf(b));
  assert.equal((await leasesOf(a)).length, 20);
  assertOneClientEach(clients.acked);
});

test("plans that differ are told, and agreed upon again when they are the same", { timeout }, async (t) => {
  const { a, b, port } = await labPair(t, { more: QUICK });
  await until("the plan is agreed upon", async () => (await statusOf(a)).plan.agreed);
  const other = `  [[subnet.reservation]]\n  ip = "10.77.1.50"\n  mac = "02:00:00:00:77:01"\n`;
  const network = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.99"\n${other}`;
  const take = async (engine: LabEngine) => {
    writeFileSync(engine.configPath, engine.toml(ha(port, true, { network, more: QUICK })));
    await control(engine, "POST", "/v1/reload");
  };
  await take(a);
  await until("both say so", async () => (await statusOf(a)).plan.frozen && !(await statusOf(b)).plan.agreed);
  const clients = await LabClients.open(a.port);
  t.after(() => clients.close());
  assert.ok(await clients.join(macOf(1)), "other addresses are given");
  await take(b);
  await until("both agree", async () => {
    const plans = [(await statusOf(a)).plan, (await statusOf(b)).plan];
    return plans.every(({ agreed, frozen }) => agreed && !frozen);
  });
});
