import { useEffect, useState } from "react";
import { type JobDetail, type JobRow, type PrinterRow, questions } from "./api.ts";
import { changed, queryClient } from "./session.ts";

const MOST_JOBS = 200;
/** Many jobs end at once; what has to be asked for again is asked for once. */
const GATHER_MS = 300;

/** Keeps what the page shows as the bridge has it. Answers whether the bridge can be heard at the moment. */
export function useLive(): boolean {
  const [heard, setHeard] = useState(true);
  useEffect(() => {
    const source = new EventSource("/api/v1/admin/events");
    const asking = gather(() => void changed(questions.printers, { queryKey: ["labels"] }));
    source.onopen = () => {
      setHeard(true);
      // What happened meanwhile was not told.
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    };
    source.onerror = () => {
      setHeard(false);
      void changed(questions.session);
    };
    source.addEventListener("job", ({ data }) => {
      putJob(JSON.parse(data));
      asking.soon();
    });
    source.addEventListener("status", ({ data }) => putStatus(JSON.parse(data)));
    source.addEventListener("discovery", ({ data }) =>
      queryClient.setQueryData(questions.discovery.queryKey, JSON.parse(data)),
    );
    source.addEventListener("changed", () => {
      const { printers, templates, origins, pairings, license } = questions;
      void changed(printers, templates, origins, pairings, license);
    });
    return () => {
      asking.stop();
      source.close();
    };
  }, []);
  return heard;
}

function putJob(job: JobRow): void {
  queryClient.setQueryData(questions.jobs.queryKey, (jobs) => {
    if (!jobs) return jobs;
    if (jobs.some(({ job_id }) => job_id === job.job_id))
      return jobs.map((each) => (each.job_id === job.job_id ? job : each));
    return [job, ...jobs].slice(0, MOST_JOBS);
  });
  const { queryKey } = questions.job(job.job_id);
  if (!queryClient.getQueryData(queryKey)) return;
  queryClient.setQueryData(queryKey, (detail?: JobDetail) => (detail ? { ...detail, ...job } : detail));
  void changed({ queryKey });
}

function putStatus(status: PrinterRow["status"]): void {
  queryClient.setQueryData(questions.printers.queryKey, (printers) =>
    printers?.map((printer) => (printer.id === status.printer ? { ...printer, status } : printer)),
  );
}

function gather(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, GATHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
