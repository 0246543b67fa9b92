import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { revokeToken } from "../src/domain/access.ts";
import { CLI } from "../src/domain/actor.ts";
import { isoTime } from "../src/domain/clock-text.ts";
import type { EventRecord } from "../src/domain/records.ts";
import { setStatus } from "../src/domain/status.ts";
import { addStatus, makeDefault, removeStatus } from "../src/domain/vocabulary.ts";
import { createWebhook, redeliver, rotateSecret, setWebhookState } from "../src/domain/webhook.ts";
import type { Timer } from "../src/rounds.ts";
import { ANNA, BERT, type DeskUnderTest, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";
import { startReceiver } from "./receiver.ts";

const DAY_MS = 24 * 3_600_000;

const entries = async (desk: DeskUnderTest) =>
  (await desk.reader.audit(desk.orgId, undefined, 100)).items.reverse();

for (const { engine, database } of ENGINES) {
  test(`${engine}: every event says who did it, in the list and in the delivery`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const receiver = await startReceiver(t);
    const token = await desk.token("badges");
    await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
    const expiresAt = isoTime(desk.clock.now() + 1_000);
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus", expiresAt });
    await desk.change(async (unit) => {
      const bert = await unit.members.byEmail(BERT);
      if (bert) await setStatus(unit, bert, { status: "sick", expiresAt: null });
    });
    desk.clock.advance(1_000);
    await desk.rounds.expire();
    await desk.dispatcher.idle();
    const sources = ["integration:badges", "cli", "expiry"];
    const { body } = await desk.call(token, "GET", "events?after=2");
    assert.deepEqual(
      body.data.map(({ source }: { source: string }) => source),
      sources,
    );
    assert.deepEqual(
      receiver.arrivals.map((arrival) => arrival.body.source),
      sources,
    );
  });

  test(`${engine}: the audit log says who changed what, without secrets, and nothing of what was refused`, async (t) => {
    const desk = await deskUnderTest(t, database);
    await desk.token("hr");
    const [first] = await desk.reader.tokenList(desk.orgId);
    const hook = await desk.change((unit) =>
      createWebhook(unit, { url: "https://hooks.example/secret?key=secret", events: [] }),
    );
    await desk.change((unit) => rotateSecret(unit, hook.id));
    await desk.change((unit) =>
      addStatus(unit, { key: "lunch", label: "Lunch", color: "#000000", emoji: "" }),
    );
    await assert.rejects(
      desk.change((unit) => removeStatus(unit, "available")),
      { code: "status_is_default" },
    );
    await desk.change((unit) => revokeToken(unit, first?.id ?? ""));
    const token = await desk.token("badges");
    await desk.call(token, "PUT", `members/${ANNA}/external-ref`, { externalRef: "A-1" });
    const log = await entries(desk);
    assert.deepEqual(
      log.map(({ actor, action }) => [actor.replace(/token:\w+/, "token"), action]),
      [
        ["cli", "member.joined"],
        ["cli", "member.joined"],
        ["cli", "token.issued"],
        ["cli", "webhook.created"],
        ["cli", "webhook.rotated"],
        ["cli", "status.added"],
        ["cli", "token.revoked"],
        ["cli", "token.issued"],
        ["integration:badges token", "member.external_ref.set"],
      ],
    );
    assert.equal(log[3]?.subject, hook.id);
    assert.ok(!JSON.stringify(log).includes("secret"));
    const page = await desk.reader.audit(desk.orgId, log[2]?.id, 1);
    assert.deepEqual([page.items[0]?.action, page.more], ["member.joined", true]);
  });

  test(`${engine}: who removes a status from the vocabulary is who changed the statuses of its holders`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    await desk.call(token, "POST", `members/${ANNA}/status`, { status: "sick" });
    const member = { kind: "member", memberId: "somebody" } as const;
    await desk.desk.change(desk.orgId, member, (unit) => removeStatus(unit, "sick"));
    assert.equal((await desk.call(token, "GET", `members/${ANNA}/status`)).body.source, "app");
    assert.equal((await entries(desk)).at(-1)?.actor, "member:somebody");
  });

  test(`${engine}: what changes nothing leaves no entry, and entries are kept for 400 days`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const hook = await desk.change((unit) =>
      createWebhook(unit, { url: "https://hooks.example/", events: [] }),
    );
    const setRef = (externalRef: string | null) =>
      desk.call(token, "PUT", `members/${ANNA}/external-ref`, { externalRef });
    const twice = async (work: () => Promise<unknown>) => {
      const before = (await entries(desk)).length;
      for (let i = 0; i < 2; i++) await work();
      return (await entries(desk)).length - before;
    };
    assert.equal(await twice(() => setRef(null)), 0);
    assert.equal(await twice(() => setRef("A-1")), 1);
    assert.equal(await twice(() => desk.change((unit) => makeDefault(unit, "available"))), 0);
    assert.equal(await twice(() => desk.change((unit) => setWebhookState(unit, hook.id, "active"))), 0);
    assert.equal(await twice(() => desk.change((unit) => setWebhookState(unit, hook.id, "paused"))), 1);
    assert.equal(await twice(() => desk.change((unit) => redeliver(unit, hook.id, { failedSince: 0 }))), 0);

    desk.clock.advance(200 * DAY_MS);
    await desk.change((unit) => rotateSecret(unit, hook.id));
    desk.clock.advance(200 * DAY_MS + 1);
    await desk.rounds.forget();
    assert.deepEqual(
      (await entries(desk)).map(({ action }) => action),
      ["webhook.rotated"],
    );
  });

  test(`${engine}: who subscribes gets every event once, in order, also those that come while it reads`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const other = await openPresence(t, desk.databaseUrl, desk.clock);
    await other.start();
    const stop = new AbortController();
    const seen: number[] = [];
    const enough = Promise.withResolvers<void>();
    const reading = (async () => {
      for await (const event of other.feed.subscribe(desk.orgId, 0, stop.signal)) {
        seen.push(event.sequence);
        if (seen.length === 32) enough.resolve();
      }
    })();
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        desk.call(token, "POST", `members/${ANNA}/todos`, { text: `${i}` }),
      ),
    );
    await enough.promise;
    stop.abort();
    await reading;
    assert.deepEqual(
      seen,
      Array.from({ length: 32 }, (_, i) => i + 1),
    );
  });

  test(`${engine}: an event of this process wakes its subscribers at once, without any timer`, async (t) => {
    const desk = await deskUnderTest(t, database, { timer: () => () => {} });
    const stop = new AbortController();
    const events = desk.feed.subscribe(desk.orgId, 2, stop.signal);
    const next = events.next() as Promise<IteratorResult<EventRecord>>;
    await desk.desk.change(desk.orgId, CLI, (unit) =>
      addStatus(unit, { key: "lunch", label: "Lunch", color: "#000000", emoji: "" }),
    );
    await desk.call(await desk.token(), "POST", `members/${ANNA}/status`, { status: "lunch" });
    assert.equal((await next).value.sequence, 3);
    const last = events.next();
    stop.abort();
    assert.equal((await last).done, true);
  });

  test(`${engine}: a subscription that waits for long leaves nothing behind, however often it looks`, async (t) => {
    const waiting = new Set<() => void>();
    const timer: Timer = (done) => {
      waiting.add(done);
      return () => waiting.delete(done);
    };
    const desk = await deskUnderTest(t, database, { timer });
    const stop = new AbortController();
    const left = () => [waiting.size, getEventListeners(stop.signal, "abort").length];
    const events = desk.feed.subscribe(desk.orgId, 0, stop.signal);
    for (let i = 0; i < 2; i++) await events.next();
    const next = events.next();
    let last: (() => void) | undefined;
    for (let look = 0; look < 20; look++) {
      while (waiting.size === 0 || (last && waiting.has(last))) await turn();
      assert.deepEqual(left(), [1, 1]);
      [last] = waiting;
      last?.();
    }
    stop.abort();
    assert.equal((await next).done, true);
    assert.deepEqual(left(), [0, 0]);
  });

  test(`${engine}: who subscribes behind what is kept is told where to go on`, async (t) => {
    const desk = await deskUnderTest(t, database);
    await desk.store.write(async (tx) => {
      await tx.deleteFrom("events").execute();
      await tx.updateTable("orgs").set({ purged_through: 2 }).execute();
    });
    const { signal } = new AbortController();
    await assert.rejects(desk.feed.subscribe(desk.orgId, 0, signal).next(), {
      code: "events_gone",
      resumeAfter: 2,
    });
  });
}
