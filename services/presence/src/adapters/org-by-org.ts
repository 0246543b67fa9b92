import type { FailureLog } from "@frontdesk/kit/sparing-log";

/** Does a sweep's work for each organisation. One that fails is logged and left to the next sweep; the others go on. */
export async function orgByOrg(
  orgs: readonly string[],
  failed: Set<string>,
  log: FailureLog,
  work: (orgId: string) => Promise<unknown>,
): Promise<void> {
  for (const orgId of orgs) {
    try {
      await work(orgId);
    } catch (err) {
      failed.add(orgId);
      log.error({ err, org: orgId }, "the sweep of an organisation failed and will be tried again");
    }
  }
}

/** For `not in`, which PostgreSQL refuses with nothing in it; no organisation has an empty id. */
export const idsOf = (failed: ReadonlySet<string>): string[] => ["", ...failed];
