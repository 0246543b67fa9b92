import type { HttpServer } from "@frontdesk/kit/http-server";
import {
  DifferenceQuery,
  NameDifferences,
  Reconcile,
  Reconciled,
} from "@frontdesk/lease-control-api/name-differences";
import { authorOf } from "./gate.ts";
import type { ManagerParts } from "./parts.ts";

/** Names that the audit log tells of one request. */
const MAX_NAMED = 20;

/** What DNS has beside what it shall have: shown first, then put right. */
export function ddnsRoutes(app: HttpServer, { engine, audited }: ManagerParts): void {
  app.get(
    "/api/v1/ddns/differences",
    {
      schema: {
        operationId: "listDnsDifferences",
        summary: "Names that are missing in DNS, and names there that nobody has; nothing is changed",
        tags: ["engine"],
        querystring: DifferenceQuery,
        response: { 200: NameDifferences },
      },
    },
    ({ query }) => engine.nameDifferences(query),
  );

  app.post(
    "/api/v1/ddns/reconcile",
    {
      schema: {
        operationId: "reconcileDns",
        summary: "Bring what is missing to DNS again, and remove what nobody has, as the differences told it",
        tags: ["engine"],
        body: Reconcile,
        response: { 200: Reconciled },
      },
    },
    async (request) => {
      const author = authorOf(request);
      const { missing, stale } = request.body;
      const named = stale.slice(0, MAX_NAMED).map(({ name, address }) => `${name} (${address})`);
      const details = JSON.stringify({ missing: missing.length, stale: stale.length, named });
      return audited({ author, action: "ddns_reconcile", details }, () =>
        engine.reconcileNames(request.body),
      );
    },
  );
}
