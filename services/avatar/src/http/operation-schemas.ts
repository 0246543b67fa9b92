import type { OperationsOf, OperationTable } from "@frontdesk/kit/operation-table";
import { SIGNIN_OPERATIONS } from "@frontdesk/signin/schemas";
import { Type } from "typebox";
import {
  Admins,
  AvatarRemoved,
  AvatarReply,
  Config,
  DesignBody,
  DesignSaved,
  EmailBody,
  Emails,
  EmailWritten,
  EraseBody,
  Granted,
  Identity,
  MetricsReply,
  NameBody,
  NameSaved,
  Ok,
  PrimaryWritten,
  Styles,
  SuggestionReply,
  UploadSaved,
  VerifyBody,
} from "./api-schemas.ts";

/** What the console may call. A test holds it against the document that the service publishes. */
export const OPERATIONS = {
  ...SIGNIN_OPERATIONS,
  "GET /config": { reply: Config },
  "GET /styles": { reply: Styles },
  "GET /me": { reply: Identity },
  "DELETE /me": { body: EraseBody, reply: Ok },
  "POST /me/name": { body: NameBody, reply: NameSaved },
  "PATCH /me/name": { body: NameBody, reply: NameSaved },
  "GET /me/avatar": { reply: AvatarReply },
  "POST /me/avatar": { body: DesignBody, reply: DesignSaved },
  "DELETE /me/avatar": { reply: AvatarRemoved },
  "POST /me/avatar/preview": { body: DesignBody, reply: Type.String() },
  "POST /me/avatar/upload": { form: true, reply: UploadSaved },
  "POST /me/avatar/from-photo": { form: true, reply: SuggestionReply },
  "GET /me/emails": { reply: Emails },
  "POST /me/emails": { body: EmailBody, reply: EmailWritten },
  "DELETE /me/emails": { body: EmailBody, reply: Ok },
  "POST /me/emails/verify": { body: VerifyBody, reply: EmailWritten },
  "POST /me/emails/primary": { body: EmailBody, reply: PrimaryWritten },
  "GET /platform/admins": { reply: Admins },
  "POST /platform/admins": { body: EmailBody, reply: Granted },
  "DELETE /platform/admins/{userId}": { reply: Ok },
  "GET /platform/metrics": { reply: MetricsReply },
} as const satisfies OperationTable;

export type AvatarOperations = OperationsOf<typeof OPERATIONS>;
