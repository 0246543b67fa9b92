import type { OperationsOf, OperationTable } from "@frontdesk/kit/operation-table";
import { Type } from "typebox";

/** What signing in sends and gets. */

const strict = { additionalProperties: false };
const time = (description: string) => Type.String({ format: "date-time", description });

export const EmailText = Type.String({ maxLength: 320, description: "An e-mail address." });
/** With room for the white space that people type or paste along. */
export const CodeText = Type.String({ minLength: 1, maxLength: 32, description: "The code from the mail." });
export const TotpText = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "A code from the authenticator, or a recovery code.",
});

export const EmailBody = Type.Object({ email: EmailText }, strict);
export const VerifyBody = Type.Object(
  { email: EmailText, code: CodeText, totp: Type.Optional(TotpText) },
  strict,
);
export const TotpBody = Type.Object({ totp: TotpText }, strict);
export const Ok = Type.Object({ ok: Type.Boolean() }, strict);

export const SignedIn = Type.Object({ signed_in: Type.Boolean() }, strict);

export const SessionsReply = Type.Object(
  {
    sessions: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          created_at: time("When it began."),
          last_seen_at: time("When it was last used, give or take some minutes."),
          user_agent: Type.String(),
          current: Type.Boolean({ description: "Whether it is the caller's own." }),
        },
        strict,
      ),
    ),
  },
  strict,
);

export const Mfa = Type.Object({ enabled: Type.Boolean(), recovery_codes_left: Type.Integer() }, strict);
export const MfaBegun = Type.Object(
  { secret: Type.String(), uri: Type.String({ description: "For a QR code: `otpauth://…`." }) },
  strict,
);
export const MfaConfirmed = Type.Object(
  { ok: Type.Boolean(), recovery_codes: Type.Array(Type.String()) },
  strict,
);

/** What pages may call of signing in, under the path where the service has it. */
export const SIGNIN_OPERATIONS = {
  "GET /auth/session": { reply: SignedIn },
  "POST /auth/code": { body: EmailBody, reply: Ok },
  "POST /auth/verify": { body: VerifyBody, reply: Ok },
  "POST /auth/logout": { reply: Ok },
  "POST /auth/logout-everywhere": { reply: Ok },
  "GET /me/sessions": { reply: SessionsReply },
  "DELETE /me/sessions/{id}": { reply: Ok },
  "GET /me/mfa": { reply: Mfa },
  "POST /me/mfa/totp": { reply: MfaBegun },
  "POST /me/mfa/totp/confirm": { body: TotpBody, reply: MfaConfirmed },
  "DELETE /me/mfa/totp": { body: TotpBody, reply: Ok },
} as const satisfies OperationTable;

export type SigninOperations = OperationsOf<typeof SIGNIN_OPERATIONS>;
