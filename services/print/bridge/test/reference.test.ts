import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { protocolReference } from "../src/protocol/reference.ts";

const PAGE = fileURLToPath(new URL("../../../../docs/print-protocol.md", import.meta.url));

test("the protocol reference in docs is what the schemas say", () => {
  if (process.env.UPDATE_DOCS) {
    mkdirSync(dirname(PAGE), { recursive: true });
    writeFileSync(PAGE, protocolReference());
  }
  assert.ok(existsSync(PAGE), "docs/print-protocol.md is missing");
  assert.equal(readFileSync(PAGE, "utf8"), protocolReference(), "run this test with UPDATE_DOCS=1");
});
