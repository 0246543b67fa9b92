import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repository, sourceFiles } from "./source-files.ts";

/** It says why, and is what the others use. */
const ADDRESS_MAP = "services/lease/options/src/address-map.ts";
const BY_ADDRESS = /\bnew (Map|Set)<(bigint|Address|A|number \| bigint)\b/;

test("nothing is kept in a plain Map or Set by addresses of IPv6, where all prefixes would share one chain", () => {
  const found = sourceFiles()
    .filter((path) => /^services\/lease\/[^/]+\/src\//.test(path) && path !== ADDRESS_MAP)
    .filter((path) => BY_ADDRESS.test(readFileSync(join(repository, path), "utf8")));
  assert.deepEqual(found, [], "use AddressMap or AddressSet of @frontdesk/lease-options/address-map");
});

test("such a Map is found", () => {
  assert.match("const rows = new Map<Address, Row>();", BY_ADDRESS);
  assert.match("new Set<bigint>()", BY_ADDRESS);
  assert.doesNotMatch("new Map<number, AddressMap6<Row>>(); new AddressMap<bigint, Row>()", BY_ADDRESS);
});
