import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApiError } from "../src/api-client.ts";
import { fakeBrowser } from "./browser.ts";

const SIGNED_IN = "frontdesk-signed-in";

/** A page on which Anna is signed in, and what the server says about who she is. */
async function page(t: TestContext) {
  const browser = fakeBrowser(t);
  const { createSession } = await import("../src/session.ts");
  const { hasDrafts, keepDraft } = await import("../src/drafts.ts");
  const { whenLeft } = await import("../src/when-left.ts");
  let farewells = 0;
  t.after(whenLeft(() => farewells++));
  const { dropGuards, guardLeaving, isGuarded } = await import("../src/leave-guard.ts");
  const answers: Array<(who: string | null) => void> = [];
  const identity = {
    queryKey: ["me"],
    queryFn: () => new Promise<string | null>((answer) => answers.push(answer)),
  };
  const session = createSession({
    identity,
    who: (who: string) => who,
    publicKeys: [],
    hasEnded: ({ status }: ApiError) => status === 401,
  });
  const { queryClient } = session;
  t.after(() => queryClient.clear());
  queryClient.setQueryData(["me"], "anna");
  queryClient.setQueryData(["notes"], ["hers"]);
  keepDraft("note", { value: "typed", base: "1", from: "" });
  dropGuards();
  guardLeaving(async () => false);
  return {
    ...browser,
    session,
    answers,
    /** How often what shows something of Anna was told that she has left. */
    farewells: () => farewells,
    /** What is left of Anna: who is signed in, answers, drafts, questions before leaving. */
    left: () => [
      queryClient.getQueryData(["me"]),
      queryClient.getQueryData(["notes"]),
      hasDrafts(),
      isGuarded(),
    ],
    ask: () => void queryClient.fetchQuery({ ...identity, staleTime: 0 }).catch(() => {}),
  };
}

const NOTHING = [null, undefined, false, false];

test("signing out in one tab leaves nothing in the others", async (t) => {
  const { left, writesElsewhere } = await page(t);
  writesElsewhere(SIGNED_IN, "left");
  assert.deepEqual(left(), NOTHING);
});

test("what is typed, or answered, while somebody signs out is not kept", async (t) => {
  const { left, writesElsewhere } = await page(t);
  const { keepDraft } = await import("../src/drafts.ts");
  writesElsewhere(SIGNED_IN, "left");
  keepDraft("note", { value: "typed", base: "1", from: "" });
  assert.deepEqual(left(), NOTHING);
});

test("a session that ended is no signing out: what was typed stays in every tab", async (t) => {
  const { left, writesElsewhere } = await page(t);
  writesElsewhere(SIGNED_IN, "no");
  assert.deepEqual(left(), ["anna", ["hers"], true, true]);
});

test("a page that the browser had put away shows nothing of whoever has signed out meanwhile", async (t) => {
  const { left, localStorage, window } = await page(t);
  localStorage.setItem(SIGNED_IN, "left");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.deepEqual(left(), NOTHING);
});

test("an answer on its way does not bring back who has signed out", async (t) => {
  const { left, session, answers, ask, localStorage } = await page(t);
  ask();
  assert.equal(answers.length, 1);
  await session.leave(async () => {});
  answers[0]?.("anna");
  await new Promise(setImmediate);
  assert.deepEqual(left(), NOTHING);
  assert.equal(localStorage.getItem(SIGNED_IN), "left");
});

test("signing out that fails keeps everything", async (t) => {
  const { left, session } = await page(t);
  await assert.rejects(
    session.leave(async () =>
      Promise.reject(new ApiError({ status: 503, code: "unavailable", message: "Later." })),
    ),
  );
  assert.deepEqual(left(), ["anna", ["hers"], true, true]);
});

test("an order that a session which had ended was refused is not done; to sign out of it is", async (t) => {
  const { left, session } = await page(t);
  const refused = async () =>
    Promise.reject(new ApiError({ status: 401, code: "unauthorized", message: "Sign in." }));
  await assert.rejects(session.leave(refused), { message: "Sign in." });
  assert.notDeepEqual(left(), NOTHING);
  await session.signOut(refused);
  assert.deepEqual(left(), NOTHING);
});

test("signing out whose answer is lost is done where the server knows nobody any more", async (t) => {
  const { left, session, answers, localStorage } = await page(t);
  const lost = async () => Promise.reject(new TypeError("Failed to fetch"));
  const still = session.signOut(lost);
  await new Promise(setImmediate);
  answers[0]?.("anna");
  await assert.rejects(still, TypeError);
  assert.deepEqual(left(), ["anna", ["hers"], true, true]);
  const out = session.signOut(lost);
  await new Promise(setImmediate);
  answers.at(-1)?.(null);
  await out;
  assert.deepEqual(left(), NOTHING);
  assert.equal(localStorage.getItem(SIGNED_IN), "left", "the other tabs know it, too");
});

test("a refusal for want of rights has the page ask who is signed in, and as what", async (t) => {
  const { queryClient } = (await page(t)).session;
  const refused = async () =>
    Promise.reject(new ApiError({ status: 403, code: "forbidden", message: "No." }));
  await assert.rejects(queryClient.fetchQuery({ queryKey: ["users"], queryFn: refused }));
  assert.equal(queryClient.getQueryState(["me"])?.isInvalidated, true);
  assert.equal(queryClient.getQueryData(["me"]), "anna", "she is shown until then");
});

test("messages to one person are for nobody else: they go when she signs out", async (t) => {
  const here = await page(t);
  await here.session.leave(async () => {});
  assert.equal(here.farewells(), 1);
});

test("messages go when another person signs in, and stay for the one who signs in again", async (t) => {
  const { session, farewells } = await page(t);
  session.queryClient.setQueryData(["me"], null);
  session.queryClient.setQueryData(["me"], "anna");
  assert.equal(farewells(), 0);
  session.queryClient.setQueryData(["me"], null);
  session.queryClient.setQueryData(["me"], "ben");
  assert.equal(farewells(), 1);
});

test("whoever may do more, or less, than before sees nothing that was answered until then; what was typed stays", async (t) => {
  fakeBrowser(t);
  const { createSession } = await import("../src/session.ts");
  const { hasDrafts, keepDraft } = await import("../src/drafts.ts");
  const { queryClient } = createSession({
    identity: { queryKey: ["me"], queryFn: async () => null },
    who: ({ name }: { name: string; role: string }) => name,
    rights: ({ role }) => role,
    publicKeys: ["about"],
    hasEnded: () => false,
  });
  t.after(() => queryClient.clear());
  queryClient.setQueryData(["me"], { name: "anna", role: "viewer" });
  queryClient.setQueryData(["config"], "without secrets");
  queryClient.setQueryData(["about"], "anybody");
  keepDraft("note", { value: "typed", base: "1", from: "" });
  const shown = () => [
    queryClient.getQueryData(["config"]),
    queryClient.getQueryData(["about"]),
    hasDrafts(),
  ];
  queryClient.setQueryData(["me"], null);
  queryClient.setQueryData(["me"], { name: "anna", role: "viewer" });
  assert.deepEqual(shown(), ["without secrets", "anybody", true]);
  queryClient.setQueryData(["me"], { name: "anna", role: "admin" });
  assert.deepEqual(shown(), [undefined, "anybody", true]);
});

test("a refusal that no query has met ends the session, too, if it says so", async (t) => {
  const { session } = await page(t);
  const refusal = (status: number) => new ApiError({ status, code: "", message: "" });
  session.heed(refusal(403));
  assert.equal(session.queryClient.getQueryData(["me"]), "anna");
  session.heed(refusal(401));
  assert.equal(session.queryClient.getQueryData(["me"]), null);
});
