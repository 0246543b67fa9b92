import type { MemberRecord } from "./records.ts";

/** An integration's own reference for a member. Its name may be any word, `constructor` too. */
export const refOf = ({ refs }: MemberRecord, integration: string | null): string | null =>
  integration !== null && Object.hasOwn(refs, integration) ? (refs[integration] ?? null) : null;
