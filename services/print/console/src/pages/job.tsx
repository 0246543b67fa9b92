import {
  type Column,
  CopyField,
  count,
  DataTable,
  exactTime,
  Loaded,
  Moment,
  Page,
  Section,
  useAction,
  useNavigateIfMounted,
  wholeNumber,
} from "@frontdesk/ui";
import { Alert, Anchor, Badge, Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { ReloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { type JobDetail, orders, questions } from "../api.ts";
import { JobBadge } from "../badges.tsx";
import { jobPath, progress } from "../job-columns.tsx";
import { JOB_PAGES } from "../job-pages.ts";
import { LabelPictures, pngOf } from "../label-pictures.tsx";
import {
  asSentence,
  JOB_STATES,
  LABELS,
  LANGUAGES,
  originInWords,
  reasonsInWords,
  VERIFICATIONS,
} from "../words/codes.ts";
import { t } from "../words/job.ts";
import classes from "./job.module.css";

export function JobPage({ id }: { id: string }) {
  const job = useQuery(questions.job(id));
  return (
    <Page
      help="what-a-jobs-state-means"
      title={job.data ? t.jobOn(job.data.printer_name, exactTime(job.data.created_at)) : t.job}
      above={[{ name: t.jobs, path: "/jobs" }]}
      actions={job.data?.reprintable && <Reprint job={job.data} />}
    >
      <Loaded query={job}>{(detail) => <Job job={detail} />}</Loaded>
    </Page>
  );
}

/** Prints it again as a job of its own. Where it may have come out already, that is asked first. */
function Reprint({ job }: { job: JobDetail }) {
  const navigate = useNavigateIfMounted();
  const again = useAction(() => orders.reprint(job.job_id), {
    ask: {
      title: t.printItAgainOn(job.printer_name),
      body:
        job.printed === 0 && job.voided === 0 && job.state === "Failed"
          ? t.sentAgain(count(job.asked, LABELS))
          : t.sentAgainTwice(count(job.asked, LABELS)),
      action: t.printAgain,
    },
    changes: [JOB_PAGES],
    done: t.itIsOnItsWayAgain,
    after: ({ jobId }) => navigate(jobPath({ job_id: jobId })),
  });
  return (
    <Button variant="default" leftSection={<ReloadIcon aria-hidden />} {...again}>
      {t.printAgain}
    </Button>
  );
}

function Job({ job }: { job: JobDetail }) {
  const facts: Array<[string, ReactNode]> = [
    [
      t.printer,
      <Anchor key="printer" component={Link} href={`/printers/${encodeURIComponent(job.printer)}`} inherit>
        <bdi>{job.printer_name}</bdi>
      </Anchor>,
    ],
    [t.askedForBy, originInWords(job.origin)],
    [t.language, job.language ? LANGUAGES[job.language] : t.notRecognised],
    [t.accepted, <Moment key="created" time={job.created_at} />],
    [t.lastChange, <Moment key="updated" time={job.updated_at} />],
    [t.howItIsKnown, VERIFICATIONS[job.verification]],
  ];
  return (
    <>
      <Section title={t.howItStands}>
        <Group gap="sm">
          <JobBadge job={job} />
          <Text size="sm">{progress(job)}</Text>
        </Group>
        <Text size="sm">{JOB_STATES[job.state]?.meaning}</Text>
        {job.reasons.length > 0 && (
          <Alert color="clay" title={t.whatToPutRight}>
            {asSentence(reasonsInWords(job.reasons))}
          </Alert>
        )}
        {job.error && (
          <Alert color="red" title={t.why}>
            {job.error.message} <Code>{job.error.code}</Code>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} component="dl" className={classes.facts ?? ""}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </SimpleGrid>
        <CopyField value={job.job_id} what={t.theJobsId} />
      </Section>
      <Pictures job={job} />
      <Labels job={job} />
    </>
  );
}

/** What came out where it was kept, or what will come out while it waits. */
function Pictures({ job }: { job: JobDetail }) {
  const ended = ["Done", "Failed", "Unknown"].includes(job.state);
  const preview = useQuery({
    ...questions.jobPreview(job.job_id),
    enabled: !ended && job.pictures.length === 0 && job.language === "zpl",
  });
  const pictures = job.pictures.length ? job.pictures : ended ? [] : (preview.data ?? []).map(pngOf);
  if (pictures.length === 0) return null;
  return (
    <Section title={job.pictures.length ? t.whatWasPrinted : t.whatWillBePrinted}>
      <LabelPictures pictures={pictures} what={t.picturesOfTheLabels} />
    </Section>
  );
}

type Label = JobDetail["labels"][number];

function Labels({ job }: { job: JobDetail }) {
  const columns: Column<Label & { row: number }>[] = [
    { title: t.label, cell: ({ index }) => t.labelNumber(index + 1) },
    {
      title: t.result,
      cell: ({ printed, encoded, voided }) => {
        if (voided) return <Badge color="clay">{t.voidedItsTagCouldNotBe}</Badge>;
        if (!printed) return <Badge color="gray">{t.notPrinted}</Badge>;
        return <Badge color="pine">{encoded ? t.printedAndEncoded : t.printed}</Badge>;
      },
    },
    ...(job.rfid
      ? [{ title: t.tag, cell: ({ epc }: Label) => (epc ? <Code>{epc}</Code> : t.nothingWasRead) }]
      : []),
  ];
  return (
    <Section title={t.labelByLabel}>
      <Stack>
        <DataTable
          caption={t.labelsOfThisJob}
          columns={columns}
          rows={job.labels.map((label, row) => ({ ...label, row }))}
          rowKey={({ row }) => String(row)}
        />
        {job.more_labels > 0 && (
          <Text size="sm" c="dimmed">
            {t.andMore(wholeNumber(job.more_labels))}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
