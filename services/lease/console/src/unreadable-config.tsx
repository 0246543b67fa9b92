import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useIsAdmin } from "./rights.ts";
import { t } from "./words/settings.ts";

/** In the place of what the configuration would say, were its file TOML: what is wrong with it, and where it is mended. */
export function UnreadableConfig({ why }: { why: string }) {
  const isAdmin = useIsAdmin();
  return (
    <Alert color="red" title={t.isUnreadable} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{why}</Text>
        {isAdmin && (
          <>
            <Anchor component={Link} href="/settings?mode=text" size="sm" underline="always">
              {t.mendItsText}
            </Anchor>
            <Anchor component={Link} href="/settings?mode=history" size="sm" underline="always">
              {t.bringAnEarlierOneBack}
            </Anchor>
          </>
        )}
      </Stack>
    </Alert>
  );
}

/** Problems as sentences, each with its place. */
export const inSentences = (
  problems: ReadonlyArray<{ line: number; column: number; message: string }> = [],
): string => problems.map(({ line, column, message }) => t.atPlace(line, column, message)).join(" ");
