import { createHash } from "node:crypto";

/** As the engine names a configuration. */
export const versionOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
