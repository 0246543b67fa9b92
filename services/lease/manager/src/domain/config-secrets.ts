import { isTable, type TomlTable, type TomlValue } from "@frontdesk/lease-config/toml-text";
import { versionOf } from "./config-version.ts";

const SECRETS = new Set(["control_token", "tsig_secret", "secret"]);

/** The version of a reading without secrets. No write accepts it: it would delete what the reading leaves out. */
export const versionWithoutSecrets = (version: string) => versionOf(`${version} without secrets`);

/** The configuration for those who may read it but not the secrets in it. */
export function withoutSecrets(table: TomlTable): TomlTable {
  const shown = (value: TomlValue): TomlValue => {
    if (Array.isArray(value)) return value.map(shown);
    return isTable(value) ? withoutSecrets(value) : value;
  };
  return Object.fromEntries(
    Object.entries(table)
      .filter(([key]) => !SECRETS.has(key))
      .map(([key, value]) => [key, shown(value)]),
  );
}
