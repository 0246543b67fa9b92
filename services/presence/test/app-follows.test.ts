import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_FOLLOWS } from "../src/domain/follows.ts";
import { addMember } from "../src/domain/member.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine } from "./desk-under-test.ts";

test("following somebody leaves whom one follows otherwise alone, and whoever has left is followed by nobody", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const [bert] = (await anna("GET", "board")).body.members.slice(1);
  const [carl, dora] = [
    await app.join("carl@example.org", "member"),
    await app.join("dora@example.org", "member"),
  ];
  const followed = async (method: string, id: string) =>
    (await anna(method, `me/follows/${id}`)).body.members;
  assert.deepEqual(await followed("PUT", bert.id), [bert.id]);
  assert.deepEqual(await followed("PUT", carl), [bert.id, carl]);
  assert.deepEqual(await followed("PUT", carl), [bert.id, carl]);
  assert.deepEqual(await followed("DELETE", bert.id), [carl]);
  assert.deepEqual(await followed("DELETE", bert.id), [carl]);
  assert.equal((await anna("PUT", "me/follows/01JGFJJZ000000000000000009")).status, 404);
  await anna("DELETE", `members/${carl}`);
  assert.deepEqual(await followed("PUT", dora), [dora]);
  const { body } = await anna("PUT", "me/follows", { members: [carl, dora, bert.id] });
  assert.deepEqual(body.members, [dora, bert.id]);
  assert.deepEqual((await anna("GET", "board")).body.me.follows, [dora, bert.id]);
});

test("a member follows so many and no more, and one more when somebody has left", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const anna = await app.signIn(ANNA);
  const members: string[] = [];
  await app.change(async (unit) => {
    for (let i = 0; i <= MAX_FOLLOWS; i++)
      members.push((await addMember(unit, { email: `m${i}@example.org`, name: "", role: "member" })).id);
  });
  const [last = "", ...others] = members;
  assert.equal((await anna("PUT", "me/follows", { members: others })).status, 200);
  const more = await anna("PUT", `me/follows/${last}`);
  assert.deepEqual([more.status, more.body.code], [409, "too_many_follows"]);
  await anna("DELETE", `members/${others[0]}`);
  assert.equal((await anna("PUT", `me/follows/${last}`)).body.members.length, MAX_FOLLOWS);
});
