import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { issueLicense, newSigningKeys } from "../src/adapters/license-file.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import { admitted, bridge, LABEL, simulator } from "./support.ts";

test("a license whose key was changed blocks printing and nothing else; another can be installed", async (t) => {
  const home = temporaryHome(t);
  const [old, fresh] = [newSigningKeys(), newSigningKeys()];
  writeFileSync(join(home, "key.pem"), fresh.publicKey);
  const license = {
    state: "active",
    tier: "fleet",
    rfidEncode: true,
    serving: true,
    expiresAt: null,
  } as const;
  const registry = openRegistry(join(home, "config.db"));
  registry.settings.put("license", issueLicense(license, old.privateKey));
  registry.close();
  const sim = await simulator(t);
  const b = await bridge(t, { home, env: { PRINT_LICENSE_KEY: join(home, "key.pem") } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  assert.equal(((await page.ask("hello")).license as { state: string }).state, "suspended");
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "LICENSE_BLOCKED");
  const installed = await fetch(`${b.http}/api/v1/admin/license`, {
    method: "PUT",
    headers: { authorization: `Bearer ${b.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ file: issueLicense(license, fresh.privateKey) }),
  });
  assert.equal(installed.status, 200);
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), undefined);
});
