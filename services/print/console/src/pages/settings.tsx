import {
  type Column,
  DataTable,
  download,
  duration,
  FileDrop,
  Loaded,
  Moment,
  Page,
  Section,
  shortDate,
  tellDone,
  tellFailure,
  useAction,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { type About, orders, questions } from "../api.ts";
import { changed, queryClient } from "../session.ts";

const columns: Column<About["settings"][number]>[] = [
  {
    title: "Setting",
    cell: ({ name, changed }) => (
      <Group gap="xs">
        <Code>{name}</Code>
        {changed && (
          <Badge size="sm" color="gray">
            Set by you
          </Badge>
        )}
      </Group>
    ),
  },
  {
    title: "Value",
    cell: ({ name, value }) => (
      <Group gap="xs">
        {value ? <Code>{value}</Code> : "not set"}
        {name.endsWith("_MS") && Number(value) >= 1_000 && (
          <Text size="sm" c="dimmed">
            {duration(Number(value))}
          </Text>
        )}
      </Group>
    ),
  },
  { title: "What it is for", cell: ({ about }) => about },
];

export function SettingsPage() {
  const about = useQuery(questions.about);
  const report = useAction(gatherReport, { done: "The report is downloaded. It holds no tokens." });
  return (
    <Page
      title="Settings and license"
      intro="Settings come from the environment the bridge is started with; this page shows what holds."
      actions={
        <Button variant="default" leftSection={<DownloadIcon aria-hidden />} {...report}>
          Download a report
        </Button>
      }
    >
      <License />
      <Loaded query={about}>
        {(facts) => (
          <>
            <Section title="The bridge">
              <Stack gap={4}>
                <Text size="sm">
                  Version {facts.version} on Node {facts.node}, {facts.platform}; started{" "}
                  <Moment time={facts.started_at} />.
                </Text>
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  Listens on <Code>{facts.listen}</Code>, keeps everything in <Code>{facts.home}</Code>.
                </Text>
              </Stack>
            </Section>
            <Section title="Settings">
              <DataTable
                caption="Settings"
                columns={columns}
                rows={facts.settings}
                rowKey={({ name }) => name}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const LICENSE_STATES = {
  active: { words: "Active", color: "pine" },
  expired: { words: "Expired", color: "red" },
  suspended: { words: "Suspended", color: "red" },
};

function License() {
  const license = useQuery(questions.license);
  const { data: about } = useQuery(questions.about);
  const install = async (file: File) => {
    try {
      await orders.installLicense(await file.text());
      await changed(questions.license);
      tellDone("The license is installed.");
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Section title="License">
      <Loaded query={license}>
        {({ state, tier, rfidEncode, serving, expiresAt }) => (
          <Group gap="sm">
            <Badge color={LICENSE_STATES[state].color}>{LICENSE_STATES[state].words}</Badge>
            <Text size="sm">
              {tier.charAt(0).toUpperCase() + tier.slice(1)} license.{" "}
              {serving ? "Printing is allowed" : "Printing is not allowed"}
              {serving && (rfidEncode ? ", RFID tags too" : ", but no RFID tags")}.{" "}
              {expiresAt ? `Good until ${shortDate(expiresAt)}.` : "It does not run out."}
            </Text>
          </Group>
        )}
      </Loaded>
      {about?.license_key ? (
        <FileDrop
          action="Choose a license file"
          hint="or drop it here"
          accept=".json,application/json"
          onFile={(file) => void install(file)}
        />
      ) : (
        <Text size="sm" c="dimmed">
          To install another, start the bridge with <Code>PRINT_LICENSE_KEY</Code>, the key it is checked
          with.
        </Text>
      )}
    </Section>
  );
}

/** Everything somebody who is asked for help wants to see, in one file. */
async function gatherReport(): Promise<void> {
  const { about, printers, jobs, license, tls, logs } = questions;
  const report = {
    about: await queryClient.fetchQuery(about),
    printers: await queryClient.fetchQuery(printers),
    license: await queryClient.fetchQuery(license),
    tls: await queryClient.fetchQuery(tls),
    jobs: await queryClient.fetchQuery(jobs),
    log: await queryClient.fetchQuery(logs),
  };
  download("frontdesk-print-report.json", JSON.stringify(report, null, 2), "application/json");
}
