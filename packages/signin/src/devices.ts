import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { stringifySetCookie } from "cookie";
import { type CookieScope, cookieAttributes, cookieValues } from "./cookies.ts";
import { type EmailAddress, identityHash } from "./email-address.ts";
import { createSealedBox } from "./sealed-box.ts";
import type { SessionKeys } from "./session-keys.ts";

const REMEMBERED_MS = 180 * 24 * 3_600_000;
/** So many people may share a browser. */
const MAX_INBOXES = 4;
/** Each takes a moment to unseal. */
const MAX_COOKIES = 2;

interface Device {
  readonly id: string;
  /** Identity hashes of the addresses that signed in here, the latest first. */
  readonly inboxes: readonly string[];
}

/**
 * Browsers that have signed in before, known by a cookie of their own. It opens nothing: its owner is
 * counted apart, so that somebody else in the same network cannot use up what is left of a limit.
 */
export function createDevices(options: { keys: SessionKeys; clock: Clock; session: CookieScope }) {
  const scope = { ...options.session, name: `${options.session.name}_device` };
  const box = createSealedBox({ keys: options.keys, clock: options.clock, ttlMs: REMEMBERED_MS });

  async function open(header: string | undefined): Promise<Device[]> {
    const devices: Device[] = [];
    for (const sealed of cookieValues(header ?? "", scope.name).slice(0, MAX_COOKIES)) {
      const opened = (await box.open(sealed)) as Partial<Device> | null | undefined;
      if (typeof opened?.id === "string" && Array.isArray(opened.inboxes)) devices.push(opened as Device);
    }
    return devices;
  }

  return {
    /** The browser that sends a `Cookie` header, if that address has signed in there. */
    async find(header: string | undefined, email: EmailAddress): Promise<string | undefined> {
      const own = identityHash(email);
      return (await open(header)).find(({ inboxes }) => inboxes.includes(own))?.id;
    },

    /** The value of the `Set-Cookie` header that makes the browser known for an address. */
    async remember(header: string | undefined, email: EmailAddress): Promise<string> {
      // One for the host alone, from before there was a parent domain, comes first: what is new is in the last.
      const known = (await open(header)).at(-1);
      const own = identityHash(email);
      const inboxes = [own, ...(known?.inboxes ?? []).filter((hash) => hash !== own)].slice(0, MAX_INBOXES);
      const id = known?.id ?? randomBytes(16).toString("base64url");
      const value = await box.seal({ id, inboxes } satisfies Device);
      return stringifySetCookie({ ...cookieAttributes(scope), value, maxAge: REMEMBERED_MS / 1000 });
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;
