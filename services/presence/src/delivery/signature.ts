import { createHmac } from "node:crypto";

export interface Secrets {
  readonly secret: string;
  readonly previousSecrets: readonly string[];
  readonly previousUntil: number | null;
}

/** The secrets that count at a moment: the current one, and for a day after a rotation those before it. */
export function liveSecrets({ secret, previousSecrets, previousUntil }: Secrets, now: number): string[] {
  return previousUntil !== null && previousUntil > now ? [secret, ...previousSecrets] : [secret];
}

/** HMAC-SHA256 over the raw body, keyed with the whole secret as text. */
export const bodySignature = (secret: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** Standard Webhooks: over id, time and body, keyed with the bytes that the secret encodes. */
export function standardSignature(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
}

export function signatureHeaders(
  secrets: Secrets,
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  const live = liveSecrets(secrets, now);
  return {
    "x-service-signature": live.map((secret) => bodySignature(secret, body)).join(","),
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": live.map((secret) => standardSignature(secret, id, seconds, body)).join(" "),
  };
}
