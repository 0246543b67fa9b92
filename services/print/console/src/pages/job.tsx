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
} from "@frontdesk/ui";
import { Alert, Anchor, Badge, Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { ReloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { type JobDetail, orders, questions } from "../api.ts";
import { JobBadge } from "../badges.tsx";
import { jobPath, progress } from "../job-columns.tsx";
import { LabelPictures, pngOf } from "../label-pictures.tsx";
import {
  asSentence,
  JOB_STATES,
  LABELS,
  LANGUAGES,
  originInWords,
  reasonsInWords,
  VERIFICATIONS,
} from "../words.ts";
import classes from "./job.module.css";

export function JobPage({ id }: { id: string }) {
  const job = useQuery(questions.job(id));
  return (
    <Page
      title={job.data ? `Job on ${job.data.printer_name}, ${exactTime(job.data.created_at)}` : "Job"}
      above={[{ name: "Jobs", path: "/jobs" }]}
      actions={job.data?.reprintable && <Reprint job={job.data} />}
    >
      <Loaded query={job}>{(detail) => <Job job={detail} />}</Loaded>
    </Page>
  );
}

/** Prints it again as a job of its own. Where it may have come out already, that is asked first. */
function Reprint({ job }: { job: JobDetail }) {
  const [, navigate] = useLocation();
  const again = useAction(() => orders.reprint(job.job_id), {
    ask: {
      title: `Print it again on ${job.printer_name}?`,
      body:
        job.printed === 0 && job.voided === 0 && job.state === "Failed"
          ? `${count(job.asked, LABELS)}, as they were sent the first time.`
          : `${count(job.asked, LABELS)}, as they were sent the first time. What came out already comes out twice.`,
      action: "Print again",
    },
    changes: [questions.jobs],
    done: "It is on its way again, as a new job.",
    after: ({ jobId }) => navigate(jobPath({ job_id: jobId })),
  });
  return (
    <Button variant="default" leftSection={<ReloadIcon aria-hidden />} {...again}>
      Print again
    </Button>
  );
}

function Job({ job }: { job: JobDetail }) {
  const facts: Array<[string, ReactNode]> = [
    [
      "Printer",
      <Anchor key="printer" component={Link} href={`/printers/${encodeURIComponent(job.printer)}`} inherit>
        <bdi>{job.printer_name}</bdi>
      </Anchor>,
    ],
    ["Asked for by", originInWords(job.origin)],
    ["Language", job.language ? LANGUAGES[job.language] : "not recognised"],
    ["Accepted", <Moment key="created" time={job.created_at} />],
    ["Last change", <Moment key="updated" time={job.updated_at} />],
    ["How it is known", VERIFICATIONS[job.verification]],
  ];
  return (
    <>
      <Section title="How it stands">
        <Group gap="sm">
          <JobBadge job={job} />
          <Text size="sm">{progress(job)}</Text>
        </Group>
        <Text size="sm">{JOB_STATES[job.state]?.meaning}</Text>
        {job.reasons.length > 0 && (
          <Alert color="clay" title="What to put right">
            {asSentence(reasonsInWords(job.reasons))}
          </Alert>
        )}
        {job.error && (
          <Alert color="red" title="Why">
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
        <CopyField value={job.job_id} what="the job's id" />
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
    <Section title={job.pictures.length ? "What was printed" : "What will be printed"}>
      <LabelPictures pictures={pictures} what="Pictures of the labels" />
    </Section>
  );
}

type Label = JobDetail["labels"][number];

function Labels({ job }: { job: JobDetail }) {
  const columns: Column<Label & { row: number }>[] = [
    { title: "Label", cell: ({ index }) => `Label ${index + 1}` },
    {
      title: "Result",
      cell: ({ printed, encoded, voided }) => {
        if (voided) return <Badge color="clay">Voided: its tag could not be written</Badge>;
        if (!printed) return <Badge color="gray">Not printed</Badge>;
        return <Badge color="pine">{encoded ? "Printed and encoded" : "Printed"}</Badge>;
      },
    },
    ...(job.rfid
      ? [{ title: "Tag", cell: ({ epc }: Label) => (epc ? <Code>{epc}</Code> : "nothing was read") }]
      : []),
  ];
  return (
    <Section title="Label by label">
      <Stack>
        <DataTable
          caption="Labels of this job"
          columns={columns}
          rows={job.labels.map((label, row) => ({ ...label, row }))}
          rowKey={({ row }) => String(row)}
        />
        {job.more_labels > 0 && (
          <Text size="sm" c="dimmed">
            And {job.more_labels.toLocaleString()} more.
          </Text>
        )}
      </Stack>
    </Section>
  );
}
