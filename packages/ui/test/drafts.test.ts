import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeBrowser } from "./browser.ts";

type Drafts = typeof import("../src/drafts.ts");

let loads = 0;
/** The module as a tab has it that was just loaded. */
const load = (): Promise<Drafts> => import(`../src/drafts.ts?load=${++loads}`);

const TYPED = { value: "half a sentence", base: "1", from: "" };

test("a tab that the system ends in the background without a word finds its draft when it is loaded again", async (t) => {
  const { show, window } = fakeBrowser(t);
  const before = await load();
  before.holdDraft("note");
  before.keepDraft("note", TYPED);
  show("hidden");
  // Ended: no `pagehide`, and the form lets nothing go.
  const after = await load();
  assert.equal(after.takeDraft("note")?.value, TYPED.value);
  window.dispatchEvent(new Event("pagehide"));
});

test("a copy of a tab that is looked at has drafts of its own", async (t) => {
  const { show } = fakeBrowser(t);
  const before = await load();
  before.holdDraft("note");
  before.keepDraft("note", TYPED);
  show("hidden");
  show("visible");
  const copy = await load();
  assert.equal(copy.takeDraft("note"), undefined);
});

test("drafts are their owner's: another person sees none, is not asked about them and does not remove them", async (t) => {
  fakeBrowser(t);
  const drafts = await load();
  drafts.setDraftOwner("anna");
  drafts.keepDraft("note", TYPED);
  drafts.setDraftOwner("bert");
  assert.equal(drafts.takeDraft("note"), undefined);
  assert.equal(drafts.hasDrafts(), false);
  drafts.forgetDrafts();
  drafts.setDraftOwner("anna");
  assert.equal(drafts.hasDrafts(), true);
  assert.equal(drafts.takeDraft("note")?.value, TYPED.value);
  drafts.forgetDrafts();
  assert.equal(drafts.hasDrafts(), false);
});

test("a draft in a form that is open for long is no other tab's, until the tab gives no sign of life", async (t) => {
  const { beat } = fakeBrowser(t);
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const [here, other] = [await load(), await load()];
  here.holdDraft("note");
  here.keepDraft("note", TYPED);
  t.mock.timers.setTime(1_000_000 + 50 * 60_000);
  beat();
  t.mock.timers.setTime(1_000_000 + 100 * 60_000);
  assert.equal(other.takeDraft("note"), undefined);
  t.mock.timers.setTime(1_000_000 + 111 * 60_000);
  assert.equal(other.takeDraft("note")?.value, TYPED.value);
});

test("a draft that is too old to be shown is nothing to ask about", async (t) => {
  fakeBrowser(t);
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const drafts = await load();
  drafts.keepDraft("note", TYPED);
  t.mock.timers.setTime(1_000_000 + 15 * 24 * 3_600_000);
  assert.equal(drafts.hasDrafts(), false);
});

test("where site data is blocked the page loads, and keeps drafts for as long as it is open", async (t) => {
  const { show, blockStorage } = fakeBrowser(t);
  blockStorage();
  const drafts = await load();
  drafts.setDraftOwner("guest");
  drafts.holdDraft("note");
  drafts.keepDraft("note", TYPED);
  show("hidden");
  show("visible");
  assert.equal(drafts.takeDraft("note")?.value, TYPED.value);
  assert.equal(drafts.hasDrafts(), true);
  drafts.forgetDrafts();
  assert.equal(drafts.takeDraft("note"), undefined);
});

test("a form that is closed after somebody else has signed in gives the draft of its own person back", async (t) => {
  fakeBrowser(t);
  const [first, other] = [await load(), await load()];
  first.setDraftOwner("anna");
  const close = first.holdDraft("note");
  first.keepDraft("note", TYPED);
  first.setDraftOwner("bert");
  close();
  other.setDraftOwner("anna");
  assert.equal(other.takeDraft("note")?.value, TYPED.value);
});

test("drafts are found by what their records are called, and a form is told when its draft is dropped", async (t) => {
  fakeBrowser(t);
  const drafts = await load();
  drafts.setDraftOwner("anna");
  let told = 0;
  let drops = 0;
  const stop = drafts.onDraftsChange(() => told++);
  const release = drafts.holdDraft("printer dock", () => drops++);
  drafts.keepDraft("printer dock", TYPED);
  drafts.keepDraft("printer ~new 10.0.0.5", TYPED);
  drafts.keepDraft("template badge", TYPED);
  assert.deepEqual(drafts.draftNames("printer "), ["dock", "~new 10.0.0.5"]);
  assert.equal(drafts.peekDraft("printer dock")?.value, TYPED.value);
  assert.equal(told, 3);
  drafts.dropDraft("printer dock");
  assert.deepEqual([drops, told], [1, 4]);
  assert.deepEqual(drafts.draftNames("printer "), ["~new 10.0.0.5"]);
  release();
  stop();
  drafts.dropDraft("printer dock");
  assert.deepEqual([drops, told], [1, 4]);
  drafts.setDraftOwner("ben");
  assert.deepEqual(drafts.draftNames("printer "), []);
});

test("a draft that may hold a secret is never in the browser's storage, and is found as long as the page is open", async (t) => {
  const { localStorage } = fakeBrowser(t);
  const drafts = await load();
  drafts.setDraftOwner("anna");
  const stored = () =>
    Object.values({ ...localStorage }).filter((text) => String(text).includes(TYPED.value));
  const release = drafts.holdDraft("settings");
  drafts.keepDraft("settings", TYPED, { isSecret: true });
  release();
  assert.deepEqual(stored(), []);
  assert.equal(drafts.takeDraft("settings", { isSecret: true })?.value, TYPED.value);
  assert.ok(drafts.hasDrafts(), "signing out asks about it");
  drafts.forgetDrafts();
  assert.equal(drafts.takeDraft("settings"), undefined);
  // One that an earlier release has left there is taken out of it.
  drafts.keepDraft("settings", TYPED);
  assert.equal(stored().length, 1);
  assert.equal(drafts.takeDraft("settings", { isSecret: true })?.value, TYPED.value);
  assert.deepEqual(stored(), []);
});

test("a draft that an earlier release kept without a version is based on none that is stored", async (t) => {
  fakeBrowser(t);
  const drafts = await load();
  drafts.setDraftOwner("anna");
  drafts.keepDraft("note", { ...TYPED, base: null } as unknown as typeof TYPED);
  assert.equal(drafts.peekDraft("note")?.base, drafts.UNKNOWN_VERSION);
  assert.equal(drafts.takeDraft("note")?.base, drafts.UNKNOWN_VERSION);
});
