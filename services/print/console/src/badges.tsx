import { Badge } from "@mantine/core";
import type { JobRow, PrinterRow } from "./api.ts";
import { JOB_STATES, PRINTER_STATES, reasonsInWords } from "./words/codes.ts";

export function PrinterBadge({ status }: { status: PrinterRow["status"] }) {
  const { words, color } = PRINTER_STATES[status.state] ?? { words: status.state, color: "gray" };
  return (
    <Badge color={color} flex="none">
      {words}
    </Badge>
  );
}

/** What a person in front of the printer would have to put right; nothing when all is well. */
export function trouble(status: PrinterRow["status"]): string {
  return status.state === "ready" || status.state === "printing" ? "" : reasonsInWords(status.reasons);
}

export function JobBadge({ job }: { job: Pick<JobRow, "state"> }) {
  const { words, color, meaning } = JOB_STATES[job.state] ?? { words: job.state, color: "gray", meaning: "" };
  return (
    <Badge color={color} title={meaning} flex="none">
      {words}
    </Badge>
  );
}
