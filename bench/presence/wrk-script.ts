import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEMBERS } from "./desk.ts";

/** What is asked for: each request is another member's turn, with another token. */
const KINDS = {
  "status sets": {
    path: "status",
    body: `'{"status":"' .. statuses[math.floor(n / members) % 4 + 1] .. '"}'`,
  },
  "TODO creations": {
    path: "todos",
    body: `'{"text":"Return the projector to the storage room","externalSystem":"jira","externalRef":"OPS-' .. run .. '-' .. n .. '","externalUrl":"https://jira.example/browse/OPS"}'`,
  },
} as const;

export type Kind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** Writes wrk's script for a run; no two runs create the same TODO. */
export function wrkScript(
  folder: string,
  kind: Kind,
  { base, tokens, run }: { base: string; tokens: readonly string[]; run: string },
): string {
  const { path, body } = KINDS[kind];
  const file = join(folder, "load.lua");
  writeFileSync(
    file,
    `local tokens = { ${tokens.map((token) => `"${token}"`).join(", ")} }
local statuses = { "focus", "remote", "away", "sick" }
local members, run, n = ${MEMBERS}, "${run}", 0
local headers = { ["content-type"] = "application/json" }
request = function()
  n = n + 1
  if #tokens > 0 then headers["authorization"] = "Bearer " .. tokens[n % #tokens + 1] end
  local path = "${base}/members/member" .. n % members .. "@example.org/${path}"
  return wrk.format("POST", path, headers, ${body})
end
`,
  );
  return file;
}
