import type { MemberAddress } from "../domain/member.ts";
import { EmailParams, RefParams } from "./requests.ts";

/** The two ways a path names a member; every route under a member exists in both. */
export const ADDRESSES = [
  { path: "/members/:email", params: EmailParams, suffix: "", how: "by e-mail" },
  {
    path: "/members/by-external-ref/:ref",
    params: RefParams,
    suffix: "ByRef",
    how: "by the caller's own reference",
  },
] as const;

export const addressOf = (params: unknown): MemberAddress => {
  const { email, ref } = params as { email?: string; ref?: string };
  return email === undefined ? { externalRef: ref as string } : { email };
};
