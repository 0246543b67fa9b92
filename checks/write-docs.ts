import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsPage } from "./settings-page.ts";
import { repository } from "./source-files.ts";

/** `npm run docs`: the pages that are made from the code. */
writeFileSync(join(repository, "docs/settings.md"), settingsPage());
console.log("wrote docs/settings.md");
