import {
  count,
  csvOf,
  download,
  NoRows,
  Page,
  type RowPage,
  Section,
  useAction,
  useServerRows,
  useUrlState,
  VirtualTable,
} from "@frontdesk/ui";
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { type JobFilter, type JobRow, questions } from "../api.ts";
import { jobColumns, jobPath } from "../job-columns.tsx";
import { jobPagesKey } from "../job-pages.ts";
import { JOB_STATES } from "../words.ts";

export function JobsPage() {
  const { data: printers = [] } = useQuery(questions.printers);
  const [, navigate] = useLocation();
  const [state, setState] = useUrlState("state");
  const [printer, setPrinter] = useUrlState("printer");
  const [words, setWords] = useUrlState("q");
  const filter: JobFilter = { state: isState(state) ? state : "", printer, q: words.trim() };
  const rows = useServerRows(jobPagesKey(filter), ({ cursor, signal }) =>
    questions.jobPage(filter, cursor, signal),
  );
  const save = useAction(() => saveJobs(filter), {
    done: (saved) => count(saved, { one: "# job is downloaded.", other: "# jobs are downloaded." }),
  });
  return (
    <Page
      title="Jobs"
      intro="All that are kept, whoever asked for them. This list moves by itself."
      wide
      actions={
        <Button variant="default" leftSection={<DownloadIcon aria-hidden />} {...save}>
          Download as CSV
        </Button>
      }
    >
      <Section title="What was printed">
        <Group grow maw="48rem">
          <NativeSelect
            label="Show"
            value={state}
            data={[
              { value: "", label: "All" },
              ...Object.entries(JOB_STATES).map(([value, { words: label }]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => setState(value)}
          />
          <NativeSelect
            label="Printer"
            value={printer}
            data={[
              { value: "", label: "All" },
              ...printers.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={({ currentTarget: { value } }) => setPrinter(value)}
          />
          <TextInput
            label="Search"
            value={words}
            maxLength={200}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        </Group>
        <VirtualTable
          caption="Jobs"
          columns={jobColumns({ withPrinter: true })}
          rows={rows}
          rowKey={({ job_id }) => job_id}
          onOpen={(job) => navigate(jobPath(job))}
          empty={
            <NoRows filtered={Boolean(state || printer || words)}>
              The first one shows up here by itself.
            </NoRows>
          }
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
