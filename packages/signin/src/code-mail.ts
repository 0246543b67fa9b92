import type { Mail } from "@frontdesk/kit/mailer";
import type { EmailAddress } from "./email-address.ts";

/** The mail that carries a code. Its subject does not: subjects are logged, and shown on locked phones. */
export function codeMail(
  to: EmailAddress,
  code: string,
  action: "sign in to" | "connect this address to your account at",
  where: string,
): Mail {
  return {
    to,
    subject: action === "sign in to" ? "Your sign-in code" : "Your code to connect this address",
    text: [
      `Your code to ${action} ${where} is`,
      "",
      `    ${code}`,
      "",
      "It is good once, for ten minutes. If you did not ask for it, somebody may have mistyped their",
      "address: there is nothing you need to do.",
      "",
    ].join("\n"),
  };
}
