import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LabClients } from "./lab-clients.ts";
import { labEngine } from "./lab-engine.ts";

const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const TOKEN = "a-token-for-the-test";
const CONFIG = `[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.30"
exclude = ["10.77.1.21 - 10.77.1.30"]
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "02:00:00:00:00:50"
[[subnet.reservation]]
ip = "10.77.1.10"
mac = "02:00:00:00:00:60"
`;

test("leases of another server go on: they are on disk, their clients renew them, and nobody else gets them", async (t) => {
  const home = temporaryHome(t);
  const engine = await labEngine(home, CONFIG, `control_token = "${TOKEN}"`);
  t.after(() => engine.kill("SIGKILL"));
  await engine.start();
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  assert.ok(await clients.join("02:00:00:00:00:99"));
  const taken = clients.acked[0]?.ip as string;
  const free = (n: number) => `10.77.1.${n + (Number(taken.split(".")[3]) === n ? 5 : 0)}`;
  const inAnHour = Math.floor(Date.now() / 1000) + 3600;

  const file = join(home, "dnsmasq.leases");
  const rows: Array<[expiry: number, mac: string, ip: string, name: string]> = [
    [inAnHour, "02:00:00:00:00:01", free(1), "desk"],
    [0, "02:00:00:00:00:02", free(2), "*"],
    [inAnHour, "02:00:00:00:00:50", "10.77.0.50", "door"],
    [inAnHour - 7200, "02:00:00:00:00:03", free(3), "*"],
    [inAnHour, "02:00:00:00:00:04", "10.78.0.1", "*"],
    [inAnHour, "02:00:00:00:00:05", "10.77.2.1", "*"],
    [inAnHour, "02:00:00:00:00:08", "10.77.1.25", "*"],
    [inAnHour, "02:00:00:00:00:06", taken, "*"],
    [inAnHour, "02:00:00:00:00:07", "10.77.1.10", "*"],
    [inAnHour, "02:00:00:00:00:60", free(4), "*"],
    [inAnHour, "02:00:00:00:00:99", free(7), "*"],
  ];
  writeFileSync(file, rows.map(([expiry, mac, ip, name]) => `${expiry} ${mac} ${ip} ${name} *\n`).join(""));
  const leasectl = async (...words: string[]) => {
    const child = spawn(process.execPath, [CLI, "--url", engine.url, "--token", TOKEN, ...words]);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { stdout, stderr, status: child.exitCode };
  };

  const { stdout } = await leasectl("import", file, "--json");
  assert.deepEqual(JSON.parse(stdout), {
    server: "dnsmasq",
    imported: 3,
    left: 1,
    refused: [
      { ip: "10.78.0.1", reason: "no_pool" },
      { ip: "10.77.2.1", reason: "no_pool" },
      { ip: "10.77.1.25", reason: "no_pool" },
      { ip: taken, reason: "taken" },
      { ip: "10.77.1.10", reason: "reserved" },
      { ip: free(4), reason: "reserved" },
      { ip: free(7), reason: "has_another" },
    ],
  });
  assert.match(
    (await leasectl("import", file)).stdout,
    /^3 leases of dnsmasq were taken over; 1 in the file/,
    "again",
  );
  const wrong = await leasectl("import", engine.storePath);
  assert.match(wrong.stderr, /is no lease file of Kea \(kea-leases4\.csv, kea-leases6\.csv\), ISC dhcpd/);

  await engine.kill("SIGKILL");
  await engine.start();
  const leases = JSON.parse((await leasectl("leases", "--json")).stdout) as Array<Record<string, unknown>>;
  const shown = new Map(leases.map((each) => [each.ip, each]));
  assert.deepEqual([shown.get(free(1))?.hostname, shown.get(free(2))?.expires_at], ["desk", null]);
  assert.equal(shown.get(free(1))?.expires_at, new Date(inAnHour * 1000).toISOString());
  assert.ok(await clients.renew("02:00:00:00:00:01", free(1)), "its client renews it");
  const events = JSON.parse((await leasectl("events", "--json", "--ip", free(2))).stdout);
  assert.deepEqual([events[0].type, events[0].reason], ["grant", "imported"]);
  for (let n = 0; n < 15; n++) await clients.join(`02:00:00:00:01:${(16 + n).toString(16)}`);
  const others = clients.acked.filter(({ mac }) => mac.startsWith("02:00:00:00:01"));
  assert.ok(others.length > 0);
  assert.deepEqual(
    others.filter(({ ip }) => ip === free(1) || ip === free(2)),
    [],
  );
});
