import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { AUDIT_ACTIONS, AuditAction, AuditKind } from "../domain/audit.ts";
import type { Configuration } from "./configuration.ts";

const IsAction = Compile(Type.Union([AuditKind, AuditAction]));
const MAX_LISTED = 20_000;

export const auditCommands: Commands<Configuration> = {
  audit: command(
    "[--action <printer|printer.removed|…>] [--search <words>] [--limit <100>]",
    "who changed what, newest first",
    async ({ registry }, _words, { action, search, limit = "100" }, flags) => {
      const count = Number(limit);
      if (!Number.isInteger(count) || count < 1 || count > MAX_LISTED)
        throw new StartProblem(`--limit is a number from 1 to ${MAX_LISTED}.`);
      if (action !== undefined && !IsAction.Check(action))
        throw new StartProblem(`"${action}" is not an action. There are ${AUDIT_ACTIONS.join(", ")}.`);
      const { entries } = registry.audit.search({ action, text: search, limit: count });
      const rows = entries.map(({ at, actor, action, subject, detail }) => ({
        at: new Date(at).toISOString(),
        actor,
        action,
        subject,
        detail: JSON.stringify(detail),
      }));
      return rows.length > 0 || flags.has("json") ? rows : "Nothing was changed yet, or nothing fits.";
    },
  ),
};
