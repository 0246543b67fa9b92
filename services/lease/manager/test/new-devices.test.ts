import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventPage, LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import type { Query } from "../src/domain/engine.ts";
import { createNewDevices, MAX_DEVICES } from "../src/domain/new-devices.ts";

const DAY_MS = 86_400_000;
const NOON = 10 * DAY_MS + DAY_MS / 2;

/** A history that answers as the engine does, and a clock that stands until it is moved. */
function house() {
  const history: LeaseEvent[] = [];
  let now = NOON;
  const happened = (mac: string, at: number, type: LeaseEvent["type"] = "grant") => {
    const event = { id: history.length + 1, at: new Date(at).toISOString(), type, mac, ip: "10.0.0.1" };
    history.push({ ...event, hostname: null } as LeaseEvent);
    return history.at(-1) as LeaseEvent;
  };
  const events = async ({ mac, to, after, limit }: Query): Promise<EventPage> => {
    const fits = history.filter(
      (event) =>
        (!mac || event.mac === mac) &&
        (!to || event.at <= String(to)) &&
        (after === undefined || event.id > Number(after)),
    );
    const ordered = after === undefined ? fits.toReversed() : fits;
    const items = ordered.slice(0, Number(limit));
    return {
      items,
      next_cursor: ordered.length > items.length ? (items.at(-1)?.id ?? null) : null,
      last: history.length,
    };
  };
  const devices = createNewDevices({
    engine: { events },
    now: () => now,
    dayOf: (time) => Math.floor(time / DAY_MS) * DAY_MS,
  });
  return {
    devices,
    happened,
    setNow: (time: number) => {
      now = time;
    },
  };
}

const macs = ({ devices }: ReturnType<typeof house>) => devices.today.items.map(({ mac }) => mac);

test("who got an address today and never before is new; who was here before is not", async () => {
  const it = house();
  it.happened("old", NOON - 3 * DAY_MS);
  it.happened("old", NOON - 1000);
  it.happened("new", NOON - 900);
  it.happened("refused", NOON - 800, "refusal");
  await it.devices.catchUp();
  assert.deepEqual(macs(it), ["new"]);
  assert.equal(it.devices.today.count, 1);
});

test("what happens is counted as it happens, once for each device, the newest first", async () => {
  const it = house();
  for (const mac of ["a", "b", "a"]) await it.devices.hear(it.happened(mac, NOON));
  assert.deepEqual(macs(it), ["b", "a"]);
});

test("a day that begins, begins with none; yesterday's are known", async () => {
  const it = house();
  await it.devices.hear(it.happened("a", NOON));
  it.setNow(NOON + DAY_MS);
  assert.equal(it.devices.today.count, 0);
  await it.devices.hear(it.happened("a", NOON + DAY_MS));
  await it.devices.hear(it.happened("b", NOON + DAY_MS));
  assert.deepEqual(macs(it), ["b"]);
});

test("a history of more than a page is read to its end", async () => {
  const it = house();
  for (let n = 0; n < 2500; n++) it.happened(`device ${n}`, NOON - 5000 + n);
  await it.devices.catchUp();
  assert.equal(it.devices.today.count, 2500);
  assert.equal(it.devices.today.items.length, 50);
});

test("of a client that makes up hardware addresses a bound is counted, and the engine is asked no more", async () => {
  let asked = 0;
  const devices = createNewDevices({
    engine: {
      events: async () => {
        asked++;
        return { items: [], next_cursor: null, last: 0 };
      },
    },
    now: () => NOON,
    dayOf: () => NOON - DAY_MS / 2,
  });
  const grant = { type: "grant", at: new Date(NOON).toISOString(), ip: "10.0.0.1", hostname: null };
  for (let n = 0; n < MAX_DEVICES + 10; n++)
    await devices.hear({ ...grant, mac: `device ${n}` } as LeaseEvent);
  assert.deepEqual([devices.today.count, asked], [MAX_DEVICES, MAX_DEVICES]);
});

test("what is no event is refused at once: nobody waits for what comes of it", () => {
  const { devices } = house();
  for (const told of [null, { type: "grant", mac: "02:00:00:00:00:01", at: { valueOf: 0, toString: 0 } }])
    assert.throws(() => devices.hear(told as never), TypeError);
});
