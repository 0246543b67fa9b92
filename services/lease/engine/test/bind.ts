import type { TestContext } from "node:test";
import type { TsigKey } from "../src/ddns/tsig.ts";
import { type DnsProgram, type DnsServerPlan, startDnsServer } from "./dns-server.ts";

/** BIND 9. */
const BIND: DnsProgram = {
  called: "BIND",
  program: "named",
  package: "bind9",
  words: (configPath) => ["-g", "-c", configPath],
  config: ({ folder, port, algorithm, secret, zones }: DnsServerPlan) => `
key "lease-key" { algorithm ${algorithm}; secret "${secret}"; };
options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "${folder}/run/named.pid";
  session-keyfile "${folder}/run/session.key"; recursion no; dnssec-validation no; allow-query { any; }; allow-transfer { any; };
  empty-zones-enable no; };
controls {};
logging { channel c { stderr; severity warning; }; category default { c; }; };
${zones
  .map(
    ({ name, file, isFrozen }) =>
      `zone "${name}" { type primary; file "${file}"; allow-update { ${isFrozen ? "none" : 'key "lease-key"'}; }; notify no; };`,
  )
  .join("\n")}
`,
};

export const startBind = (
  t: TestContext,
  { tsig = "hmac-sha256" }: { readonly tsig?: TsigKey["algorithm"] } = {},
) => startDnsServer(t, BIND, tsig);
