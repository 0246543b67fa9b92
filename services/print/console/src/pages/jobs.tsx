import { NoRows, Page, Section, useServerRows, useUrlState, VirtualTable } from "@frontdesk/ui";
import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { questions } from "../api.ts";
import { jobColumns, jobPath } from "../job-columns.tsx";
import { JOB_STATES } from "../words.ts";

export function JobsPage() {
  const { data: printers = [] } = useQuery(questions.printers);
  const [, navigate] = useLocation();
  const [state, setState] = useUrlState("state");
  const [printer, setPrinter] = useUrlState("printer");
  const [words, setWords] = useUrlState("q");
  const rows = useServerRows(["job-pages", state, printer, words], ({ cursor, signal }) =>
    questions.jobPage({ state, printer, q: words.trim(), cursor }, signal),
  );
  return (
    <Page title="Jobs" intro="All that are kept, whoever asked for them. This list moves by itself." wide>
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
