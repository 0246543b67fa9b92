import { type Limits as AnyLimits, SIGNIN_LIMITED } from "@frontdesk/signin/limits";

export { takeTurn } from "@frontdesk/signin/limits";

/** What may be done only so often in an hour, and by whom. */
export const LIMITED = [...SIGNIN_LIMITED, "avatar_writes", "names", "photos", "grants"] as const;

export type Limited = (typeof LIMITED)[number];
export type Limits = AnyLimits<Limited>;
