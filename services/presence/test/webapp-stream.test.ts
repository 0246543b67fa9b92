import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ALIVE, MAX_SILENT_MS } from "@frontdesk/ui/kept-line";
import type { LineHandlers, StreamEvent, StreamOptions } from "../webapp/src/shared-stream.ts";
import { openSharedStream } from "../webapp/src/shared-stream.ts";

/** A browser with tabs: one lock, one channel, and the lines that its tabs have open. */
function browser(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
  const lines: Array<{ url: string; handlers: LineHandlers; isOpen: boolean }> = [];
  const ears = new Set<(message: unknown) => void>();
  const waiting: Array<() => void> = [];
  let isLed = false;
  const tab = (after: number, more: Partial<StreamOptions> = {}) => {
    const told: StreamEvent[] = [];
    const states: string[] = [];
    let missed = 0;
    let heard = 0;
    const close = openSharedStream(
      {
        name: "acme",
        url: (at) => `stream?after=${at}`,
        kinds: ["status"],
        after,
        onEvent: (event) => told.push(event),
        onState: (state) => states.push(state),
        onRefused: () => states.push("refused"),
        onMissed: () => missed++,
        onHeard: () => heard++,
        ...more,
      },
      {
        open: (url, _kinds, handlers) => {
          const line = { url, handlers, isOpen: true };
          lines.push(line);
          return {
            close: () => {
              line.isOpen = false;
            },
          };
        },
        channel: (_name, onMessage) => {
          ears.add(onMessage);
          return {
            post: (message) => {
              for (const ear of ears) if (ear !== onMessage) ear(structuredClone(message));
            },
            close: () => ears.delete(onMessage),
          };
        },
        lead: (_name, begin) => {
          let stop: (() => void) | undefined;
          const take = () => {
            isLed = true;
            stop = begin(false);
          };
          if (isLed) waiting.push(take);
          else take();
          return () => {
            if (!stop) return void waiting.splice(waiting.indexOf(take), 1);
            stop();
            isLed = false;
            waiting.shift()?.();
          };
        },
      },
    );
    const counts = { missed: () => missed, heard: () => heard };
    return { told, ids: () => told.map(({ id }) => id), states, ...counts, close };
  };
  const openLines = () => lines.filter(({ isOpen }) => isOpen);
  const say = (id: number) => openLines()[0]?.handlers.onEvent({ kind: "status", data: { id }, id });
  return { tab, lines, openLines, say };
}

test("eight tabs have one line, and all hear all of it in its order", (t) => {
  const { tab, openLines, say } = browser(t);
  const tabs = Array.from({ length: 8 }, () => tab(10));
  assert.equal(openLines().length, 1);
  assert.equal(openLines()[0]?.url, "stream?after=10");
  for (const id of [11, 12, 14]) say(id);
  for (const { ids } of tabs) assert.deepEqual(ids(), [11, 12, 14]);
});

test("when the tab with the line is closed, another goes on behind the last event", (t) => {
  const { tab, openLines, say } = browser(t);
  const [first, second, third] = [tab(10), tab(10), tab(10)];
  say(11);
  say(12);
  first.close();
  assert.deepEqual(
    openLines().map(({ url }) => url),
    ["stream?after=12"],
  );
  // The server may tell the last one again.
  say(12);
  say(13);
  assert.deepEqual(second.ids(), [11, 12, 13]);
  assert.deepEqual(third.ids(), [11, 12, 13]);
  assert.deepEqual(first.ids(), [11, 12]);
});

test("a tab whose board is older than what the stream has told asks for it anew; a newer one does not", (t) => {
  const { tab, say } = browser(t);
  tab(10);
  say(11);
  say(12);
  assert.equal(tab(10).missed(), 1);
  const newer = tab(13);
  assert.equal(newer.missed(), 0);
  say(13);
  say(14);
  assert.deepEqual(newer.ids(), [14], "what its board has in it already is not told");
});

test("a line that broke is the browser's to mend; one that was refused is opened again, behind the last event", (t) => {
  const { tab, lines, openLines, say } = browser(t);
  const [leader, other] = [tab(10), tab(10)];
  say(11);
  lines[0]?.handlers.onError(false);
  assert.equal(lines.length, 1);
  assert.deepEqual(leader.states, ["lost"]);
  lines[0]?.handlers.onOpen();
  lines[0]?.handlers.onError(true);
  assert.equal(openLines().length, 0);
  t.mock.timers.tick(500);
  assert.deepEqual(
    openLines().map(({ url }) => url),
    ["stream?after=11"],
  );
  openLines()[0]?.handlers.onOpen();
  assert.deepEqual(leader.states, ["lost", "open", "lost", "refused", "open"]);
  assert.deepEqual(other.states, ["open", ...leader.states]);
});

test("a line that is refused again and again, for too many who watch, is tried after growing pauses, by one tab", (t) => {
  const { tab, lines, openLines, say } = browser(t);
  const [leader, other] = [tab(10), tab(10)];
  const pauses: number[] = [];
  for (let refusal = 0; refusal < 8; refusal++) {
    openLines()[0]?.handlers.onError(true);
    const refusedAt = Date.now();
    const before = lines.length;
    while (lines.length === before) t.mock.timers.tick(100);
    pauses.push(Date.now() - refusedAt);
  }
  assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  assert.equal(openLines().length, 1);
  openLines()[0]?.handlers.onOpen();
  say(11);
  for (const { states, ids } of [leader, other]) {
    assert.deepEqual([states.at(-1), ids()], ["open", [11]]);
  }
  openLines()[0]?.handlers.onError(true);
  t.mock.timers.tick(500);
  assert.equal(openLines().length, 1, "soon again after it was open");
});

test("a tab that comes while the line is lost is told so", (t) => {
  const { tab, lines } = browser(t);
  tab(10);
  lines[0]?.handlers.onError(false);
  assert.deepEqual(tab(10).states, ["lost"]);
});

test("a tab that is closed hears nothing more, and waits for no line", (t) => {
  const { tab, openLines, say } = browser(t);
  const [first, second] = [tab(10), tab(10)];
  second.close();
  say(11);
  assert.deepEqual(second.ids(), []);
  first.close();
  assert.equal(openLines().length, 0);
});

test("after a reset every tab goes on from there, also where a backup was brought back", (t) => {
  const { tab, openLines, say } = browser(t);
  const tabs = [tab(10_000), tab(10_000)];
  openLines()[0]?.handlers.onEvent({ kind: "reset", data: {}, id: 9_000 });
  say(9_001);
  for (const { ids } of tabs) assert.deepEqual(ids(), [9_000, 9_001]);
  tabs[0]?.close();
  assert.deepEqual(
    openLines().map(({ url }) => url),
    ["stream?after=9001"],
  );
});

test("a tab that comes later is told of which revision the organisation is", (t) => {
  const { tab, openLines } = browser(t);
  tab(10);
  const told = (kind: string, data: object) =>
    openLines()[0]?.handlers.onEvent({ kind, data, id: undefined });
  told("hello", { version: "1", revision: "a" });
  told("changed", { revision: "b" });
  assert.deepEqual(tab(10).told, [{ kind: "hello", data: { version: "1", revision: "b" }, id: undefined }]);
});

test("a line that is open but silent is lost as of its last sign of life, and goes on behind the last event", (t) => {
  const { tab, lines, openLines, say } = browser(t);
  const heard: Array<number | undefined> = [];
  const [leader, other] = [tab(10), tab(10, { onState: (_state, heardAt) => heard.push(heardAt) })];
  lines[0]?.handlers.onOpen();
  say(11);
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  lines[0]?.handlers.onEvent({ kind: ALIVE, data: {}, id: undefined });
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  assert.deepEqual(leader.states, ["open"]);
  t.mock.timers.tick(1);
  assert.deepEqual(leader.states, ["open", "lost"]);
  assert.equal(heard.at(-1), MAX_SILENT_MS - 1);
  assert.deepEqual(
    openLines().map(({ url }) => url),
    ["stream?after=11"],
  );
  assert.deepEqual(leader.ids(), [11], "a sign of life is no event");
  assert.deepEqual([leader.heard(), other.heard()], [3, 2]);
  assert.deepEqual(other.ids(), [11]);
});

test("a tab that reads after nobody has listened is as of when something was heard last, by whichever tab", (t) => {
  const { tab, lines } = browser(t);
  const lostAt: Array<number | undefined> = [];
  const first = tab(10);
  const second = tab(10, { onState: (state, heardAt) => state === "lost" && lostAt.push(heardAt) });
  lines[0]?.handlers.onOpen();
  t.mock.timers.tick(15_000);
  lines[0]?.handlers.onEvent({ kind: ALIVE, data: {}, id: undefined });
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  first.close();
  lines[1]?.handlers.onError(false);
  assert.deepEqual(lostAt, [15_000]);
  second.close();
});
