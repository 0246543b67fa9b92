import assert from "node:assert/strict";
import { test } from "node:test";
import { addMember, removeMember } from "../src/domain/member.ts";
import { archiveProject, createProject, renameProject } from "../src/domain/project.ts";
import { EVENT_TYPES, type EventType } from "../src/domain/resources.ts";
import { createShareLink, openShareLink, revokeShareLink } from "../src/domain/share-link.ts";
import { addStatus } from "../src/domain/vocabulary.ts";
import { createWebhook, testWebhook } from "../src/domain/webhook.ts";
import { ANNA, BERT, deskUnderTest, ENGINES, openPresence, shortcuts } from "./desk-under-test.ts";

for (const { engine, database } of ENGINES) {
  test(`${engine}: changes that share a commit go on from each other, and never from one that failed`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const before = (await desk.events()).length;
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        desk.change(async (unit) => {
          const key = `level-${unit.org.vocabulary.length}`;
          await addStatus(unit, { key, label: key, color: "#000000", emoji: "" });
          await addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" });
          if (i % 3 === 0) throw new Error("a change of mind");
          return unit.org.sequence;
        }),
      ),
    );
    const kept = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.deepEqual(
      kept.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => before + i),
    );
    assert.deepEqual(
      (await desk.events()).map(({ sequence }) => sequence),
      Array.from({ length: before + 20 }, (_, i) => i + 1),
    );
    const vocabulary = await desk.reader.vocabulary(desk.orgId);
    assert.deepEqual(
      vocabulary.slice(8).map(({ key }) => key),
      Array.from({ length: 20 }, (_, i) => `level-${8 + i}`),
    );
  });

  test(`${engine}: sequences are gapless and in the order of commits, whoever writes at once`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const other = shortcuts(await openPresence(t, desk.databaseUrl, desk.clock), desk.orgId);
    const token = await desk.token();
    const statuses = ["focus", "remote", "away", "sick", "levitating"];
    // A reader that follows the feed while it grows must never have to look back.
    let last = 0;
    let done = false;
    const follow = async () => {
      while (!done) {
        const { items } = await desk.reader.events(desk.orgId, last, 1_000);
        for (const event of items) assert.equal(event.sequence, ++last, "no gap, ever");
        await new Promise((next) => setImmediate(next));
      }
    };
    const following = follow();
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const copy = i % 2 === 0 ? desk : other;
        return i % 4 < 2
          ? copy.call(token, "POST", `members/${i % 8 < 4 ? ANNA : BERT}/status`, { status: statuses[i % 5] })
          : copy.call(token, "POST", `members/${ANNA}/todos`, { text: `T${i}` });
      }),
    );
    done = true;
    await following;
    assert.equal(replies.filter(({ status }) => status === 422).length, 20, "the refused ones leave no gap");
    const events = await desk.events();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, i) => i + 1),
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
    assert.equal(events.filter(({ type }) => type === "todo.created").length, 100);
    for (const email of [ANNA, BERT]) {
      const told = events.filter(
        ({ type, data }) => type === "member.status.changed" && data.status.member.email === email,
      );
      const chain = told.map(({ data }) => [data.previous.status, data.status.status]);
      chain.reduce((before, [previous, next]) => {
        assert.equal(previous, before, "each event begins where the one before it ended");
        return next;
      }, "available");
    }
  });

  test(`${engine}: opening a share link is told, until it is revoked`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const { token, link } = await desk.change((unit) => createShareLink(unit, { kind: "board" }));
    await desk.change((unit) => openShareLink(unit, token));
    assert.deepEqual((await desk.events()).at(-1)?.data, {
      shareLink: { id: link.id, kind: "board", projectId: null, createdAt: "2026-01-01T00:00:00.000Z" },
    });
    await desk.change((unit) => revokeShareLink(unit, link.id));
    await assert.rejects(
      desk.change((unit) => openShareLink(unit, token)),
      { code: "share_link_not_found" },
    );
    await assert.rejects(
      desk.change((unit) => openShareLink(unit, "guess")),
      { code: "share_link_not_found" },
    );
    await assert.rejects(
      desk.change((unit) => createShareLink(unit, { kind: "project", projectId: "none" })),
      { code: "project_not_found" },
    );
  });

  test(`${engine}: each of the fifteen types is told by what causes it, and by nothing else`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    let last = (await desk.events()).length;
    const told = async (work: () => Promise<unknown>): Promise<string[]> => {
      await work();
      const types = (await desk.events()).slice(last).map(({ type }) => type);
      last += types.length;
      return types;
    };
    const any = { "if-match": "*" };
    const { body: todo } = await desk.call(token, "POST", `members/${ANNA}/todos`, { text: "a" });
    last++;
    const path = `todos/${todo.id}`;
    const patch = (body: object) => () => desk.call(token, "PATCH", path, body, any);
    const project = await desk.change((unit) => createProject(unit, "P"));
    last++;
    const { token: link } = await desk.change((unit) => createShareLink(unit, { kind: "board" }));
    const hook = await desk.change((unit) => createWebhook(unit, { url: "https://x.example/", events: [] }));
    const causes: Array<[EventType, () => Promise<unknown>]> = [
      ["todo.created", () => desk.call(token, "POST", `members/${ANNA}/todos`, { text: "b" })],
      ["todo.updated", patch({ text: "c" })],
      ["todo.completed", () => desk.call(token, "POST", `${path}/complete`)],
      ["todo.uncompleted", () => desk.call(token, "POST", `${path}/uncomplete`)],
      ["todo.archived", patch({ archived: true })],
      ["todo.reordered", patch({ position: 7 })],
      ["todo.deleted", () => desk.call(token, "DELETE", path)],
      [
        "member.status.changed",
        () => desk.call(token, "POST", `members/${ANNA}/status`, { status: "focus" }),
      ],
      [
        "member.joined",
        () => desk.change((unit) => addMember(unit, { email: "c@example.org", name: "", role: "member" })),
      ],
      ["member.left", () => desk.change((unit) => removeMember(unit, "c@example.org"))],
      ["project.created", () => desk.change((unit) => createProject(unit, "Q"))],
      ["project.updated", () => desk.change((unit) => renameProject(unit, project.id, "R"))],
      ["project.archived", () => desk.change((unit) => archiveProject(unit, project.id, true))],
      ["share_link.accessed", () => desk.change((unit) => openShareLink(unit, link))],
      ["webhook.test", () => desk.change((unit) => testWebhook(unit, hook.id))],
    ];
    for (const [type, work] of causes) assert.deepEqual(await told(work), [type]);
    assert.deepEqual(causes.map(([type]) => type).sort(), [...EVENT_TYPES].sort());
  });

  test(`${engine}: a webhook's test is an event like any other`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const webhook = await desk.change((unit) =>
      createWebhook(unit, { url: "https://x.example/", events: [] }),
    );
    await desk.change((unit) => testWebhook(unit, webhook.id));
    const { type, data } = (await desk.events()).at(-1) ?? {};
    assert.deepEqual(
      [type, data],
      ["webhook.test", { webhook: { id: webhook.id, url: "https://x.example" } }],
    );
  });

  test(`${engine}: the feed tells everything after a sequence, in pages, to those with the scope`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    for (let i = 0; i < 5; i++) {
      await desk.change((unit) => addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" }));
    }
    const first = (await desk.call(token, "GET", "events?limit=4")).body;
    assert.deepEqual([first.data.length, first.nextCursor, first.lastSequence], [4, "4", 7]);
    const second = (await desk.call(token, "GET", `events?after=${first.nextCursor}`)).body;
    assert.deepEqual(
      [second.data.map(({ sequence }: { sequence: number }) => sequence), second.nextCursor],
      [[5, 6, 7], null],
    );
    const { id, data, ...rest } = second.data[0];
    assert.match(id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    assert.equal(data.member.email, "m2@example.org");
    assert.deepEqual(rest, {
      type: "member.joined",
      sequence: 5,
      orgSlug: "acme",
      occurredAt: "2026-01-01T00:00:00.000Z",
      source: "cli",
    });
    assert.deepEqual((await desk.call(token, "GET", "events?after=7")).body.data, []);
    // Heard before a backup was put back: what comes now has these sequences, and is other than that.
    const ahead = await desk.call(token, "GET", "events?after=8");
    assert.deepEqual([ahead.status, ahead.body.code, ahead.body.resumeAfter], [410, "events_gone", 7]);
    for (const after of ["-1", "x", "99999999999999999999"]) {
      assert.equal((await desk.call(token, "GET", `events?after=${after}`)).status, 422, after);
    }
  });
}
