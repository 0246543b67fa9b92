import { count, Moment, type VirtualColumn } from "@frontdesk/ui";
import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { JobRow } from "./api.ts";
import { JobBadge } from "./badges.tsx";
import { LABELS, originInWords, reasonsInWords } from "./words.ts";

export const progress = ({ asked, printed, voided }: JobRow) =>
  `${printed === asked ? count(asked, LABELS) : `${printed} of ${count(asked, LABELS)}`}${voided ? `, ${voided} voided` : ""}`;

export const jobPath = ({ job_id }: Pick<JobRow, "job_id">) => `/jobs/${encodeURIComponent(job_id)}`;

export function jobColumns({ withPrinter }: { withPrinter: boolean }): VirtualColumn<JobRow>[] {
  return [
    {
      id: "created_at",
      title: "When",
      width: "9rem",
      cell: (job) => (
        <Anchor component={Link} href={jobPath(job)} size="sm" fw={550}>
          <Moment time={job.created_at} />
        </Anchor>
      ),
    },
    ...(withPrinter
      ? [{ id: "printer", title: "Printer", cell: (job: JobRow) => <bdi>{job.printer_name}</bdi> }]
      : []),
    {
      id: "origin",
      title: "From",
      cell: ({ origin }) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {originInWords(origin)}
        </Text>
      ),
    },
    { id: "labels", title: "Labels", width: "minmax(6rem, 0.7fr)", cell: progress },
    {
      id: "state",
      title: "State",
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
