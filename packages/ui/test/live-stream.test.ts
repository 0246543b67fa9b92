import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ALIVE, MAX_OPENING_MS, MAX_SILENT_MS } from "../src/kept-line.ts";
import { openLive } from "../src/live-stream.ts";

const [CONNECTING, CLOSED] = [0, 2];

/** A line to a server that does as the test says. */
class Line extends EventTarget {
  readyState = CONNECTING;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  close(): void {
    this.readyState = CLOSED;
  }
  opens(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  breaks(): void {
    this.readyState = CONNECTING;
    this.onerror?.();
  }
  isRefused(): void {
    this.readyState = CLOSED;
    this.onerror?.();
  }
  says(kind: string, data: unknown): void {
    this.dispatchEvent(Object.assign(new Event(kind), { data: JSON.stringify(data) }));
  }
}

/** A browser with tabs: one lock, one channel, and the lines that its tabs have opened. */
function browser(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
  const lines: Line[] = [];
  const statuses = { asked: 0, next: undefined as number | undefined };
  const ears = new Set<(message: unknown) => void>();
  const waiting: Array<() => void> = [];
  let isLed = false;
  const tab = () => {
    const told: unknown[] = [];
    const heard: number[] = [];
    const close = openLive(
      "/events?page_key=secret",
      ["job"],
      {
        onEvent: (kind, data) => told.push([kind, data]),
        onOpen: () => told.push("open"),
        onReopen: () => told.push("reopen"),
        onLost: (heardAt) => told.push("lost") && heard.push(heardAt),
        onRefused: () => told.push("refused"),
        onCrowded: () => told.push("crowded"),
      },
      {
        open: (url) => {
          const line = new Line(url);
          lines.push(line);
          return line as unknown as EventSource;
        },
        statusOf: async () => {
          statuses.asked++;
          return statuses.next;
        },
        channel: (name, onMessage) => {
          assert.ok(!name.includes("secret"));
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
          const take = (isSuccessor: boolean) => {
            isLed = true;
            stop = begin(isSuccessor);
          };
          const succeed = () => take(true);
          if (isLed) waiting.push(succeed);
          else take(false);
          return () => {
            if (!stop) return void waiting.splice(waiting.indexOf(succeed), 1);
            stop();
            isLed = false;
            waiting.shift()?.();
          };
        },
      },
    );
    return { told, heard: () => told.splice(0), lastHeard: () => heard.at(-1), close };
  };
  const openLines = () => lines.filter(({ readyState }) => readyState !== CLOSED);
  return { tab, lines, openLines, statuses };
}

test("eight tabs have one line, and all hear what it tells", (t) => {
  const { tab, lines } = browser(t);
  const tabs = Array.from({ length: 8 }, tab);
  lines[0]?.opens();
  lines[0]?.says("job", { id: 1 });
  assert.equal(lines.length, 1);
  for (const { heard } of tabs) assert.deepEqual(heard(), ["open", ["job", { id: 1 }]]);
});

test("when the tab that reads is closed another one reads, and every tab asks for what it has missed", (t) => {
  const { tab, lines, openLines } = browser(t);
  const [first, second, third] = [tab(), tab(), tab()];
  lines[0]?.opens();
  for (const { heard } of [first, second, third]) heard();
  first.close();
  assert.equal(openLines().length, 1);
  openLines()[0]?.opens();
  for (const { heard } of [second, third]) assert.deepEqual(heard(), ["open", "reopen"]);
  assert.deepEqual(first.heard(), []);
  second.close();
  third.close();
  assert.equal(openLines().length, 0);
});

test("a line that broke is the browser's to mend; one that was refused is opened again after a while", (t) => {
  const { tab, lines } = browser(t);
  const tabs = [tab(), tab()];
  lines[0]?.opens();
  lines[0]?.breaks();
  lines[0]?.opens();
  for (const { heard } of tabs) assert.deepEqual(heard(), ["open", "lost", "open", "reopen"]);
  lines[0]?.isRefused();
  for (const { heard } of tabs) assert.deepEqual(heard(), ["lost", "refused"]);
  assert.equal(lines.length, 1);
  t.mock.timers.tick(500);
  assert.equal(lines.length, 2);
  lines[1]?.isRefused();
  t.mock.timers.tick(999);
  assert.equal(lines.length, 2, "the second pause is longer");
  t.mock.timers.tick(1);
  lines[2]?.opens();
  for (const { heard } of tabs)
    assert.deepEqual(heard(), ["lost", "refused", "open", "reopen"], "what came meanwhile was not told");
});

test("a tab that is closed opens no line any more", (t) => {
  const { tab, lines } = browser(t);
  const only = tab();
  lines[0]?.isRefused();
  only.close();
  t.mock.timers.tick(60_000);
  assert.equal(lines.length, 1);
});

test("a line that is open but silent is lost, and opened anew", (t) => {
  const { tab, lines, openLines } = browser(t);
  const tabs = [tab(), tab()];
  lines[0]?.opens();
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  lines[0]?.says("job", { id: 1 });
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  lines[0]?.says(ALIVE, {});
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  for (const { heard } of tabs) assert.deepEqual(heard(), ["open", ["job", { id: 1 }]]);
  t.mock.timers.tick(1);
  for (const { heard, lastHeard } of tabs) {
    assert.deepEqual(heard(), ["lost"]);
    assert.equal(lastHeard(), 2 * (MAX_SILENT_MS - 1), "as of the last sign of life");
  }
  assert.deepEqual(openLines(), [lines[1]]);
  lines[1]?.opens();
  for (const { heard } of tabs) assert.deepEqual(heard(), ["open", "reopen"]);
});

test("a line that a hanging server neither opens nor refuses is opened anew, whoever opened it", (t) => {
  const { tab, lines, openLines } = browser(t);
  const only = tab();
  t.mock.timers.tick(MAX_SILENT_MS);
  assert.deepEqual(openLines(), [lines[1]]);
  lines[1]?.opens();
  lines[1]?.breaks();
  t.mock.timers.tick(MAX_SILENT_MS);
  assert.deepEqual(openLines(), [lines[2]]);
  assert.deepEqual(only.heard(), ["lost", "open", "reopen", "lost", "lost"]);
  only.close();
  t.mock.timers.tick(10 * MAX_SILENT_MS);
  assert.equal(lines.length, 3);
});

test("a tab that reads after nobody has listened is as of when something was heard last, by whichever tab", (t) => {
  const { tab, lines } = browser(t);
  const [first, second] = [tab(), tab()];
  lines[0]?.opens();
  t.mock.timers.tick(15_000);
  lines[0]?.says(ALIVE, {});
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  first.close();
  second.heard();
  const line = lines.at(-1);
  line?.breaks();
  assert.deepEqual(second.heard(), ["lost"]);
  assert.equal(second.lastHeard(), 15_000);
  line?.opens();
  assert.deepEqual(second.heard(), ["open", "reopen"]);
  second.close();
});

test("a line that is begun after a gap counts as lost if a hanging server does not open it soon", (t) => {
  const { tab, lines } = browser(t);
  const [first, second] = [tab(), tab()];
  lines[0]?.opens();
  t.mock.timers.tick(MAX_SILENT_MS - 1);
  first.close();
  second.heard();
  t.mock.timers.tick(MAX_OPENING_MS - 1);
  assert.deepEqual(second.heard(), []);
  t.mock.timers.tick(1);
  assert.deepEqual([second.heard(), second.lastHeard()], [["lost"], 0]);
  lines[1]?.opens();
  assert.deepEqual(second.heard(), ["open", "reopen"]);
  second.close();
});

for (const [status, told] of [
  [429, ["crowded"]],
  [401, []],
  [undefined, []],
] as const)
  test(`a line that is refused over and over is asked why, once: ${status ?? "no answer"}`, async (t) => {
    const { tab, lines, statuses } = browser(t);
    const [first, second] = [tab(), tab()];
    statuses.next = status;
    const refuse = async () => {
      lines.at(-1)?.isRefused();
      await Promise.resolve();
      await Promise.resolve();
      t.mock.timers.tick(10_000);
    };
    await refuse();
    assert.equal(statuses.asked, 0, "one refusal is none to ask about");
    for (const { heard } of [first, second]) heard();
    await refuse();
    for (const { heard } of [first, second])
      assert.deepEqual(
        heard().filter((each) => each === "crowded"),
        told,
      );
    await refuse();
    await refuse();
    assert.equal(statuses.asked, 1);
    lines.at(-1)?.opens();
    await refuse();
    await refuse();
    assert.equal(statuses.asked, 2, "after it was open it is asked anew");
  });
