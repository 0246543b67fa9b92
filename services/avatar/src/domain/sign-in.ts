import type { Mailer } from "@frontdesk/kit/mailer";
import type { OneTimeCodes } from "@frontdesk/signin/one-time-codes";
import type { SecondFactor } from "@frontdesk/signin/second-factor";
import type { Sessions } from "@frontdesk/signin/sessions";
import type { Accounts } from "./accounts.ts";
import { codeMail } from "./code-mail.ts";
import type { EmailAddress } from "./email-address.ts";
import { type RefusalCode, refuse } from "./errors.ts";
import { type Limits, takeTurn } from "./limits.ts";
import type { Ledger, Rows } from "./rows.ts";

const PURPOSE = "sign in";

/** Codes by mail, and what they are exchanged for. */
export function createSignIn(ports: {
  ledger: Ledger;
  accounts: Accounts;
  codes: OneTimeCodes;
  factor: SecondFactor;
  sessions: Sessions;
  limits: Limits;
  mail: Mailer;
  apiUrl: string;
}) {
  const { ledger, codes, limits } = ports;

  return {
    /** Mails a code. Every address is treated alike, whether an account knows it or not. */
    async sendCode(email: EmailAddress, sender: string): Promise<void> {
      await takeTurn(limits, "mail_per_sender", `address ${sender}`);
      await takeTurn(limits, "mail_per_inbox", email);
      const code = await ledger.change((rows) => codes.issue(rows.codes, PURPOSE, email));
      await sendMail(ports.mail, codeMail(email, code, "sign in to", ports.apiUrl));
    },

    /** Begins a session; answers with the header that hands out its cookie. */
    async verify(
      email: EmailAddress,
      code: string,
      totp: string | undefined,
      userAgent: string,
    ): Promise<string> {
      const result = await ledger.change(async (rows) => {
        if ((await codes.check(rows.codes, PURPOSE, email, code)) === "wrong")
          return { refused: "invalid_code" as const };
        const owner = (await rows.verifiedClaim(email))?.accountId;
        const refused = owner && (await missingFactor(ports.factor, rows, owner, totp));
        if (refused) {
          if (refused === "mfa_required") await rows.codes.giveTryBack(PURPOSE, email);
          return { refused };
        }
        await codes.spend(rows.codes, PURPOSE, email);
        const account = await ports.accounts.signIn(rows, email);
        return { cookie: await ports.sessions.begin(rows.sessions, account.id, userAgent) };
      });
      // Refused outside the transaction: the try that was made counts.
      if ("refused" in result && result.refused) throw refuse(result.refused);
      return result.cookie as string;
    },
  };
}

export type SignIn = ReturnType<typeof createSignIn>;

/** Why an account's second factor is not satisfied; undefined when it is. */
export async function missingFactor(
  factor: SecondFactor,
  rows: Rows,
  accountId: string,
  totp: string | undefined,
): Promise<RefusalCode | undefined> {
  const verdict = await factor.check(rows.factors, accountId, totp);
  if (verdict === "passed") return undefined;
  return verdict === "missing" ? "mfa_required" : "invalid_totp";
}

export async function sendMail(mail: Mailer, message: Parameters<Mailer>[0]): Promise<void> {
  try {
    await mail(message);
  } catch (error) {
    throw Object.assign(refuse("mail_failed"), { cause: error });
  }
}
