import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED, writeClient } from "../services/presence/client/write.ts";
import { settingsPage } from "./settings-page.ts";
import { repository } from "./source-files.ts";

/** `npm run docs`: what is made from the code and kept in the repository. */
writeFileSync(join(repository, "docs/settings.md"), settingsPage());
rmSync(GENERATED, { recursive: true, force: true });
await writeClient(GENERATED);
console.log("wrote docs/settings.md and services/presence/client/generated");
