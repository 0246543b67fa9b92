import {
  type Column,
  DataTable,
  download,
  duration,
  FileDrop,
  filled,
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
import { t } from "../words/settings.ts";

const columns: Column<About["settings"][number]>[] = [
  {
    title: t.setting,
    cell: ({ name, changed }) => (
      <Group gap="xs">
        <Code>{name}</Code>
        {changed && (
          <Badge size="sm" color="gray">
            {t.setByYou}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    title: t.value,
    cell: ({ name, value }) => (
      <Group gap="xs">
        {value ? <Code>{value}</Code> : t.notSet}
        {name.endsWith("_MS") && Number(value) >= 1_000 && (
          <Text size="sm" c="dimmed">
            {duration(Number(value))}
          </Text>
        )}
      </Group>
    ),
  },
  { title: t.whatItIsFor, cell: ({ about }) => about },
];

export function SettingsPage() {
  const about = useQuery(questions.about);
  const report = useAction(gatherReport, { done: t.theReportIsDownloadedItHolds });
  return (
    <Page
      help="settings"
      title={t.settingsAndLicense}
      intro={t.settingsComeFromTheEnvironment}
      actions={
        <Button variant="default" leftSection={<DownloadIcon aria-hidden />} {...report}>
          {t.downloadAReport}
        </Button>
      }
    >
      <License />
      <Loaded query={about}>
        {(facts) => (
          <>
            <Section title={t.theBridge}>
              <Stack gap={4}>
                <Text size="sm">
                  {filled(t.runs, { ...facts, started: <Moment time={facts.started_at} /> })}
                </Text>
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {filled(t.listens, {
                    listen: <Code>{facts.listen}</Code>,
                    home: <Code>{facts.home}</Code>,
                  })}
                </Text>
              </Stack>
            </Section>
            <Section title={t.settings}>
              <DataTable
                caption={t.settings}
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

/** No license is longer, and the bridge takes none. */
const MAX_LICENSE_BYTES = 20_000;

const LICENSE_STATES = {
  active: { words: t.active, color: "pine" },
  expired: { words: t.expired, color: "red" },
  suspended: { words: t.suspended, color: "red" },
};

function License() {
  const license = useQuery(questions.license);
  const { data: about } = useQuery(questions.about);
  const install = async (file: File) => {
    try {
      await orders.installLicense(await file.text());
      await changed(questions.license);
      tellDone(t.theLicenseIsInstalled);
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Section title={t.license}>
      <Loaded query={license}>
        {({ state, tier, rfidEncode, serving, expiresAt }) => (
          <Group gap="sm">
            <Badge color={LICENSE_STATES[state].color}>{LICENSE_STATES[state].words}</Badge>
            <Text size="sm">
              {t.licenseOf(tier.charAt(0).toUpperCase() + tier.slice(1))}{" "}
              {!serving ? t.printingIsNotAllowed : rfidEncode ? t.printingIsAllowed : t.printingWithoutRfid}{" "}
              {expiresAt ? t.goodUntil(shortDate(expiresAt)) : t.itDoesNotRunOut}
            </Text>
          </Group>
        )}
      </Loaded>
      {about?.license_key ? (
        <FileDrop
          action={t.chooseALicenseFile}
          hint={t.orDropItHere}
          accept=".json,application/json"
          maxBytes={MAX_LICENSE_BYTES}
          onFile={(file) => void install(file)}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {filled(t.toInstallAnother, { setting: <Code>PRINT_LICENSE_KEY</Code> })}
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
