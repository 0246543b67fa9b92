import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addMember, removeMember } from "../src/domain/member.ts";
import { archiveProject, createProject, renameProject } from "../src/domain/project.ts";
import { createWebhook } from "../src/domain/webhook.ts";
import {
  callApi,
  type DeskUnderTest,
  deskUnderTest,
  ENGINES,
  openPresence,
  type Reply,
} from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";
import { createRebuiltState, stateByApi } from "./rebuilt-state.ts";
import { startReceiver } from "./receiver.ts";

const INTEGRATIONS = ["hr", "calendar", "badge"];
const PEOPLE = ["anna@example.org", "bert@example.org", "cleo@example.org"];
const STATUSES = ["available", "focus", "remote", "sick", "levitating"];

const pick = (most: number) => fc.nat({ max: most - 1 });
const who = { by: pick(3), member: pick(3) };

/** Everything that can be done, by several integrations and by the people at the desk. */
const fields = {
  text: fc.constantFrom("a", "b"),
  done: fc.boolean(),
  archived: fc.boolean(),
  position: fc.integer({ min: 0, max: 5 }),
  externalUrl: fc.constantFrom("https://x.example", null),
};
const patchBody = fc.oneof(
  ...Object.entries(fields).map(([name, value]) => fc.record({ [name]: value as fc.Arbitrary<unknown> })),
  fc.record(fields, { requiredKeys: [] }),
);
const expiry = fc.option(fc.integer({ min: 1, max: 5_000 }));
const always = <const T extends string>(...words: T[]) => fc.constantFrom(...words);
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: always("set"), ...who, status: pick(5), expiresInMs: expiry }) },
  { weight: 1, arbitrary: fc.record({ do: always("batch"), ...who, status: pick(5), other: pick(3) }) },
  { weight: 1, arbitrary: fc.record({ do: always("clear"), ...who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: always("create"),
      ...who,
      ref: fc.option(pick(4)),
      text: fc.string({ minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: always("patch"),
      by: who.by,
      todo: fc.nat(),
      stale: fc.boolean(),
      body: patchBody,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: always("complete", "uncomplete", "delete"), by: who.by, todo: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ do: always("ref"), ...who, ref: pick(3) }) },
  { weight: 1, arbitrary: fc.record({ do: always("join", "leave"), member: pick(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: always("project"), name: always("x", "y"), archive: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: always("wait"), ms: fc.integer({ min: 1, max: 3_000 }) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Answers that a request may get, whatever the others do at the same time. */
const POSSIBLE: Readonly<Record<string, readonly number[]>> = {
  set: [200, 404, 422],
  batch: [200],
  clear: [200, 404],
  create: [200, 201, 404, 422],
  patch: [200, 404, 412, 422],
  complete: [200, 404],
  uncomplete: [200, 404],
  delete: [204, 404],
  ref: [200, 404, 409],
};

for (const { engine, database } of ENGINES) {
  test(`${engine}: whatever is done in whatever order, the API, the event log and a receiver agree`, async () => {
    const run = async (rounds: Operation[][]) => {
      const closers: Array<() => unknown> = [];
      const scope = lastInFirstOut({ after: (close: () => unknown) => void closers.push(close) } as never);
      try {
        await check(await deskUnderTest(scope, database), scope, rounds);
      } finally {
        for (const close of closers) await close();
      }
    };
    const property = fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 20 }),
      run,
    );
    await fc.assert(property, {
      numRuns: engine === "sqlite" ? 10 : 6,
      endOnFailure: true,
      includeErrorInReport: true,
    });
  });
}

async function check(
  desk: DeskUnderTest,
  scope: ReturnType<typeof lastInFirstOut>,
  rounds: Operation[][],
): Promise<void> {
  const receiver = await startReceiver(scope);
  const rebuilt = { receiver: createRebuiltState(), log: createRebuiltState() };
  let count = 0;
  receiver.behave = (response, { body }) => {
    const fails = count++ % 4 === 0;
    if (!fails) rebuilt.receiver.apply(body);
    response.writeHead(fails ? 500 : 200).end();
  };
  const other = await openPresence(scope, desk.databaseUrl, desk.clock);
  const copies = [desk, other];
  const tokens = await Promise.all(INTEGRATIONS.map((name) => desk.token(name)));
  for (const event of await desk.events()) rebuilt.receiver.apply(event);
  await desk.change((unit) => createWebhook(unit, { url: receiver.url, events: [] }));
  const todos: Array<{ id: string; etag: string }> = [];
  let turn = 0;

  const call = (by: number, method: string, path: string, body?: unknown, headers?: object) =>
    callApi(copies[turn++ % 2] as DeskUnderTest, tokens[by] as string, method, path, body, headers);
  const remember = (reply: Reply): Reply => {
    if (reply.body?.id) todos.push({ id: reply.body.id, etag: String(reply.headers.etag) });
    return reply;
  };
  const known = (i: number) => todos[i % Math.max(1, todos.length)] ?? { id: "none", etag: '"none"' };

  async function perform(step: Operation): Promise<Reply | undefined> {
    switch (step.do) {
      case "set": {
        const expiresAt =
          step.expiresInMs === null ? null : new Date(desk.clock.now() + step.expiresInMs).toISOString();
        return call(step.by, "POST", `members/${PEOPLE[step.member]}/status`, {
          status: STATUSES[step.status],
          expiresAt,
        });
      }
      case "batch": {
        const items = [step.member, step.other].map((i) => ({
          email: PEOPLE[i],
          status: STATUSES[step.status],
        }));
        return call(step.by, "POST", "members/status:batch", { items });
      }
      case "clear":
        return call(step.by, "DELETE", `members/${PEOPLE[step.member]}/status`);
      case "create": {
        const external = step.ref === null ? {} : { externalSystem: "s", externalRef: `r${step.ref}` };
        return remember(
          await call(step.by, "POST", `members/${PEOPLE[step.member]}/todos`, {
            text: step.text,
            ...external,
          }),
        );
      }
      case "patch": {
        const { id, etag } = known(step.todo);
        return remember(
          await call(step.by, "PATCH", `todos/${id}`, step.body, { "if-match": step.stale ? etag : "*" }),
        );
      }
      case "complete":
      case "uncomplete":
        return remember(await call(step.by, "POST", `todos/${known(step.todo).id}/${step.do}`));
      case "delete":
        return call(step.by, "DELETE", `todos/${known(step.todo).id}`);
      case "ref":
        return call(step.by, "PUT", `members/${PEOPLE[step.member]}/external-ref`, {
          externalRef: `r${step.ref}`,
        });
      case "join":
      case "leave": {
        const email = PEOPLE[step.member] as string;
        const work = desk.change<unknown>((unit) =>
          step.do === "join"
            ? addMember(unit, { email, name: email, role: "member" })
            : removeMember(unit, email),
        );
        await work.catch((error) => assert.match(error.code, /^member_(exists|not_found)$/));
        return undefined;
      }
      case "project": {
        await desk.change(async (unit) => {
          const { id } = await createProject(unit, "new");
          await renameProject(unit, id, step.name);
          if (step.archive) await archiveProject(unit, id, true);
        });
        return undefined;
      }
      case "wait":
        desk.clock.advance(step.ms);
        await Promise.all(copies.map(({ rounds: each }) => each.expire()));
        return undefined;
    }
  }

  for (const steps of rounds) {
    await Promise.all(
      steps.map(async (step) => {
        const reply = await perform(step);
        if (reply)
          assert.ok(POSSIBLE[step.do]?.includes(reply.status), `${JSON.stringify(step)}: ${reply.status}`);
      }),
    );
    await Promise.all(copies.map(({ dispatcher }) => dispatcher.idle()));
  }
  await Promise.all(copies.map(({ rounds: each }) => each.expire()));
  const pending = () =>
    desk.store.read.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
  do {
    await desk.dispatcher.idle();
    desk.clock.advance(25 * 3_600_000);
    await desk.rounds.expire();
    await desk.dispatcher.idle();
  } while ((await pending()).length > 0);

  const events = await desk.events();
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, i) => i + 1),
  );
  for (const event of events) rebuilt.log.apply(event);
  const token = tokens[0] as string;
  const api = await stateByApi(async (path) => (await desk.call(token, "GET", path)).body);
  assert.deepEqual(rebuilt.log.state(), api, "the event log and the API");
  assert.deepEqual(rebuilt.receiver.state(), api, "the receiver and the API");
}
