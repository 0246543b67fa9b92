import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "@frontdesk/testkit/until";
import { change, RECORD } from "../src/ddns/dns-message.ts";
import { nameOctets, reverseName } from "../src/ddns/domain-name.ts";
import { octetsOf } from "../src/ddns/name-plan.ts";
import { createNameUpdates } from "../src/ddns/name-updates.ts";
import { createUpdateExchange } from "../src/ddns/update-exchange.ts";
import { ask, ddnsDesk } from "./ddns-desk.ts";
import { FORWARD, REVERSE } from "./dns-server.ts";
import { macOf } from "./lab-clients.ts";
import type { LabEngine } from "./lab-engine.ts";

const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const SUBNET = `[[class]]
name = "nobody"
match = "mac == 0x02ffffffffff"
[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.9"
[[subnet.pool]]
range = "10.77.8.0 - 10.77.13.255"
classes = ["nobody"]
`;
const [ANNA, BEN, CARL] = ["anna", "ben", "byhand"].map((name) => `${name}.${FORWARD}`) as [
  string,
  string,
  string,
];
const [GHOST, PERSON] = [`ghost.${FORWARD}`, `person.${FORWARD}`];
/** Of an address that no pool has. */
const ELSEWHERE = `elsewhere.${FORWARD}`;
/** Not on the first page. */
const [FAR_GHOST, FAR] = [`far.${FORWARD}`, "10.77.13.7"];

async function leasectl({ home, url }: LabEngine, ...words: string[]) {
  const token = readFileSync(join(home, "lease/engine/control-token"), "utf8").trim();
  const child = spawn(process.execPath, [CLI, "--url", url, "--token", token, ...words]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { lines: stdout.trimEnd().split("\n").toSorted(), stderr };
}

test("what DNS lacks is brought again and what nobody has is removed, once it was shown", async (t) => {
  const at = await ddnsDesk(t, "", SUBNET);
  if (!at) return;
  const { bind, engine, joined, lease } = at;
  const exchange = createUpdateExchange({ now: () => Date.now() });
  const zones = [FORWARD, REVERSE].map((name) => ({ name, server: bind.server }));
  const edit = (zone: string, ...changes: Array<ReturnType<typeof change.add>>) =>
    exchange.send(bind.server, { zone, prerequisites: [], changes });
  const ips = [
    await joined(macOf(1), "anna"),
    await joined(macOf(2), "ben"),
    await joined(macOf(3), "byhand"),
  ];
  const [anna = "", ben = "", carl = ""] = ips;
  for (const [ip, state] of [[anna, "kept"] as const, [ben, "kept"] as const, [carl, "conflict"] as const])
    await until(`${ip} is settled`, async () => (await lease(ip))?.state === state);
  assert.deepEqual(await leasectl(engine, "ddns", "reconcile"), {
    lines: ["DNS has what it shall have."],
    stderr: "",
  });

  // A server that is gone left a name; a person made another; somebody edited the zones.
  const [free = "", other = ""] = Array.from({ length: 9 }, (_, n) => `10.77.1.${n + 1}`).filter(
    (ip) => !ips.includes(ip),
  );
  const updates = createNameUpdates(exchange);
  const dhcid = Buffer.from("0001020304", "hex");
  for (const [name, ip] of [[GHOST, free] as const, [FAR_GHOST, FAR] as const]) {
    await updates.addForward(zones, { name, dhcid }, octetsOf(ip), 60);
    await updates.addReverse(zones, name, octetsOf(ip), 60);
  }
  await updates.addForward(zones, { name: ELSEWHERE, dhcid }, octetsOf("10.77.200.1"), 60);
  await edit(FORWARD, change.add(PERSON, RECORD.a, octetsOf(other), 60));
  await updates.addReverse(zones, PERSON, octetsOf(other), 60);
  await edit(FORWARD, change.deleteRecord(ANNA, RECORD.a, octetsOf(anna)));
  await edit(REVERSE, change.deleteRecord(reverseName(octetsOf(ben)), RECORD.ptr, nameOctets(BEN)));
  await edit(FORWARD, change.deleteType(CARL, RECORD.a));

  const wanted = [
    `add     ${ANNA} to ${anna}`,
    `add     ${ben} to ${BEN}`,
    `add     ${CARL} to ${carl}`,
    `remove  ${GHOST} (${free}): nobody has the address`,
    `remove  ${FAR_GHOST} (${FAR}): nobody has the address`,
  ].toSorted();
  assert.deepEqual((await leasectl(engine, "ddns", "reconcile")).lines, wanted);
  assert.deepEqual(
    [bind.ask(ANNA, "A"), bind.ask(GHOST, "A")],
    [[], [free]],
    "nothing was changed by looking",
  );

  const { lines } = await leasectl(engine, "ddns", "reconcile", "--apply");
  assert.deepEqual(
    lines.filter((line) => line !== "" && !wanted.includes(line)),
    ["Removed: 2. On their way to DNS again: 3."],
  );
  assert.deepEqual([bind.ask(GHOST, "ANY"), bind.ask(reverseName(octetsOf(free)), "PTR")], [[], []]);
  await until("the name is there again", () => bind.ask(ANNA, "A")[0] === anna);
  await until(
    "the way back is there again",
    () => bind.ask(reverseName(octetsOf(ben)), "PTR")[0] === `${BEN}.`,
  );
  await until("the name that has become free is had", () => bind.ask(CARL, "A")[0] === carl);
  assert.deepEqual(bind.ask(PERSON, "A"), [other], "what a person made stays");
  await until("all is as it shall be", async () => {
    const { lines: left } = await leasectl(engine, "ddns", "reconcile");
    return left[0] === "DNS has what it shall have.";
  });

  const refused = await ask(engine, "/v1/ddns/reconcile", {
    method: "POST",
    body: {
      missing: [],
      stale: [
        { address: anna, name: ANNA, dhcid: "AAEC" },
        { address: "10.77.200.1", name: ELSEWHERE, dhcid: dhcid.toString("base64") },
      ],
    },
  });
  assert.deepEqual(bind.ask(ELSEWHERE, "A"), ["10.77.200.1"], "a name of another server's addresses stays");
  assert.deepEqual([refused.removed, refused.left[0].address], [0, anna], "a name of a client stays");
  await bind.stop();
  assert.match((await leasectl(engine, "ddns", "reconcile")).stderr, /nothing was compared/);
});
