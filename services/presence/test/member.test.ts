import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { addMember, removeMember } from "../src/domain/member.ts";
import { archiveProject, createProject, renameProject } from "../src/domain/project.ts";
import { ANNA, BERT, deskUnderTest, ENGINES } from "./desk-under-test.ts";

for (const { engine, database } of ENGINES) {
  test(`${engine}: members are listed page by page, each with its face and the caller's own reference`, async (t) => {
    const desk = await deskUnderTest(t, database);
    for (let i = 0; i < 5; i++) {
      await desk.change((unit) =>
        addMember(unit, { email: ` Person${i}@Example.org `, name: `P${i}`, role: "member" }),
      );
    }
    const token = await desk.token("badge");
    await desk.call(token, "PUT", `members/${BERT}/external-ref`, { externalRef: "badge 9/9" });
    const seen = [];
    let path = "members?limit=3";
    for (;;) {
      const { body } = await desk.call(token, "GET", path);
      seen.push(...body.data);
      if (body.nextCursor === null) break;
      assert.equal(body.data.length, 3);
      path = `members?limit=3&cursor=${body.nextCursor}`;
    }
    assert.deepEqual(
      seen.map(({ email, externalRef }) => [email, externalRef]),
      [[ANNA, null], [BERT, "badge 9/9"], ...[0, 1, 2, 3, 4].map((i) => [`person${i}@example.org`, null])],
    );
    const hash = createHash("sha256").update(ANNA).digest("hex");
    assert.equal(seen[0].avatarUrl, `http://avatar.example/${hash}`);
    assert.deepEqual(Object.keys(seen[0]).sort(), [
      "avatarUrl",
      "email",
      "externalRef",
      "id",
      "joinedAt",
      "name",
      "status",
    ]);
  });

  test(`${engine}: a member answers to the caller's reference on every path, and to nobody else's`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const [badge, hr] = [await desk.token("badge"), await desk.token("hr")];
    const ref = "ä/7 ?#";
    const path = `members/by-external-ref/${encodeURIComponent(ref)}`;
    assert.equal((await desk.call(badge, "GET", path)).status, 404);
    const set = await desk.call(
      badge,
      "PUT",
      `members/${encodeURIComponent("Anna@Example.ORG")}/external-ref`,
      {
        externalRef: ref,
      },
    );
    assert.deepEqual([set.status, set.body.externalRef], [200, ref]);
    assert.equal((await desk.call(badge, "GET", path)).body.email, ANNA);
    assert.equal((await desk.call(hr, "GET", path)).status, 404, "references are each integration's own");
    assert.equal(
      (await desk.call(badge, "POST", `${path}/status`, { status: "sick" })).body.member.externalRef,
      ref,
    );
    assert.equal((await desk.call(hr, "GET", `members/${ANNA}/status`)).body.member.externalRef, null);
    assert.equal((await desk.call(badge, "DELETE", `${path}/status`)).status, 200);
    assert.equal((await desk.call(badge, "POST", `${path}/todos`, { text: "by ref" })).status, 201);
    assert.equal((await desk.call(badge, "GET", `${path}/todos`)).body.data.length, 1);

    const taken = await desk.call(badge, "PUT", `members/${BERT}/external-ref`, { externalRef: ref });
    assert.deepEqual([taken.status, taken.body.code], [409, "external_ref_taken"]);
    assert.equal(
      (await desk.call(hr, "PUT", `members/${BERT}/external-ref`, { externalRef: ref })).status,
      200,
    );
    assert.equal((await desk.call(badge, "PUT", `${path}/external-ref`, { externalRef: "new" })).status, 200);
    assert.equal(
      (await desk.call(badge, "GET", path)).status,
      404,
      "a member has one reference per integration",
    );
    assert.equal(
      (await desk.call(badge, "PUT", `members/${ANNA}/external-ref`, { externalRef: null })).status,
      200,
    );
    assert.equal((await desk.call(badge, "GET", "members/by-external-ref/new")).status, 404);
  });

  test(`${engine}: members join and leave with what is theirs, and both is told`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const token = await desk.token();
    const { body: todo } = await desk.call(token, "POST", `members/${BERT}/todos`, { text: "pack" });
    await desk.call(token, "PUT", `members/${BERT}/external-ref`, { externalRef: "B" });
    await desk.change((unit) => removeMember(unit, BERT.toUpperCase()));
    assert.equal((await desk.call(token, "GET", `members/${BERT}`)).status, 404);
    assert.equal((await desk.call(token, "GET", `todos/${todo.id}`)).status, 404);
    assert.equal((await desk.call(token, "GET", "members/by-external-ref/B/status")).status, 404);
    await assert.rejects(
      desk.change((unit) => removeMember(unit, BERT)),
      { code: "member_not_found" },
    );
    await desk.change((unit) => addMember(unit, { email: BERT, name: "", role: "member" }));
    await assert.rejects(
      desk.change((unit) => addMember(unit, { email: BERT, name: "", role: "member" })),
      {
        code: "member_exists",
      },
    );
    await assert.rejects(
      desk.change((unit) => addMember(unit, { email: "no", name: "", role: "member" })),
      {
        code: "invalid",
      },
    );
    const told = (await desk.events()).filter(({ type }) => type.startsWith("member."));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.member.email]),
      [
        ["member.joined", ANNA],
        ["member.joined", BERT],
        ["member.left", BERT],
        ["member.joined", BERT],
      ],
    );
  });

  test(`${engine}: projects are created, renamed, archived and brought back, each told once`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const { id } = await desk.change((unit) => createProject(unit, " Move "));
    desk.clock.advance(1_000);
    await desk.change((unit) => renameProject(unit, id, "Moving"));
    await desk.change((unit) => renameProject(unit, id, "Moving"));
    await desk.change((unit) => archiveProject(unit, id, true));
    await desk.change((unit) => archiveProject(unit, id, true));
    await desk.change((unit) => archiveProject(unit, id, false));
    await assert.rejects(
      desk.change((unit) => renameProject(unit, id, " ")),
      { code: "invalid" },
    );
    const { body } = await desk.call(await desk.token(), "GET", "projects");
    assert.deepEqual(body.data, [
      {
        id,
        name: "Moving",
        archived: false,
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:00:01.000Z",
      },
    ]);
    const told = (await desk.events()).filter(({ type }) => type.startsWith("project."));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.previous]),
      [
        ["project.created", undefined],
        ["project.updated", { name: "Move" }],
        ["project.archived", { archived: false }],
        ["project.updated", { archived: true }],
      ],
    );
  });
}
