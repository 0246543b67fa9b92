import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { issueLicense, newSigningKeys, readLicense } from "../adapters/license-file.ts";
import { COMMUNITY, licenseAt } from "../domain/license.ts";
import { show, UsageError, withConfiguration } from "./configuration.ts";

export const LICENSE_USAGE = `license install <file> [--key public.pem]      (the key is PRINT_LICENSE_KEY unless said)
license show [--key public.pem] [--json]
license issue --key private.pem --tier … --expires 2027-12-31T00:00:00Z|never [--no-rfid] [--not-serving]
license keys <folder>                           makes the key pair to issue and check with`;

export async function license(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      key: { type: "string" },
      tier: { type: "string", default: "standard" },
      expires: { type: "string" },
      "no-rfid": { type: "boolean", default: false },
      "not-serving": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const [verb, place] = positionals;
  const publicKey = (installedWith?: string) => {
    const path = values.key ?? process.env.PRINT_LICENSE_KEY;
    if (path) return fileText(path);
    if (installedWith !== undefined) return installedWith;
    throw new UsageError("Say which public key to check with: --key, or the setting PRINT_LICENSE_KEY.");
  };
  if (verb === "install" && place) {
    const file = fileText(place);
    const key = publicKey();
    const { tier, expiresAt } = readLicense(file, key);
    withConfiguration(({ registry }) => {
      registry.settings.put("license", file);
      // For those who look at it later; a running bridge checks with PRINT_LICENSE_KEY alone.
      registry.settings.put("license-key", key);
    });
    console.log(
      `The ${tier} license is installed; it ${expiresAt ? `ends on ${expiresAt}` : "does not end"}.`,
    );
    return 0;
  }
  if (verb === "show") {
    const { file, key } = withConfiguration(({ registry }) => ({
      file: registry.settings.get("license"),
      key: registry.settings.get("license-key"),
    }));
    const now = licenseAt(file ? readLicense(file, publicKey(key)) : COMMUNITY, systemClock.now());
    show([now], values.json, "");
    return 0;
  }
  if (verb === "issue" && values.key && values.expires) {
    const expiresAt = values.expires === "never" ? null : values.expires;
    const serving = !values["not-serving"];
    const content = {
      state: "active",
      tier: values.tier,
      rfidEncode: !values["no-rfid"],
      serving,
      expiresAt,
    } as const;
    process.stdout.write(issueLicense(content, fileText(values.key)));
    return 0;
  }
  if (verb === "keys" && place) {
    const paths = {
      privateKey: join(place, "license-private.pem"),
      publicKey: join(place, "license-public.pem"),
    };
    if (existsSync(paths.privateKey)) throw new UsageError(`${paths.privateKey} is there already.`);
    const keys = newSigningKeys();
    writeFileSync(paths.privateKey, keys.privateKey, { mode: 0o600 });
    writeFileSync(paths.publicKey, keys.publicKey);
    console.log(`${paths.privateKey} signs, ${paths.publicKey} checks.`);
    return 0;
  }
  throw new UsageError(LICENSE_USAGE);
}

function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
