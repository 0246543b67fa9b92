import { FieldDifferences, lazyPage } from "@frontdesk/ui";
import { Stack } from "@mantine/core";
import { Suspense } from "react";
import type { TemplateBody } from "./api.ts";
import { LANGUAGES } from "./words/codes.ts";
import { t } from "./words/template.ts";

const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

/** What keeping one's own version of a template changes in the one that somebody else has saved. */
export function TemplateDifferences({ theirs, mine }: { theirs: TemplateBody; mine: TemplateBody }) {
  const fields: ReadonlyArray<[name: string, of: (template: TemplateBody) => string]> = [
    [t.name, ({ name }) => name],
    [t.language, ({ language }) => LANGUAGES[language] ?? language],
    [t.dotsPerMm, ({ dpmm }) => String(dpmm)],
  ];
  return (
    <Stack gap="sm">
      <FieldDifferences fields={fields.map(([name, of]) => ({ name, theirs: of(theirs), mine: of(mine) }))} />
      {theirs.body !== mine.body && (
        <Suspense>
          <DiffView label={t.whatKeepingYoursChangesIn} before={theirs.body} after={mine.body} />
        </Suspense>
      )}
    </Stack>
  );
}
