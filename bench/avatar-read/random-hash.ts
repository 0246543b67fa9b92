import { randomBytes } from "node:crypto";
import type { IdentityHash } from "../../services/avatar/src/domain/identity-hash.ts";

export const randomHash = () => randomBytes(32).toString("hex") as IdentityHash;
