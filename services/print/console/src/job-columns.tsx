import { type Column, Moment } from "@frontdesk/ui";
import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { JobRow } from "./api.ts";
import { JobBadge } from "./badges.tsx";
import { count, originInWords, reasonsInWords } from "./words.ts";

export const progress = ({ asked, printed, voided }: JobRow) =>
  `${printed === asked ? count(asked, "label") : `${printed} of ${count(asked, "label")}`}${voided ? `, ${voided} voided` : ""}`;

export function jobColumns({ withPrinter }: { withPrinter: boolean }): Column<JobRow>[] {
  return [
    {
      title: "When",
      cell: (job) => (
        <Anchor component={Link} href={`/jobs/${encodeURIComponent(job.job_id)}`} size="sm" fw={550}>
          <Moment time={job.created_at} />
        </Anchor>
      ),
    },
    ...(withPrinter ? [{ title: "Printer", cell: (job: JobRow) => job.printer }] : []),
    {
      title: "From",
      cell: ({ origin }) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {originInWords(origin)}
        </Text>
      ),
    },
    { title: "Labels", cell: progress },
    {
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
