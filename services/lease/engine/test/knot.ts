import type { TestContext } from "node:test";
import { type DnsProgram, startDnsServer } from "./dns-server.ts";

/** Knot DNS 3. */
const KNOT: DnsProgram = {
  called: "Knot",
  program: "knotd",
  package: "knot",
  words: (configPath) => ["-c", configPath],
  config: ({ folder, port, algorithm, secret, zones }) => `
server:
    listen: 127.0.0.1@${port}
    rundir: ${folder}/run
log:
  - target: stderr
    any: warning
database:
    storage: ${folder}/run
key:
  - id: lease-key
    algorithm: ${algorithm}
    secret: ${secret}
acl:
  - id: names
    key: lease-key
    action: update
  - id: none
    key: lease-key
    action: update
    deny: on
  - id: copies
    action: transfer
zone:
${zones
  .map(
    ({ name, file, isFrozen }) =>
      `  - domain: ${name}\n    file: ${file}\n    acl: [ ${isFrozen ? "none" : "names"}, copies ]\n`,
  )
  .join("")}`,
};

export const startKnot = (t: TestContext) => startDnsServer(t, KNOT, "hmac-sha256");
