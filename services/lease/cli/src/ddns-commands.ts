import { compareAll, type Differences, reconcileAll } from "@frontdesk/lease-control-api/reconcile-run";
import { showable } from "./columns.ts";
import type { Answer, Flags } from "./command.ts";
import { type Client, ControlProblem } from "./control-client.ts";

/** Shows in what DNS differs from what it shall have; puts it right with --apply. */
export async function runDdns(client: Client, [what]: string[], { apply }: Flags): Promise<Answer> {
  if (what !== "reconcile") throw new ControlProblem('It is "leasectl ddns reconcile [--apply]".');
  const found = await compareAll(
    (cursor) =>
      client.call("GET", `/v1/ddns/differences${cursor ? `?${new URLSearchParams({ cursor })}` : ""}`),
    (upTo) => progress(`Compared up to ${upTo} …`),
  );
  progress("");
  const shown = differencesText(found);
  if (!apply || found.missing.length + found.stale.length === 0)
    return { ok: true, value: found, text: shown };
  const done = await reconcileAll(
    (part) => client.call("POST", "/v1/ddns/reconcile", part),
    found,
    (count) => progress(`Removed ${count} …`),
  );
  progress("");
  const left = done.left.map(({ address, reason }) => showable(`${address} was left: ${reason}.`));
  const said = `Removed: ${done.removed}. On their way to DNS again: ${done.restored}.`;
  return {
    ok: done.left.length === 0,
    value: { ...found, ...done },
    text: [shown, "", said, ...left].join("\n"),
  };
}

/** On the last line of a terminal, which the next words replace. */
function progress(words: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${words}\x1b[K`);
}

function differencesText({ missing, stale }: Differences): string {
  const lines = [
    ...stale.map(({ address, name }) => `remove  ${name} (${address}): nobody has the address`),
    ...missing.map(({ address, record, name }) =>
      record === "reverse" ? `add     ${address} to ${name}` : `add     ${name} to ${address}`,
    ),
  ];
  return lines.length === 0 ? "DNS has what it shall have." : lines.map(showable).join("\n");
}
