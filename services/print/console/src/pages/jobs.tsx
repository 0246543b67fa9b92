import {
  EmptyState,
  Loaded,
  localRows,
  NoRows,
  Page,
  Section,
  useUrlState,
  VirtualTable,
} from "@frontdesk/ui";
import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { type JobRow, questions } from "../api.ts";
import { jobColumns, jobPath } from "../job-columns.tsx";
import { originInWords } from "../words.ts";

const WHICH: ReadonlyArray<[value: string, name: string, fits: (job: JobRow) => boolean]> = [
  ["", "All", () => true],
  ["moving", "On their way", ({ state }) => ["Queued", "Sending", "Printing"].includes(state)],
  ["held", "Held", ({ state }) => state === "Held"],
  ["bad", "Failed or not known", ({ state }) => state === "Failed" || state === "Unknown"],
  ["done", "Done", ({ state }) => state === "Done"],
];

export function JobsPage() {
  const jobs = useQuery(questions.jobs);
  const { data: printers = [] } = useQuery(questions.printers);
  const [, navigate] = useLocation();
  const [which, setWhich] = useUrlState("state");
  const [printer, setPrinter] = useUrlState("printer");
  const [words, setWords] = useUrlState("q");
  const nameOf = (id: string) => printers.find((each) => each.id === id)?.name ?? id;
  const inState = WHICH.find(([value]) => value === which)?.[2] ?? (() => true);
  const holds = (job: JobRow) =>
    `${job.job_id} ${nameOf(job.printer)} ${originInWords(job.origin)} ${job.error?.message ?? ""}`
      .toLowerCase()
      .includes(words.trim().toLowerCase());
  return (
    <Page title="Jobs" intro="The newest 200, whoever asked for them. This list moves by itself." wide>
      <Section title="What was printed">
        <Group grow maw="48rem">
          <NativeSelect
            label="Show"
            value={which}
            data={WHICH.map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget: { value } }) => setWhich(value)}
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
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        </Group>
        <Loaded query={jobs}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState title="No jobs yet">The first one shows up here by itself.</EmptyState>
            ) : (
              <VirtualTable
                caption="Jobs"
                columns={jobColumns(nameOf)}
                rows={localRows(
                  list.filter((job) => inState(job) && holds(job) && (!printer || job.printer === printer)),
                )}
                rowKey={({ job_id }) => job_id}
                onOpen={(job) => navigate(jobPath(job))}
                empty={<NoRows filtered />}
              />
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}
