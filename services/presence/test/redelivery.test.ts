import assert from "node:assert/strict";
import { test } from "node:test";
import { RETENTION_MS } from "../src/adapters/retention.ts";
import { DELIVERY_TIMES } from "../src/presence.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, ENGINES } from "./desk-under-test.ts";
import { accept, fail, startReceiver } from "./receiver.ts";

const DAY_MS = 24 * 3_600_000;

for (const { engine, database } of ENGINES) {
  test(`${engine}: what tells of an event that is no longer kept is not sent again, and that is said`, async (t) => {
    const app = await appUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, schedule: [] } });
    const receiver = await startReceiver(t);
    const anna = await app.signIn(ANNA);
    const { id } = (await anna("POST", "webhooks", { url: receiver.url, events: ["project.created"] })).body
      .webhook;
    await anna("PATCH", `webhooks/${id}`, { state: "paused" });
    for (const name of ["Move", "Fair"]) await anna("POST", "projects", { name });
    app.clock.advance(RETENTION_MS - DAY_MS);
    receiver.behave = (response, arrival) =>
      (arrival.body.data.project.name === "Move" ? fail : accept)(response, arrival);
    await (await app.signIn(ANNA))("PATCH", `webhooks/${id}`, { state: "active" });
    for (let turn = 0; turn < 2; turn++) await app.dispatcher.idle();
    app.clock.advance(2 * DAY_MS);
    await app.rounds.forget();
    const boss = await app.signIn(ANNA);
    const log = async () => (await boss("GET", `webhooks/${id}/deliveries`)).body.data;
    const kept = await log();
    assert.deepEqual(
      kept.map(({ state }: { state: string }) => state),
      ["delivered", "failed"],
    );
    for (const { id: delivery } of kept) {
      const refused = await boss("POST", `webhooks/${id}/deliveries/${delivery}/redeliver`);
      assert.deepEqual([refused.status, refused.body.code], [410, "event_gone"]);
    }
    const since = "2026-01-01T00:00:00Z";
    assert.deepEqual((await boss("GET", `webhooks/${id}/redeliver?since=${since}`)).body, { count: 0 });
    assert.deepEqual((await boss("POST", `webhooks/${id}/redeliver`, { since })).body, { count: 0 });
    await app.dispatcher.idle();
    assert.deepEqual(await log(), kept, "nothing has changed");
  });

  test(`${engine}: a delivery that is to be sent again while it is attempted is sent again`, async (t) => {
    const app = await appUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, schedule: [60_000] } });
    const receiver = await startReceiver(t);
    const anna = await app.signIn(ANNA);
    const wanted = { url: receiver.url, events: ["project.created"] };
    const { id } = (await anna("POST", "webhooks", wanted)).body.webhook;
    receiver.behave = fail;
    await anna("POST", "projects", { name: "Move" });
    await app.dispatcher.idle();
    app.clock.advance(120_000);
    const failLast = await new Promise<() => void>((held) => {
      receiver.behave = (response, arrival) => held(() => fail(response, arrival));
      void app.dispatcher.idle();
    });
    const log = async () => (await anna("GET", `webhooks/${id}/deliveries`)).body.data;
    const [delivery] = await log();
    const again = await anna("POST", `webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    assert.equal(again.status, 204);
    receiver.behave = accept;
    failLast();
    for (let turn = 0; turn < 3; turn++) await app.dispatcher.idle();
    const [{ state, attempts }] = await log();
    assert.deepEqual([state, attempts, receiver.arrivals.length], ["delivered", 3, 3]);
  });
}
