import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { licenseInstalled } from "../adapters/installed-license.ts";
import { issueLicense, newSigningKeys, readLicense } from "../adapters/license-file.ts";
import { COMMUNITY, licenseAt } from "../domain/license.ts";
import { type Configuration, fileText } from "./configuration.ts";

export const licenseCommands: Commands<Configuration> = {
  "license install": command(
    "<file> [--key <public.pem>]",
    "installs a license; the key is PRINT_LICENSE_KEY unless said",
    async (configuration, [place = ""], options) => {
      const file = fileText(place);
      const key = publicKey(configuration, options.key);
      const license = readLicense(file, key);
      const { registry, author } = configuration;
      registry.together(() => {
        registry.settings.put("license", file);
        // For those who look at it later; a running bridge checks with PRINT_LICENSE_KEY alone.
        registry.settings.put("license-key", key);
        registry.audit.add(licenseInstalled(license, author()));
      });
      const { tier, expiresAt } = license;
      return `The ${tier} license is installed; it ${expiresAt ? `ends on ${expiresAt}` : "does not end"}.`;
    },
  ),
  "license show": command(
    "[--key <public.pem>]",
    "the license in force",
    async (configuration, _words, options) => {
      const { settings } = configuration.registry;
      const file = settings.get("license");
      const license = file
        ? readLicense(file, publicKey(configuration, options.key, settings.get("license-key")))
        : COMMUNITY;
      return [{ ...licenseAt(license, systemClock.now()) }];
    },
  ),
  "license issue": command(
    "--key <private.pem> --expires <2027-12-31T00:00:00Z|never> [--tier <standard>] [--no-rfid] [--not-serving]",
    "prints a license, signed with the key",
    async (_configuration, _words, { key, expires, tier = "standard" }, flags) => {
      if (!key || !expires) throw new StartProblem("Say --key, and --expires with a time or never.");
      const content = {
        state: "active",
        tier,
        rfidEncode: !flags.has("no-rfid"),
        serving: !flags.has("not-serving"),
        expiresAt: expires === "never" ? null : expires,
      } as const;
      return issueLicense(content, fileText(key)).trimEnd();
    },
  ),
  "license keys": command(
    "<folder>",
    "makes the key pair to issue and check with",
    async (_configuration, [folder = ""]) => {
      const [privateKey, publicKey] = ["private", "public"].map((name) =>
        join(folder, `license-${name}.pem`),
      ) as [string, string];
      if (existsSync(privateKey)) throw new StartProblem(`${privateKey} is there already.`);
      const keys = newSigningKeys();
      writeFileSync(privateKey, keys.privateKey, { mode: 0o600 });
      writeFileSync(publicKey, keys.publicKey);
      return `${privateKey} signs, ${publicKey} checks.`;
    },
  ),
};

/** The text of the key to check with: as said, as set, or as a license was installed with. */
function publicKey(configuration: Configuration, said: string | undefined, installedWith?: string): string {
  const path = said ?? configuration.settings().PRINT_LICENSE_KEY;
  if (path) return fileText(path);
  if (installedWith !== undefined) return installedWith;
  throw new StartProblem("Say which public key to check with: --key, or the setting PRINT_LICENSE_KEY.");
}
