import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { brokenImports, importCircles } from "./import-rule.ts";
import { repository, sourceFiles } from "./source-files.ts";

/** Plants one file in an otherwise empty tree and returns what the rule says of it. */
function planted(t: { after: (done: () => void) => void }, file: string, source: string): string[] {
  const root = mkdtempSync(join(tmpdir(), "frontdesk-imports-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), source);
  return brokenImports(root, [file]);
}

const violations: Array<[name: string, file: string, source: string]> = [
  ["service to service by path", "services/avatar/src/main.ts", `import "../../presence/src/main.ts";`],
  ["service to service by name", "services/avatar/src/main.ts", `import { x } from "@frontdesk/presence/x";`],
  ["package to service", "packages/kit/src/a.ts", `import { x } from "../../../services/avatar/src/x.ts";`],
  ["demo to a service", "demo/a.ts", `import { x } from "../services/avatar/src/domain/x.ts";`],
  ["domain to adapters", "services/avatar/src/domain/a.ts", `import { x } from "../adapters/x.ts";`],
  ["domain to http, as a type", "services/avatar/src/domain/a.ts", `import type { X } from "../http/x.ts";`],
  ["domain to http, exported on", "services/avatar/src/domain/a.ts", `export * from "../http/x.ts";`],
  ["domain to node:fs", "services/lease/engine/src/domain/a.ts", `import { readFileSync } from "node:fs";`],
  ["domain to node:net, later", "services/avatar/src/domain/a.ts", `const net = await import("node:net");`],
  ["claims to avatars", "services/avatar/src/domain/claims.ts", `import { x } from "./avatars.ts";`],
  ["console to domain", "services/avatar/console/src/a.tsx", `import { x } from "../../src/domain/x.ts";`],
  ["console to a route", "services/avatar/console/src/a.tsx", `import { x } from "../../src/http/media.ts";`],
  ["console to node:fs", "services/print/console/src/a.tsx", `import { readFileSync } from "node:fs";`],
  ["console to kit", "services/avatar/console/src/a.tsx", `import { x } from "@frontdesk/kit/clock";`],
  [
    "console to sign-in's server",
    "services/avatar/console/src/a.tsx",
    `import "@frontdesk/signin/sessions";`,
  ],
  ["sign-in's pages to its server", "packages/signin/pages/a.tsx", `import "../src/sessions.ts";`],
  ["sign-in's pages to kit", "packages/signin/pages/a.tsx", `import "@frontdesk/kit/clock";`],
  ["sign-in's server to ui", "packages/signin/src/a.ts", `import "@frontdesk/ui";`],
  ["console to console", "services/avatar/console/src/a.tsx", `import "../../../print/console/src/b.tsx";`],
  [
    "lease's shared config to node:fs",
    "services/lease/config/src/a.ts",
    `import { readFileSync } from "node:fs";`,
  ],
  [
    "lease's shared schemas to the engine",
    "services/lease/control-api/src/a.ts",
    `import "../../engine/src/x.ts";`,
  ],
  ["lease's options to kit", "services/lease/options/src/a.ts", `import { x } from "@frontdesk/kit/clock";`],
  ["leases to a protocol", "services/lease/engine/src/leases/a.ts", `import "../dhcp4/x.ts";`],
  ["leases to the disk", "services/lease/engine/src/leases/a.ts", `import { readFileSync } from "node:fs";`],
  ["classes to the loop", "services/lease/engine/src/classes/a.ts", `import type { X } from "../loop/x.ts";`],
  ["the pair to the loop", "services/lease/engine/src/ha/a.ts", `import type { X } from "../loop/x.ts";`],
  ["the pair to a socket", "services/lease/engine/src/ha/a.ts", `import { connect } from "node:tls";`],
  ["the pair to its link", "services/lease/engine/src/ha/core.ts", `import "./link-worker.ts";`],
  ["the link to the rules", "services/lease/engine/src/ha/link-worker.ts", `import "./core.ts";`],
  ["the link to the store", "services/lease/engine/src/ha/link-port.ts", `import "../store/x.ts";`],
  ["the pairing to the loop", "services/lease/engine/src/ha/pairing.ts", `import "../loop/engine.ts";`],
  ["the loop to a protocol", "services/lease/engine/src/loop/a.ts", `import "../dhcp4/x.ts";`],
  ["the loop to its store", "services/lease/engine/src/loop/a.ts", `import "../store/x.ts";`],
  ["the control API to a protocol", "services/lease/engine/src/control/a.ts", `import "../dhcp4/x.ts";`],
  ["a protocol to the store", "services/lease/engine/src/dhcp4/a.ts", `import "../store/x.ts";`],
  [
    "a protocol to a socket",
    "services/lease/engine/src/dhcp4/a.ts",
    `import { createSocket } from "node:dgram";`,
  ],
  [
    "a protocol to the rules of the pair",
    "services/lease/engine/src/dhcp4/a.ts",
    `import { step } from "../ha/core.ts"; import { single } from "../ha/failover.ts";`,
  ],
  ["DDNS to the store", "services/lease/engine/src/ddns/a.ts", `import "../store/x.ts";`],
  ["the store to the control API", "services/lease/engine/src/store/a.ts", `import "../control/x.ts";`],
  [
    "another service's console to lease's config",
    "services/print/console/src/a.tsx",
    `import "@frontdesk/lease-config/validate";`,
  ],
  ["ui to node:fs", "packages/ui/src/a.tsx", `import { readFileSync } from "node:fs";`],
  ["ui to kit", "packages/ui/src/a.tsx", `import { x } from "@frontdesk/kit/clock";`],
  ["server to ui", "services/avatar/src/http/a.ts", `import { x } from "@frontdesk/ui";`],
  ["http to adapters", "services/presence/src/http/a.ts", `import { x } from "../adapters/x.ts";`],
  ["http to render, as a type", "services/avatar/src/http/a.ts", `import type { X } from "../render/x.ts";`],
  ["http to transports", "services/print/bridge/src/http/a.ts", `import { x } from "../transports/x.ts";`],
  ["zpl to node:net", "services/print/bridge/src/zpl/a.ts", `import { connect } from "node:net";`],
  ["language to backends", "services/print/bridge/src/languages/a.ts", `import "../backends/x.ts";`],
  ["transport to backends", "services/print/bridge/src/transports/a.ts", `import "../backends/x.ts";`],
  ["protocol to http", "services/print/bridge/src/protocol/a.ts", `import "../http/x.ts";`],
  ["delivery to adapters", "services/presence/src/delivery/a.ts", `import "../adapters/x.ts";`],
  ["product to testkit", "services/avatar/src/main.ts", `import { x } from "@frontdesk/testkit/clock";`],
];

for (const [name, file, source] of violations) {
  test(`the import rule finds a planted violation: ${name}`, (t) => {
    assert.equal(planted(t, file, source).length, 1);
  });
}

test("a circle of imports is found, also one of types alone, and told once", (t) => {
  const root = mkdtempSync(join(tmpdir(), "frontdesk-circles-"));
  t.after(() => rmSync(root, { recursive: true }));
  const files = {
    "packages/kit/src/a.ts": `import type { B } from "./b.ts";`,
    "packages/kit/src/b.ts": `import "./c.ts";`,
    "packages/kit/src/c.ts": `export * from "./a.ts";`,
    "packages/kit/src/d.ts": `import "./a.ts"; import "./b.ts";`,
  };
  mkdirSync(join(root, "packages/kit/src"), { recursive: true });
  for (const [file, source] of Object.entries(files)) writeFileSync(join(root, file), source);
  assert.deepEqual(importCircles(root, Object.keys(files)), [
    "packages/kit/src/a.ts -> packages/kit/src/b.ts -> packages/kit/src/c.ts -> packages/kit/src/a.ts",
  ]);
});

test("the import rule allows what the architecture allows", (t) => {
  assert.deepEqual(
    planted(t, "services/avatar/src/http/a.ts", `import "../domain/x.ts"; import "node:fs";`),
    [],
  );
  assert.deepEqual(planted(t, "services/avatar/src/domain/a.ts", `import "@frontdesk/kit/clock";`), []);
  const page = `import { Page } from "@frontdesk/ui"; import "./b.tsx"; import "react";
import type { Me } from "../../src/http/session-schemas.ts"; export const a = <Page title="x">{null}</Page>;`;
  assert.deepEqual(planted(t, "services/avatar/console/src/a.tsx", page), []);
  assert.deepEqual(
    planted(
      t,
      "services/lease/console/src/a.tsx",
      `import "@frontdesk/lease-config/validate"; import "@frontdesk/lease-control-api/schemas";`,
    ),
    [],
  );
  assert.deepEqual(
    planted(t, "services/lease/engine/src/dhcp4/a.ts", `import "../leases/x.ts"; import "../loop/batch.ts";`),
    [],
  );
  assert.deepEqual(planted(t, "services/avatar/test/a.test.ts", `import "@frontdesk/testkit/clock";`), []);
});

test("the repository keeps the import rule", () => {
  assert.deepEqual(brokenImports(repository, sourceFiles()), []);
});

test("nothing in the repository imports in circles", () => {
  // Nobody reads what a generator wrote.
  const written = sourceFiles().filter((file) => !file.includes("/client/generated/"));
  assert.deepEqual(importCircles(repository, written), []);
});
