import type { RowPage } from "@frontdesk/ui";
import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import type { JobFilter, JobRow } from "./api.ts";

export type JobPages = InfiniteData<RowPage<JobRow>, string | null>;

/** All lists of jobs in the cache. */
export const JOB_PAGES = { queryKey: ["job-pages"] } as const;

/** The name of a list of jobs in the cache. */
export const jobPagesKey = ({ state, printer, q }: JobFilter): QueryKey => [
  ...JOB_PAGES.queryKey,
  state,
  printer,
  q,
];

export function filterOf([, state, printer, q]: QueryKey): JobFilter {
  return { state: state as JobFilter["state"], printer: String(printer), q: String(q) };
}

/**
 * A list after a job has changed. One that is shown is changed in its place, or leaves the list where it no longer
 * fits; whether and where one that is not shown belongs, only the bridge knows.
 */
export function placeJob(data: JobPages, filter: JobFilter, job: JobRow): JobPages | "ask" {
  const fits =
    (!filter.state || filter.state === job.state) && (!filter.printer || filter.printer === job.printer);
  const at = data.pages.findIndex(({ items }) => items.some(({ job_id }) => job_id === job.job_id));
  const page = data.pages[at];
  if (!page) return fits ? "ask" : data;
  const items = fits
    ? page.items.map((each) => (each.job_id === job.job_id ? job : each))
    : page.items.filter(({ job_id }) => job_id !== job.job_id);
  const gone = page.items.length - items.length;
  const pages = data.pages.with(at, { ...page, items });
  return {
    ...data,
    // Every page tells how many there are in all.
    pages: pages.map((each) => (each.total === undefined ? each : { ...each, total: each.total - gone })),
  };
}
