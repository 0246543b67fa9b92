import type { Api } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { SigninOperations } from "../src/schemas.ts";

export type { SigninOperations };
export type SigninApi = ReturnType<typeof createSigninApi>;

/** What the pages ask of the routes of this package. */
export function createSigninApi({ call }: Api<SigninOperations>) {
  return {
    /** Whether two-step sign-in is on. */
    mfa: queryOptions({ queryKey: ["mfa"], queryFn: () => call("GET /me/mfa") }),
    sendCode: (email: string) => call("POST /auth/code", { json: { email } }),
    signIn: (answer: { email: string; code: string; totp?: string }) =>
      call("POST /auth/verify", { json: answer }),
    beginTotp: () => call("POST /me/mfa/totp"),
    confirmTotp: (totp: string) => call("POST /me/mfa/totp/confirm", { json: { totp } }),
    endTotp: (totp: string) => call("DELETE /me/mfa/totp", { json: { totp } }),
  };
}
