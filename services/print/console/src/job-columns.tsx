import { count, Moment, type VirtualColumn } from "@frontdesk/ui";
import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { JobRow } from "./api.ts";
import { JobBadge } from "./badges.tsx";
import { LABELS, originInWords, reasonsInWords } from "./words/codes.ts";
import { t } from "./words/jobs.ts";

export const progress = ({ asked, printed, voided }: JobRow) =>
  `${printed === asked ? count(asked, LABELS) : t.of(printed, count(asked, LABELS))}${voided ? t.voided(voided) : ""}`;

export const jobPath = ({ job_id }: Pick<JobRow, "job_id">) => `/jobs/${encodeURIComponent(job_id)}`;

export function jobColumns({ withPrinter }: { withPrinter: boolean }): VirtualColumn<JobRow>[] {
  return [
    {
      id: "created_at",
      title: t.when,
      width: "9rem",
      cell: (job) => (
        <Anchor component={Link} href={jobPath(job)} size="sm" fw={550}>
          <Moment time={job.created_at} />
        </Anchor>
      ),
    },
    ...(withPrinter
      ? [{ id: "printer", title: t.printer, cell: (job: JobRow) => <bdi>{job.printer_name}</bdi> }]
      : []),
    {
      id: "origin",
      title: t.from,
      cell: ({ origin }) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {originInWords(origin)}
        </Text>
      ),
    },
    { id: "labels", title: t.labels, width: "minmax(6rem, 0.7fr)", cell: progress },
    {
      id: "state",
      title: t.state,
      cell: (job) => (
        <Stack gap={2} align="flex-start">
          <JobBadge job={job} />
          {(job.error || job.reasons.length > 0) && (
            <Text size="xs" c="dimmed">
              {job.error?.message ?? reasonsInWords(job.reasons)}
            </Text>
          )}
        </Stack>
      ),
    },
  ];
}
