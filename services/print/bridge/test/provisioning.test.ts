import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { provision } from "../src/adapters/provisioning.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import { administer } from "./support.ts";

test("a fleet's file changes a template's name and density too, and leaves one that is the same alone", (t) => {
  const home = temporaryHome(t);
  const registry = openRegistry(join(home, "config.db"));
  t.after(() => registry.close());
  const template = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
  const file = join(home, "fleet.json");
  const apply = (changed: object) => {
    writeFileSync(file, JSON.stringify({ templates: [{ ...template, ...changed }] }));
    provision(registry, file, 0);
    const { name, dpmm, version } = registry.templates.get("badge") ?? {};
    return [name, dpmm, version];
  };
  assert.deepEqual(apply({}), ["Badge", 8, 1]);
  assert.deepEqual(apply({}), ["Badge", 8, 1]);
  assert.deepEqual(apply({ name: "Visitor" }), ["Visitor", 8, 2]);
  assert.deepEqual(apply({ name: "Visitor", dpmm: 12 }), ["Visitor", 12, 3]);
});

test("a fleet's file does not bring back what was denied or revoked here, until it drops it and names it anew", (t) => {
  const home = temporaryHome(t);
  const { registry, access, close } = administer(home);
  t.after(close);
  const file = join(home, "fleet.json");
  const [one, two, three] = ["https://one.example", "https://two.example", "https://three.example"];
  const origins = [one, two, three].map((origin, at) => ({
    origin,
    tokenSha256: [String(at).repeat(64), "abc"[at]?.repeat(64)],
    open: true,
  }));
  const apply = (named: object[]) => {
    writeFileSync(file, JSON.stringify({ origins: named }));
    return provision(registry, file, 0).left;
  };
  const letIn = () => [one, two, three].filter((origin) => access.origin(origin));
  const tokens = () =>
    registry.tokens
      .all()
      .map(({ hash }) => hash[0])
      .join("");
  assert.deepEqual([apply(origins), letIn(), tokens()], [[], [one, two, three], "012abc"]);
  access.deny(one);
  access.revoke(two);
  access.revokeToken("2".repeat(64));
  for (let start = 0; start < 2; start++)
    assert.deepEqual([apply(origins), letIn(), tokens()], [[one, two], [three], "c"]);
  access.approve(one);
  assert.deepEqual([apply(origins), letIn(), tokens()], [[two], [one, three], "c"], "people let in again");
  apply(origins.slice(2));
  assert.deepEqual([apply(origins), letIn(), tokens()], [[], [one, two, three], "01abc"]);
});
