import {
  count,
  csvOf,
  download,
  NoRows,
  Page,
  type RowPage,
  Section,
  useAction,
  useUrlState,
  VirtualTable,
} from "@frontdesk/ui";
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { type JobFilter, type JobRow, MAX_SEARCH, questions } from "../api.ts";
import { jobColumns, jobPath } from "../job-columns.tsx";
import { useJobs } from "../use-jobs.ts";
import { JOB_STATES } from "../words/codes.ts";
import { t } from "../words/jobs.ts";

export function JobsPage() {
  const { data: printers = [] } = useQuery(questions.printers);
  const [, navigate] = useLocation();
  const [state, setState] = useUrlState("state");
  const [printer, setPrinter] = useUrlState("printer");
  const [typed, setWords] = useUrlState("q");
  const words = typed.slice(0, MAX_SEARCH);
  const filter: JobFilter = { state: isState(state) ? state : "", printer, q: words.trim() };
  const rows = useJobs(filter);
  // Jobs outlive their printer.
  const isKnown = printer === "" || printers.some(({ id }) => id === printer);
  const save = useAction(() => saveJobs(filter), {
    done: (saved) => count(saved, t.jobsAreDownloaded),
  });
  return (
    <Page
      help="what-a-jobs-state-means"
      title={t.jobs}
      intro={t.allThatAreKeptWhoeverAsked}
      wide
      actions={
        <Button variant="default" leftSection={<DownloadIcon aria-hidden />} {...save}>
          {t.downloadAsCsv}
        </Button>
      }
    >
      <Section title={t.whatWasPrinted}>
        <Group grow maw="48rem">
          <NativeSelect
            label={t.show}
            value={state}
            data={[
              { value: "", label: t.all },
              ...Object.entries(JOB_STATES).map(([value, { words: label }]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => setState(value)}
          />
          <NativeSelect
            label={t.printer}
            value={printer}
            data={[
              { value: "", label: t.all },
              ...printers.map(({ id, name }) => ({ value: id, label: name })),
              ...(isKnown ? [] : [{ value: printer, label: t.whichIsNotThere(printer) }]),
            ]}
            onChange={({ currentTarget: { value } }) => setPrinter(value)}
          />
          <TextInput
            label={t.search}
            value={words}
            maxLength={MAX_SEARCH}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        </Group>
        <VirtualTable
          caption={t.jobs}
          columns={jobColumns({ withPrinter: true })}
          rows={rows}
          rowKey={({ job_id }) => job_id}
          onOpen={(job) => navigate(jobPath(job))}
          empty={<NoRows filtered={Boolean(state || printer || words)}>{t.theFirstOneShowsUpHere}</NoRows>}
        />
      </Section>
    </Page>
  );
}

/** An address may carry anything; what is no state shows all. */
const isState = (word: string): word is JobRow["state"] => Object.hasOwn(JOB_STATES, word);

/** More would be a file that no spreadsheet opens. */
const MAX_SAVED = 100_000;

/** The jobs that the list shows, all pages of it, as a file for a spreadsheet. */
async function saveJobs(filter: JobFilter): Promise<number> {
  const jobs: JobRow[] = [];
  let cursor: string | null = null;
  do {
    const page: RowPage<JobRow> = await questions.jobPage(filter, cursor, new AbortController().signal);
    jobs.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && jobs.length < MAX_SAVED);
  const header = ["job", "created", "printer", "origin", "labels", "printed", "voided", "state", "error"];
  const rows = jobs.map((job) => [
    job.job_id,
    job.created_at,
    job.printer_name,
    job.origin,
    job.asked,
    job.printed,
    job.voided,
    job.state,
    job.error?.message,
  ]);
  download("jobs.csv", csvOf(header, rows), "text/csv");
  return jobs.length;
}
