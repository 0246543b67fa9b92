import { randomBytes } from "node:crypto";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";

export const randomHash = () => randomBytes(32).toString("hex") as IdentityHash;
