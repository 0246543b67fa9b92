import {
  ApiError,
  busyProps,
  ChangedElsewhere,
  CopyField,
  EmptyState,
  ErrorState,
  FieldDifferences,
  LoadingState,
  Moment,
  Page,
  RowsSkeleton,
  Section,
  ShownOnce,
  tellDone,
  tellFailure,
  tellUndoable,
  useConfirm,
} from "@frontdesk/ui";
import { Button, Drawer, Group, SimpleGrid, Tabs, Text } from "@mantine/core";
import { useState } from "react";
import { NAMES } from "./content.ts";

export function StatePage() {
  const confirm = useConfirm();
  const [secret, setSecret] = useState<string>();
  const [drawer, setDrawer] = useState(false);
  const [busy, setBusy] = useState(false);
  return (
    <Page
      title="States and messages"
      above={[
        { name: "Tables", path: "/tables" },
        { name: NAMES[1], path: "/charts" },
      ]}
      intro={
        <>
          First seen <Moment time="2026-11-15T08:00:00.000Z" />.
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="On its way">
          <LoadingState />
          <RowsSkeleton rows={3} />
        </Section>
        <Section title="Nothing there">
          <EmptyState title="No devices yet">They appear here as they ask for an address.</EmptyState>
        </Section>
        <Section title="Refused">
          <ErrorState
            error={new ApiError({ status: 0, code: "unreachable", message: "The server did not answer." })}
            retry={() => {}}
          />
        </Section>
        <Section title="Two at once">
          <ChangedElsewhere
            what="This template"
            difference={<FieldDifferences fields={[{ name: "Name", theirs: NAMES[1], mine: NAMES[0] }]} />}
            onTakeTheirs={() => {}}
            onKeepMine={() => {}}
          />
        </Section>
      </SimpleGrid>
      <Section title="Messages and questions">
        <Group>
          <Button variant="default" onClick={() => tellDone("Saved.")}>
            Say it is done
          </Button>
          <Button variant="default" onClick={() => tellFailure(new Error("The printer does not answer."))}>
            Say it failed
          </Button>
          <Button
            variant="default"
            onClick={() => tellUndoable("Status cleared.", "status", () => tellDone("Taken back."))}
          >
            Undo
          </Button>
          <Button
            variant="default"
            onClick={() =>
              void confirm({
                title: "Remove the printer?",
                body: "Pages can no longer print on it.",
                action: "Remove the printer",
                danger: true,
              })
            }
          >
            Ask
          </Button>
          <Button variant="default" onClick={() => setSecret("fdx_0123456789abcdefghijklmnopqrstuvwxyz")}>
            Show a secret once
          </Button>
          <Button variant="default" onClick={() => setDrawer(true)}>
            Open a drawer
          </Button>
          <Button
            {...busyProps(busy)}
            onClick={() => {
              setBusy(true);
              setTimeout(() => setBusy(false), 3_000);
            }}
          >
            Take a while
          </Button>
        </Group>
        <CopyField value="npx frontdesk print trust" what="the command" />
        <Tabs defaultValue="one">
          <Tabs.List>
            <Tabs.Tab value="one">Now</Tabs.Tab>
            <Tabs.Tab value="two">Then</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="one" pt="md">
            <Text size="sm">As it is decided now.</Text>
          </Tabs.Panel>
          <Tabs.Panel value="two" pt="md">
            <Text size="sm">As it was decided then.</Text>
          </Tabs.Panel>
        </Tabs>
      </Section>
      <ShownOnce
        title="Your new token"
        about="It is shown this once. Keep it where the application reads it."
        what="the token"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
      <Drawer opened={drawer} onClose={() => setDrawer(false)} position="right" title="Why this address">
        <Text size="sm">The reservation for this device says so.</Text>
      </Drawer>
    </Page>
  );
}
