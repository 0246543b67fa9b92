import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Bound,
  createStreamCounts,
  guestBounds,
  MAX_GUEST_STREAMS,
  MAX_GUEST_STREAMS_PER_ORG,
  MAX_STREAMS,
  MAX_STREAMS_PER_LINK,
  MAX_STREAMS_PER_LINK_AND_HOST,
  MAX_STREAMS_PER_PERSON,
  MAX_STREAMS_PER_SESSION,
  sessionBounds,
} from "../src/http/stream-bounds.ts";

const ANY = { end: () => {}, isUndrained: () => false };

/** Opens streams until one is refused, or ends another one. */
function open() {
  const counts = createStreamCounts();
  const releases: Array<() => void> = [];
  const ended: number[] = [];
  const undrained = new Set<number>();
  const until = (boundsOf: (index: number) => readonly Bound[]): number => {
    for (let opened = 0; ; opened++) {
      try {
        const before = ended.length;
        const stream = { end: () => ended.push(opened), isUndrained: () => undrained.has(opened) };
        releases.push(counts.take(boundsOf(opened), stream));
        if (ended.length > before) return opened;
      } catch (error) {
        assert.equal((error as { code: string }).code, "too_many_streams");
        return opened;
      }
    }
  };
  const closeAll = () => {
    for (const release of releases.splice(0)) release();
  };
  return { until, closeAll, counts, ended, undrained };
}

test("whoever has a link keeps no screen out that comes from elsewhere, nor those of another link", () => {
  const { until } = open();
  assert.equal(
    until(() => guestBounds("acme", "lobby", "192.0.2.1")),
    MAX_STREAMS_PER_LINK_AND_HOST,
  );
  assert.equal(
    until(() => guestBounds("acme", "lobby", "192.0.2.2")),
    MAX_STREAMS_PER_LINK_AND_HOST,
  );
  assert.equal(
    until(() => guestBounds("acme", "canteen", "192.0.2.1")),
    MAX_STREAMS_PER_LINK_AND_HOST,
  );
});

test("a link, and the links of an organisation together, have so many streams and leave the rest to others", () => {
  const { until } = open();
  assert.equal(
    until((index) => guestBounds("acme", "lobby", `host ${index}`)),
    MAX_STREAMS_PER_LINK,
  );
  assert.equal(
    until((index) => guestBounds("acme", `link ${index}`, `host ${index}`)),
    MAX_GUEST_STREAMS_PER_ORG - MAX_STREAMS_PER_LINK,
  );
  assert.equal(
    until((index) => guestBounds("other", `other ${index}`, "192.0.2.1")),
    MAX_GUEST_STREAMS_PER_ORG,
  );
});

test("however many come by share links, people who are signed in find room", () => {
  const { until, closeAll, counts } = open();
  assert.equal(
    until((index) => guestBounds(`org ${index}`, `link ${index}`, "192.0.2.1")),
    MAX_GUEST_STREAMS,
  );
  assert.equal(
    until(() => sessionBounds("anna", "session")),
    MAX_STREAMS_PER_SESSION,
  );
  assert.equal(
    until((index) => sessionBounds(`person ${index}`, `session ${index}`)),
    MAX_STREAMS - MAX_GUEST_STREAMS - MAX_STREAMS_PER_SESSION,
  );
  closeAll();
  assert.equal(counts.size(), 0, "of those that have ended nothing is kept");
});

test("one more of a person ends their oldest, whose network may have gone down", () => {
  for (const [boundsOf, expected] of [
    [() => sessionBounds("anna", "session"), MAX_STREAMS_PER_SESSION],
    [(index: number) => sessionBounds("anna", `session ${index}`), MAX_STREAMS_PER_PERSON],
  ] as const) {
    const { until, ended, counts } = open();
    const max = until(boundsOf);
    assert.equal(max, expected);
    assert.deepEqual(ended.splice(0), [0]);
    for (let next = 1; next < max; next++) counts.take(boundsOf(max + next), ANY);
    assert.deepEqual(ended.splice(0), [...Array(max).keys()].slice(1), "each one once, in their order");
  }
});

test("one more by a link from the same address is refused, and ends only one whose reader takes nothing", () => {
  const { until, ended, undrained, counts } = open();
  const boundsOf = () => guestBounds("acme", "lobby", "192.0.2.1");
  assert.equal(until(boundsOf), MAX_STREAMS_PER_LINK_AND_HOST);
  assert.deepEqual(ended, []);
  undrained.add(7);
  counts.take(boundsOf(), ANY);
  assert.deepEqual(ended, [7]);
  assert.throws(() => counts.take(boundsOf(), ANY), { code: "too_many_streams", retryAfterSeconds: 60 });
  const crowded = open();
  crowded.until((index) => guestBounds("acme", "lobby", `host ${index}`));
  assert.throws(() => crowded.counts.take(boundsOf(), ANY), { code: "too_many_streams" });
  assert.deepEqual(crowded.ended, []);
});
