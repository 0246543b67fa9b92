import { EmptyState, Page, Section, useAction } from "@frontdesk/ui";
import { Button, Group, Stack, Text } from "@mantine/core";
import { MyBar } from "../board/my-bar.tsx";
import { End } from "../board/people-list.tsx";
import { StatusLabel } from "../board/status-label.tsx";
import { CalendarSection } from "../calendar-feed.tsx";
import { statusOf, useMyself, useOrg } from "../org.ts";
import { PlannedSection } from "../planned.tsx";
import { StatusForm } from "../status-form.tsx";
import { useSetStatus } from "../use-set-status.ts";
import { t } from "../words/status.ts";

export function MyStatusPage() {
  return (
    <Page title={t.myStatus} intro={t.intro}>
      <Now />
      <Section title={t.more}>
        <StatusForm />
      </Section>
      <PlannedSection />
      <CalendarSection />
    </Page>
  );
}

function Now() {
  const { board } = useOrg();
  const myself = useMyself();
  const { clear, undo } = useSetStatus();
  const { undo: undoId } = board.me;
  const clearing = useAction(clear);
  const undoing = useAction(async () => undoId !== null && undo(undoId));
  if (!myself) return <EmptyState title={t.now} />;
  const { status, note, expiresAt } = myself.status;
  const isUsual = statusOf(board.statuses, status).isDefault && expiresAt === null && note === null;
  return (
    <Section
      title={t.now}
      actions={
        <Group gap="xs">
          {undoId !== null && (
            <Button size="xs" variant="default" {...undoing}>
              {t.undo}
            </Button>
          )}
          {!isUsual && (
            <Button size="xs" variant="default" {...clearing}>
              {t.clear}
            </Button>
          )}
        </Group>
      }
    >
      <Group gap="lg" align="baseline">
        <Text fz="lg" component="div">
          <StatusLabel status={statusOf(board.statuses, status)} />
        </Text>
        {expiresAt !== null && (
          <div>
            <End at={expiresAt} />
          </div>
        )}
      </Group>
      {note !== null && (
        <Text size="sm" dir="auto">
          {note}
        </Text>
      )}
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          {t.oneClick}
        </Text>
        <MyBar />
      </Stack>
    </Section>
  );
}
