import { type ServerRows, useServerRows } from "@frontdesk/ui";
import { type JobFilter, type JobRow, questions } from "./api.ts";
import { jobPagesKey } from "./job-pages.ts";

/** The jobs that fit, newest first, of all that are kept. */
export const useJobs = (filter: JobFilter): ServerRows<JobRow> =>
  useServerRows(jobPagesKey(filter), ({ cursor, signal }) => questions.jobPage(filter, cursor, signal));
