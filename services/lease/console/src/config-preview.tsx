import { Loaded, lazyPage } from "@frontdesk/ui";
import { Stack, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { call } from "./api.ts";
import { ConfigReplay } from "./config-replay.tsx";
import type { Values } from "./config-values.ts";
import { t } from "./words/preview.ts";

const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

/** How long nobody types before it is asked what a change would mean. */
const ASK_AFTER_MS = 400;

/** What saving these values would change: in the file, and for the clients of the last day. */
export function ConfigPreview({ values }: { values: Values }) {
  const [wanted] = useDebouncedValue(JSON.stringify(values), ASK_AFTER_MS);
  const compared = useQuery({
    queryKey: ["config", "diff", wanted],
    queryFn: () => call("POST /config/diff", { json: { config: JSON.parse(wanted) } }),
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <Stack gap="sm">
      <Title order={4}>{t.inTheFile}</Title>
      <Loaded query={compared}>
        {({ before, after }) => (
          <Stack gap="sm">
            <Suspense>
              <DiffView label={t.inTheFile} before={before} after={after} />
            </Suspense>
            {before !== after && (
              <>
                <Title order={4}>{t.forClients}</Title>
                <ConfigReplay text={after} />
              </>
            )}
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
