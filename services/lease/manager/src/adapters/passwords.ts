import { hash, verify } from "@node-rs/argon2";
import type { Passwords } from "../domain/sign-in.ts";

/** OWASP's first choice for Argon2id (the library's default kind): 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const argon2Passwords: Passwords = {
  hash: (password) => hash(password, COST),
  verify: (hashed, password) => verify(hashed, password),
};
