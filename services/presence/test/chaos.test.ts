import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { openStore } from "@frontdesk/store/open-store";
import { repetitions } from "@frontdesk/testkit/breadth";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { migrations } from "../src/adapters/migrations.ts";
import type { Tables } from "../src/adapters/tables.ts";
import { createWebhook } from "../src/domain/webhook.ts";
import { ANNA, BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";
import { createRebuiltState, stateByApi } from "./rebuilt-state.ts";
import { accept, type Behaviour, drip, endless, fail, hang, reset, startReceiver } from "./receiver.ts";

const WORKERS = 2;
const KILLS = repetitions(8, 20);
/** A bound for the case that something never comes, not an expectation. */
const GIVE_UP_MS = 120_000;

const toMetadata: Behaviour = (response) =>
  response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();

/** Mostly well, 30 % failing, and now and then everything else that receivers do. */
function moody(): Behaviour {
  const dice = Math.random();
  if (dice < 0.3) return fail;
  if (dice < 0.32) return hang;
  if (dice < 0.36) return reset;
  if (dice < 0.38) return drip;
  if (dice < 0.4) return endless;
  if (dice < 0.44) return toMetadata;
  return accept;
}
const ACCEPTING = new Set<Behaviour>([accept, drip, endless]);

/** Where the copy of this number finds the receiver. */
const receiverAddress = (copy: number): string => `127.0.0.${10 + copy}`;

interface Copy {
  readonly child: ChildProcess;
  readonly port: number;
}

/** A process that has loaded the service and waits to be told to start it, in the place of a copy that dies. */
function prepareCopy(t: Closing, databaseUrl: URL, compileCache: string, copy: number): ChildProcess {
  const program = fileURLToPath(new URL("./chaos-copy.ts", import.meta.url));
  const child = spawn(process.execPath, [program, databaseUrl.href, receiverAddress(copy)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  child.stdin?.on("error", () => {});
  lastInFirstOut(t).after(() => kill({ child }));
  return child;
}

async function startCopy(child: ChildProcess): Promise<Copy> {
  child.stdin?.write("go\n");
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (line.startsWith("ready ")) return { child, port: Number(line.slice(6)) };
  }
  throw new Error("the copy ended before it was ready");
}

async function kill({ child }: Pick<Copy, "child">): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "close");
}

for (const { engine, database } of ENGINES) {
  const copies = engine === "postgres" ? 2 : 1;
  const pauseMs = engine === "postgres" ? 200 : 20;
  test(`${engine}: killed ${KILLS} times with ${copies} running, before a moody receiver, nothing is lost and nothing told wrongly`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const { databaseUrl } = desk;
    const compileCache = process.env.NODE_COMPILE_CACHE ?? temporaryHome(lastInFirstOut(t));
    const token = await desk.token("chaos");
    const receiver = await startReceiver(
      t,
      Array.from({ length: copies }, (_, copy) => receiverAddress(copy)),
    );
    const rebuilt = createRebuiltState();
    for (const event of await desk.events()) rebuilt.apply(event);
    const url = receiver.url.replace("127.0.0.1", "receiver.example");
    await desk.change((unit) => createWebhook(unit, { url, events: [] }));
    const firstSequence = (await desk.events()).length + 1;
    await desk.close();

    let onArrival: ((deliverer: number) => void) | undefined;
    let calm = false;
    receiver.behave = (response, arrival) => {
      const behave = calm ? accept : moody();
      const deliverer = running.findIndex((_, copy) => receiverAddress(copy) === arrival.to);
      if (onArrival) {
        onArrival(deliverer);
        onArrival = undefined;
        // Nothing is answered: the deliverer is killed while it waits for it.
        return;
      }
      if (ACCEPTING.has(behave)) rebuilt.apply(arrival.body);
      behave(response, arrival);
    };

    const running = await Promise.all(
      Array.from({ length: copies }, (_, copy) => startCopy(prepareCopy(t, databaseUrl, compileCache, copy))),
    );
    const spares = running.map((_, copy) => prepareCopy(t, databaseUrl, compileCache, copy));
    /** Asks whichever copy is there until one answers; every request here may be repeated. */
    const ask = async (method: string, path: string, body?: object, headers: object = {}) => {
      for (let tries = 0; ; tries++) {
        const { port } = running[tries % copies] as Copy;
        try {
          const reply = await fetch(`http://127.0.0.1:${port}/api/v1/external/orgs/acme/${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              ...(body ? { "content-type": "application/json" } : {}),
              ...headers,
            },
            ...(body ? { body: JSON.stringify(body) } : {}),
          });
          const text = await reply.text();
          assert.ok(reply.status < 500, text);
          return { status: reply.status, body: text === "" ? undefined : JSON.parse(text) };
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          await delay(20);
        }
      }
    };

    let stopped = false;
    /** What each TODO was when its last change was acknowledged; undefined once it was deleted. */
    const acknowledged = new Map<string, object | undefined>();
    const work = async (worker: number) => {
      for (let i = 0; !stopped; i++) {
        const member = i % 2 === 0 ? ANNA : BERT;
        const created = await ask("POST", `members/${member}/todos`, {
          text: `${worker}.${i}`,
          externalSystem: "chaos",
          externalRef: `${worker}.${i}`,
        });
        const path = `todos/${created.body.id}`;
        acknowledged.set(created.body.id, created.body);
        acknowledged.set(created.body.id, (await ask("POST", `${path}/complete`)).body);
        const expiresAt = new Date(Date.now() + 200 + Math.random() * 600).toISOString();
        await ask("POST", `members/${member}/status`, { status: i % 3 === 0 ? "focus" : "away", expiresAt });
        acknowledged.set(
          created.body.id,
          (await ask("PATCH", path, { text: `${worker}.${i}!`, position: i }, { "if-match": "*" })).body,
        );
        if (i % 3 === 0) {
          await ask("DELETE", path);
          acknowledged.set(created.body.id, undefined);
        }
        await delay(pauseMs);
      }
    };
    const workers = Array.from({ length: WORKERS }, (_, i) => work(i));

    const inMidDelivery = () => new Promise<number>((arrived) => (onArrival = arrived));
    const sometime = async (copy: number) => {
      await delay(100 + Math.random() * 600);
      return copy;
    };
    for (let round = 0; round < KILLS; round++) {
      // Every other time the copy whose delivery has arrived and is not yet answered.
      const victim = round % 2 === 0 ? await sometime((round / 2) % copies) : await inMidDelivery();
      await kill(running[victim] as Copy);
      running[victim] = await startCopy(spares[victim] as ChildProcess);
      spares[victim] = prepareCopy(t, databaseUrl, compileCache, victim);
    }
    stopped = true;
    await Promise.all(workers);
    calm = true;

    const store = await openStore<Tables>({ url: databaseUrl, migrations, clock: systemClock });
    lastInFirstOut(t).after(() => store.close());
    const deadline = Date.now() + GIVE_UP_MS;
    for (;;) {
      const org = await store.read.selectFrom("orgs").select("sequence").executeTakeFirstOrThrow();
      const hook = await store.read.selectFrom("webhooks").select("cursor").executeTakeFirstOrThrow();
      const open = await store.read
        .selectFrom("deliveries")
        .select("id")
        .where("state", "=", "pending")
        .execute();
      const expiring = await store.read
        .selectFrom("members")
        .select("id")
        .where("status_expires_at", "is not", null)
        .execute();
      if (hook.cursor === org.sequence && open.length === 0 && expiring.length === 0) break;
      assert.ok(
        Date.now() < deadline,
        `still waiting: ${hook.cursor} of ${org.sequence}, ${open.length} open`,
      );
      await delay(50);
    }

    const events = await store.read
      .selectFrom("events")
      .selectAll()
      .where("sequence", ">=", firstSequence)
      .orderBy("sequence")
      .execute();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, i) => firstSequence + i),
      "no gap",
    );
    const api = await stateByApi(async (path) => (await ask("GET", path)).body);
    assert.deepEqual(rebuilt.state(), api, "the receiver knows from webhooks alone what the API knows");
    for (const [id, todo] of acknowledged) {
      assert.deepEqual(api[`todo ${id}`], todo, "what was acknowledged is there, as it was acknowledged");
    }

    const failed = await store.read
      .selectFrom("deliveries")
      .select("id")
      .where("state", "=", "failed")
      .execute();
    assert.deepEqual(failed, []);
    const idOf = new Map(events.map(({ sequence, id }) => [sequence, id]));
    const arrived = new Map<number, string>();
    let last = firstSequence - 1;
    for (const { body } of receiver.arrivals) {
      assert.equal(body.id, idOf.get(body.sequence), "every arrival of an event has its id");
      if (arrived.has(body.sequence)) continue;
      arrived.set(body.sequence, body.id);
      assert.equal(
        body.sequence,
        last + 1,
        "events arrive first in their order; only repetitions come later",
      );
      assert.equal(body.prevSequence, last < firstSequence ? null : last);
      last = body.sequence;
    }
    assert.equal(last, events.at(-1)?.sequence, "every event has arrived");

    const status = new Map<string, string>();
    for (const { type, data } of events) {
      if (type !== "member.status.changed") continue;
      const { status: now, previous } = JSON.parse(data);
      assert.equal(
        previous.status,
        status.get(now.member.id) ?? "available",
        "each status begins where the last one ended",
      );
      status.set(now.member.id, now.status);
    }
    t.diagnostic(`${events.length} events, ${receiver.arrivals.length} arrivals, ${acknowledged.size} TODOs`);
  });
}
