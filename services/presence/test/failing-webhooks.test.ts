import assert from "node:assert/strict";
import { test } from "node:test";
import { createWebhook, rotateSecret, setWebhookState, testWebhook } from "../src/domain/webhook.ts";
import { DELIVERY_TIMES } from "../src/presence.ts";
import { type DeskUnderTest, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import { accept, fail, startReceiver } from "./receiver.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const rowOf = (desk: DeskUnderTest, id: string) =>
  desk.store.read.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

for (const { engine, database } of ENGINES) {
  const underTest = async (t: Parameters<typeof deskUnderTest>[0]) => {
    const desk = await deskUnderTest(t, database, { delivery: { ...DELIVERY_TIMES, schedule: [] } });
    const receiver = await startReceiver(t);
    const { id } = await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
    return {
      desk,
      receiver,
      id,
      row: () => rowOf(desk, id),
      /** Something is sent, after some time. */
      sendAfter: async (milliseconds: number) => {
        desk.clock.advance(milliseconds);
        await desk.change((unit) => testWebhook(unit, id));
        await desk.dispatcher.idle();
      },
    };
  };

  test(`${engine}: a webhook that is resumed while an attempt is under way is not disabled for what was before`, async (t) => {
    const { desk, receiver, id, row, sendAfter } = await underTest(t);
    receiver.behave = fail;
    for (let i = 0; i < 5; i++) await sendAfter(i === 0 ? 0 : DAY);
    assert.deepEqual(
      [(await row()).state, (await row()).failing_since],
      ["active", desk.clock.now() - 4 * DAY],
    );
    receiver.behave = async (response) => {
      await desk.change((unit) => setWebhookState(unit, id, "active"));
      response.writeHead(500).end();
    };
    await sendAfter(DAY + HOUR);
    assert.equal((await row()).state, "active");
    assert.equal(
      (await row()).failing_since,
      desk.clock.now(),
      "it was tried once more, and fails since then",
    );
  });

  test(`${engine}: a clock that was ahead for a moment neither disables a webhook nor keeps it from being disabled`, async (t) => {
    const { desk, receiver, row, sendAfter } = await underTest(t);
    receiver.behave = fail;
    await sendAfter(0);
    await sendAfter(30 * DAY);
    assert.equal((await row()).state, "active");
    await sendAfter(-30 * DAY);
    assert.deepEqual([(await row()).state, (await row()).failing_since], ["active", desk.clock.now()]);
    for (let i = 0; i < 4; i++) await sendAfter(DAY);
    assert.equal((await row()).state, "active");
    await sendAfter(DAY);
    assert.equal((await row()).state, "disabled");
  });

  test(`${engine}: a secret that was rotated by a clock that was ahead signs for a day more, and not until then`, async (t) => {
    const { desk, receiver, id, sendAfter } = await underTest(t);
    receiver.behave = accept;
    desk.clock.advance(400 * DAY);
    await desk.change((unit) => rotateSecret(unit, id));
    const signatures = () =>
      String(receiver.arrivals.at(-1)?.headers["x-service-signature"]).split(",").length;
    await sendAfter(-400 * DAY);
    assert.equal(signatures(), 2);
    await sendAfter(DAY - 1);
    assert.equal(signatures(), 2);
    await sendAfter(1);
    assert.equal(signatures(), 1);
  });
}
