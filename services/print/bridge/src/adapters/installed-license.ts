import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Actor, Author, NewAuditEntry } from "../domain/audit.ts";
import { BridgeError } from "../domain/errors.ts";
import { COMMUNITY, type License, licenseAt, UNVERIFIED } from "../domain/license.ts";
import type { Registry } from "../domain/registry.ts";
import { readLicense } from "./license-file.ts";

/**
 * The license that is in force. One that was installed and cannot be checked any more, because the key was
 * changed, blocks printing and nothing else: the console stays up, and another can be installed there.
 */
export function installedLicense(options: {
  readonly registry: Pick<Registry, "settings" | "audit" | "together">;
  readonly publicKey: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { registry, publicKey, clock, log } = options;
  let read: { readonly file: string | undefined; readonly license: License } = {
    file: undefined,
    license: COMMUNITY,
  };

  function checked(file: string): License {
    try {
      return readLicense(file, publicKey ?? "");
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      log.error({ err: error }, "license cannot be checked; printing is blocked until another is installed");
      return UNVERIFIED;
    }
  }

  return {
    current(): License {
      const file = publicKey === undefined ? undefined : registry.settings.get("license");
      if (file !== read.file) read = { file, license: file === undefined ? COMMUNITY : checked(file) };
      return licenseAt(read.license, clock.now());
    },
    install(file: string, actor: Actor): License {
      if (publicKey === undefined)
        throw new BridgeError("LICENSE_BLOCKED", "PRINT_LICENSE_KEY is not set: no license can be checked.");
      const license = readLicense(file, publicKey);
      registry.together(() => {
        registry.settings.put("license", file);
        registry.audit.add(licenseInstalled(license, { actor, at: clock.now() }));
      });
      return licenseAt(license, clock.now());
    },
  };
}

export const licenseInstalled = ({ tier, expiresAt }: License, { actor, at }: Author): NewAuditEntry => ({
  at,
  actor,
  action: "license.installed",
  subject: null,
  detail: { tier, expires_at: expiresAt },
});
