import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecretBox } from "@frontdesk/kit/secret-box";

const NEW = { id: "new", secret: "a new key of thirty-two characters" };
const OLD = { id: "old", secret: "an old key of thirty-two characters" };

test("what a key sealed is opened while the key is in the list, and shows nothing of itself", () => {
  const sealed = createSecretBox([OLD], "test").seal("whsec_ünïcode");
  assert.ok(!sealed.includes("whsec"));
  assert.notEqual(createSecretBox([OLD], "test").seal("whsec_ünïcode"), sealed);
  const box = createSecretBox([NEW, OLD], "test");
  assert.equal(box.open(sealed), "whsec_ünïcode");
  assert.deepEqual(
    [box.isCurrent(sealed), box.isCurrent(box.seal("x")), box.isCurrent("x")],
    [false, true, false],
  );
  assert.equal(createSecretBox([NEW], "test").open(sealed), undefined);
});

test("what was changed, or sealed for another purpose, stays shut", () => {
  const sealed = createSecretBox([OLD], "test").seal("secret");
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
  assert.equal(createSecretBox([OLD], "test").open(changed), undefined);
  assert.equal(createSecretBox([OLD], "another").open(sealed), undefined);
  for (const none of ["sealed1.old.", "sealed1.old.AAAA", "sealed1", ""])
    assert.equal(createSecretBox([OLD], "test").open(none), undefined);
});
