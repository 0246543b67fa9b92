import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keptSecret } from "@frontdesk/kit/kept-file";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const SECRET = "0123456789abcdef0123456789abcdef";

test("a secret is made once and kept for its owner alone", (t) => {
  const path = join(temporaryHome(t), "token");
  assert.deepEqual(
    keptSecret(path, () => SECRET),
    { value: SECRET, isNew: true },
  );
  assert.deepEqual(
    keptSecret(path, () => "another"),
    { value: SECRET, isNew: false },
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a secret that was emptied or cut off is made anew: an empty one would let everybody in", (t) => {
  const path = join(temporaryHome(t), "token");
  for (const left of ["", "\n", SECRET.slice(0, 5)]) {
    writeFileSync(path, left);
    assert.deepEqual(
      keptSecret(path, () => SECRET),
      { value: SECRET, isNew: true },
    );
    assert.equal(readFileSync(path, "utf8"), `${SECRET}\n`);
  }
});
