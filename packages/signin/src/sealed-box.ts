import type { Clock } from "@frontdesk/kit/clock";
import { defaults, seal, unseal } from "iron-webcrypto";
import type { SessionKeys } from "./session-keys.ts";

/** Nothing that we seal is longer; what is need not be looked at. */
const MAX_SEAL_LENGTH = 4_096;

/** Seals values with the first key, opens them with any. What is tampered with, too old or under a dropped key stays shut. */
export function createSealedBox(options: { keys: SessionKeys; clock: Clock; ttlMs: number }) {
  const [first] = options.keys;
  const secrets = Object.fromEntries(options.keys.map(({ id, secret }) => [id, secret]));
  // The library has a clock of its own, which can be set right.
  const settings = () => ({
    ...defaults,
    ttl: options.ttlMs,
    timestampSkewSec: 0,
    localtimeOffsetMsec: options.clock.now() - Date.now(),
  });
  return {
    seal: (value: unknown): Promise<string> => seal(value, first, settings()),
    async open(sealed: string): Promise<unknown> {
      if (sealed.length > MAX_SEAL_LENGTH) return undefined;
      try {
        return await unseal(sealed, secrets, settings());
      } catch {
        return undefined;
      }
    },
    /** Whether the first key sealed it. */
    isCurrent: (sealed: string): boolean => sealed.split("*")[1] === first.id,
  };
}

export type SealedBox = ReturnType<typeof createSealedBox>;
