import type { Api } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { Static } from "typebox";
import type { Mfa, MfaBegun, MfaConfirmed } from "../src/schemas.ts";

export type SigninApi = ReturnType<typeof createSigninApi>;

/** What the pages ask of the routes of this package, under the path where the service has them. */
export function createSigninApi(api: Api, base = "") {
  return {
    /** Whether two-step sign-in is on. */
    mfa: queryOptions({
      queryKey: ["mfa"],
      queryFn: () => api.json<Static<typeof Mfa>>("GET", `${base}/me/mfa`),
    }),
    sendCode: (email: string) => api.json("POST", `${base}/auth/code`, { json: { email } }),
    signIn: (answer: { email: string; code: string; totp?: string }) =>
      api.json("POST", `${base}/auth/verify`, { json: answer }),
    beginTotp: () => api.json<Static<typeof MfaBegun>>("POST", `${base}/me/mfa/totp`),
    confirmTotp: (totp: string) =>
      api.json<Static<typeof MfaConfirmed>>("POST", `${base}/me/mfa/totp/confirm`, { json: { totp } }),
    endTotp: (totp: string) => api.json("DELETE", `${base}/me/mfa/totp`, { json: { totp } }),
  };
}
