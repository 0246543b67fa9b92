import { listed, tellDone } from "@frontdesk/ui";
import { call } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import type { Values } from "./config-values.ts";
import { changed } from "./session.ts";
import { withTypedWords } from "./typed-confirm.tsx";
import { t } from "./words/settings.ts";

/** Makes the configuration say these values, if it is still the one that was edited. */
export const writeConfig = (config: Values, base: string) =>
  withTypedWords((query) =>
    call("PUT /config/full", {
      json: { config: config as Record<string, unknown> },
      ifMatch: `"${base}"`,
      query,
    }),
  );

export type Applied = Awaited<ReturnType<typeof writeConfig>>;

/** After a write: shows what there is now, and says what waits for a restart. */
export async function showApplied({ restart }: Applied): Promise<void> {
  await changed(...CONFIG_CHANGES);
  tellDone(restart.length > 0 ? t.isSavedRestart(listed(restart)) : t.isSaved);
}
