import { askAnew, gather, putLive, useLive } from "@frontdesk/ui";
import { useEffect, useMemo } from "react";
import { type Discovery, type JobDetail, type JobRow, type PrinterRow, questions } from "./api.ts";
import { filterOf, JOB_PAGES, type JobPages, placeJob } from "./job-pages.ts";
import { pageKey } from "./page-key.ts";
import { changed, queryClient } from "./session.ts";

/** Keeps what the page shows as the bridge has it. */
export function useLiveBridge(): void {
  const asking = useMemo(
    () => gather(() => askAnew(queryClient, questions.printers, { queryKey: ["labels"] })),
    [],
  );
  useEffect(() => asking.stop, [asking]);
  useLive({
    url: "/api/v1/admin/events",
    address: pageKey.inAddress,
    on: {
      job: (job: JobRow) => {
        putJob(job);
        asking.soon();
      },
      status: putStatus,
      discovery: (state: Discovery) => queryClient.setQueryData(questions.discovery.queryKey, state),
      changed: () => {
        const { printers, templates, origins, pairings, license } = questions;
        askAnew(queryClient, printers, templates, origins, pairings, license, { queryKey: ["audit"] });
      },
    },
    onReopen: () =>
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" }),
    onRefused: () => void changed(questions.session),
  });
}

function putJob(job: JobRow): void {
  putInPages(job);
  const { queryKey } = questions.job(job.job_id);
  putLive<JobDetail>(queryClient, queryKey, (detail) => ({ ...detail, ...job }));
  askAnew(queryClient, { queryKey });
}

/** Rows that are shown move in their places; what only the bridge can decide is asked for. */
function putInPages(job: JobRow): void {
  putLive<JobPages>(queryClient, JOB_PAGES.queryKey, (data, queryKey) => {
    const placed = placeJob(data, filterOf(queryKey), job);
    if (placed !== "ask") return placed;
    newJobs.soon();
    return data;
  });
}

const newJobs = gather(() => askAnew(queryClient, JOB_PAGES));

function putStatus(status: PrinterRow["status"]): void {
  putLive<readonly PrinterRow[]>(queryClient, questions.printers.queryKey, (printers) =>
    printers.map((printer) => (printer.id === status.printer ? { ...printer, status } : printer)),
  );
}
