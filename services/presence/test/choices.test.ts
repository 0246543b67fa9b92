import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { memberById } from "../src/domain/member.ts";
import { planStatus, unplanStatus } from "../src/domain/planned-status.ts";
import { clearStatus, setStatus } from "../src/domain/status.ts";
import type { Unit } from "../src/domain/unit.ts";
import { BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

const TICK_MS = 1_000;
const ticks = (max: number) => fc.integer({ min: 1, max });
const key = fc.constantFrom("focus", "remote", "in-office");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("own"), key, length: fc.option(ticks(24)) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("others"), key, length: fc.option(ticks(4), { freq: 9 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("plan"),
      key: fc.constantFrom("vacation", "sick"),
      ahead: ticks(4),
      length: ticks(12),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unplan") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear") }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait"), length: ticks(4) }) },
);
type Step = { do: string; key?: string; length?: number | null; ahead?: number };

const NESTED: Step[] = [
  { do: "own", key: "remote", length: null },
  { do: "own", key: "in-office", length: 12 },
  { do: "plan", key: "sick", ahead: 1, length: 6 },
  { do: "wait", length: 2 },
  { do: "others", key: "focus", length: 2 },
];

const COVERED: Step[] = [
  { do: "own", key: "in-office", length: 8 },
  { do: "plan", key: "sick", ahead: 1, length: 12 },
  { do: "wait", length: 2 },
  { do: "others", key: "focus", length: 1 },
  { do: "wait", length: 2 },
  { do: "unplan" },
];

interface Choice {
  readonly key: string;
  readonly end: number;
  readonly plan?: string;
}

/** What is to be shown, by the rules alone. */
function createExpected() {
  let chosen: Choice[] = [];
  let shown: Choice | undefined;
  const plans: Array<Choice & { plan: string; from: number }> = [];
  const fallBack = (now: number) => {
    shown = chosen.find(({ end }) => end > now);
  };
  return {
    own: (choice: Choice) => {
      const longer = chosen.filter(({ end }) => end > choice.end);
      while (longer[0]?.key === choice.key) longer.shift();
      chosen = [choice, ...longer];
      shown = choice;
    },
    others: (choice: Choice) => {
      shown = choice;
    },
    plan: (plan: Choice & { plan: string; from: number }) => void plans.push(plan),
    unplan: (now: number) => {
      const plan = plans.pop()?.plan;
      if (plan === undefined) return undefined;
      chosen = chosen.filter((each) => each.plan !== plan);
      if (shown?.plan === plan) fallBack(now);
      return plan;
    },
    clear: () => {
      chosen = [];
      shown = undefined;
    },
    at: (now: number) => {
      const due = plans.filter(({ from }) => from === now).sort((one, other) => other.end - one.end);
      for (const { key: begun, end, plan } of due) {
        const isOpen = (each: Choice) => each.end === Number.POSITIVE_INFINITY;
        const isWithin = chosen.some((each) => each.end > end && !isOpen(each));
        shown = { key: begun, end, plan };
        chosen = [shown, ...chosen.filter((each) => isWithin || !isOpen(each))];
      }
      if (shown !== undefined && shown.end <= now) fallBack(now);
    },
    shown: () => shown && [shown.key, shown.end === Number.POSITIVE_INFINITY ? null : shown.end],
  };
}

for (const { engine, database } of ENGINES)
  test(`${engine}: whatever is chosen, planned and set within each other comes back as long as it holds`, async () => {
    const run = async (steps: Step[]) => {
      const closers: Array<() => unknown> = [];
      const scope = lastInFirstOut({ after: (close: () => unknown) => void closers.push(close) } as never);
      try {
        const desk = await deskUnderTest(scope, database);
        const expected = createExpected();
        const bert = async () =>
          (await desk.reader.memberList(desk.orgId)).find(({ email }) => email === BERT);
        const id = (await bert())?.id as string;
        const change = <T>(work: (unit: Unit) => Promise<T>) => desk.change(work);
        const asBert = <T>(work: (unit: Unit) => Promise<T>) =>
          desk.desk.change(desk.orgId, { kind: "member", memberId: id }, work);
        const isShown = async () => {
          const member = await bert();
          const shown = member?.statusKey ? [member.statusKey, member.statusExpiresAt] : undefined;
          assert.deepEqual(shown, expected.shown());
        };
        const take = async ({ do: what, key: status = "", length, ahead = 0 }: Step) => {
          const now = desk.clock.now();
          const end = length ? now + length * TICK_MS : Number.POSITIVE_INFINITY;
          if (what === "own" || what === "others") {
            const wanted = { status, expiresAt: length ? end : null };
            const as = what === "own" ? asBert : change;
            await as(async (unit) => setStatus(unit, await memberById(unit, id), wanted));
            expected[what]({ key: status, end });
          } else if (what === "plan") {
            const from = now + ahead * TICK_MS;
            const to = from + (length ?? 0) * TICK_MS;
            const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
            const { id: plan } = await asBert(async (unit) =>
              planStatus(unit, await memberById(unit, id), { status, repeats: "never", ...times }),
            );
            expected.plan({ key: status, end: to, plan, from });
          } else if (what === "unplan") {
            const plan = expected.unplan(now);
            // What is over is forgotten by the next one that is planned.
            const isGone = (error: { code: string }) => assert.equal(error.code, "planned_not_found");
            if (plan)
              await asBert(async (unit) => unplanStatus(unit, await memberById(unit, id), plan)).catch(
                isGone,
              );
          } else if (what === "clear") {
            await asBert(async (unit) => clearStatus(unit, await memberById(unit, id)));
            expected.clear();
          } else
            for (let tick = 0; tick < (length ?? 0); tick++) {
              desk.clock.advance(TICK_MS);
              await desk.rounds.expire();
              await desk.rounds.schedule();
              expected.at(desk.clock.now());
              await isShown();
            }
        };
        for (const each of [...steps, { do: "wait", length: 28 }]) {
          await take(each);
          await isShown();
        }
      } finally {
        for (const close of closers) await close();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), run), {
      examples: [[NESTED], [COVERED]],
      numRuns: engine === "sqlite" ? 20 : 4,
      endOnFailure: true,
      includeErrorInReport: true,
    });
  });
