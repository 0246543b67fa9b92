import type { OperationsOf, OperationTable } from "@frontdesk/kit/operation-table";
import { type TProperties, Type } from "typebox";
import { DiscoveryState } from "../domain/discovery.ts";
import { License } from "../domain/license.ts";
import { PrinterStatus } from "../domain/printer.ts";
import { TemplateRecord } from "../domain/registry.ts";
import {
  About,
  ApprovedOrigin,
  AuditList,
  AuditQuery,
  JobDetail,
  JobList,
  JobSearch,
  Nothing,
  OriginBody,
  OriginRow,
  PairingList,
  Preview,
  PreviewBody,
  PrinterBody,
  PrinterRow,
  SavedPrinter,
  TemplateBody,
  TemplateRow,
  TemplateVersionRow,
  Tls,
  TrustReports,
} from "./admin-schemas.ts";

const object = <P extends TProperties>(properties: P) => Type.Object(properties);
const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

const SignedIn = object({ signedIn: Type.Boolean() });
const Accepted = object({ jobId: Type.String() });
const Named = closed({ origin: Type.String({ maxLength: 300 }) });

/** What the console may call. A test holds it against the document that the bridge publishes. */
export const ADMIN_OPERATIONS = {
  "GET /session": { reply: SignedIn },
  "POST /session": {
    body: closed({
      token: Type.String({ minLength: 1, maxLength: 400 }),
      pageKey: Type.Optional(Type.Boolean()),
    }),
    reply: object({ signedIn: Type.Boolean(), pageKey: Type.Optional(Type.String()) }),
  },
  "DELETE /session": { reply: SignedIn },
  "GET /about": { reply: About },
  "GET /logs": { reply: object({ lines: Type.Array(Type.String()) }) },
  "GET /audit": { query: AuditQuery, reply: AuditList },
  "GET /license": { reply: License },
  "PUT /license": { body: object({ file: Type.String({ maxLength: 20_000 }) }), reply: License },
  "GET /tls": { reply: Tls },
  "POST /tls/trust": {
    body: object({ change: Type.Enum(["add", "remove"]), browsersOnly: Type.Boolean() }),
    reply: object({ reports: TrustReports }),
  },
  "GET /discovery": { reply: DiscoveryState },
  "POST /discovery": { reply: DiscoveryState },
  "GET /printers": { reply: object({ printers: Type.Array(PrinterRow) }) },
  "PUT /printers/{id}": { body: PrinterBody, reply: SavedPrinter },
  "DELETE /printers/{id}": { reply: Nothing },
  "POST /printers/{id}/check": { reply: PrinterStatus },
  "POST /printers/{id}/test": { reply: Accepted },
  "GET /printers/{id}/labels": { reply: object({ labels: Type.Array(Type.String()) }) },
  "GET /jobs": { query: JobSearch, reply: JobList },
  "GET /jobs/{id}": { reply: JobDetail },
  "POST /jobs/{id}/reprint": { reply: Accepted },
  "GET /jobs/{id}/preview": { reply: object({ pictures: Type.Array(Type.String()) }) },
  "GET /templates": { reply: object({ templates: Type.Array(TemplateRow) }) },
  "PUT /templates/{id}": { body: TemplateBody, reply: TemplateRecord },
  "DELETE /templates/{id}": { reply: Nothing },
  "GET /templates/{id}/versions": { reply: object({ versions: Type.Array(TemplateVersionRow) }) },
  "POST /templates/preview": { body: PreviewBody, reply: Preview },
  "POST /templates/{id}/print": {
    body: object({
      printer: Type.String({ maxLength: 120 }),
      values: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 500 }),
    }),
    reply: Accepted,
  },
  "GET /origins": { reply: object({ origins: Type.Array(OriginRow) }) },
  "POST /origins": { body: OriginBody, reply: ApprovedOrigin },
  "DELETE /origins": { query: Named, reply: Nothing },
  "POST /origins/deny": { body: Named, reply: Nothing },
  "POST /origins/tokens": { body: Named, reply: object({ token: Type.String() }) },
  "DELETE /origins/tokens/{id}": { reply: Nothing },
  "GET /pairings": { reply: PairingList },
  "DELETE /pairings": {
    query: closed({ origin: Type.String({ maxLength: 300 }), code: Type.String({ maxLength: 20 }) }),
    reply: Nothing,
  },
} as const satisfies OperationTable;

export type AdminOperations = OperationsOf<typeof ADMIN_OPERATIONS>;
