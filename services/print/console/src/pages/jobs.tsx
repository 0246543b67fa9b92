import { DataTable, EmptyState, Loaded, Page, Section } from "@frontdesk/ui";
import { Group, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type JobRow, questions } from "../api.ts";
import { jobColumns } from "../job-columns.tsx";

const WHICH: ReadonlyArray<[name: string, fits: (job: JobRow) => boolean]> = [
  ["All", () => true],
  ["On their way", ({ state }) => ["Queued", "Sending", "Printing"].includes(state)],
  ["Held", ({ state }) => state === "Held"],
  ["Failed or not known", ({ state }) => state === "Failed" || state === "Unknown"],
  ["Done", ({ state }) => state === "Done"],
];

export function JobsPage() {
  const jobs = useQuery(questions.jobs);
  const { data: printers = [] } = useQuery(questions.printers);
  const [which, setWhich] = useState("All");
  const [printer, setPrinter] = useState("");
  const fits = WHICH.find(([name]) => name === which)?.[1] ?? (() => true);
  return (
    <Page title="Jobs" intro="The newest 200, whoever asked for them. This list moves by itself.">
      <Section title="What was printed">
        <Group grow maw="32rem">
          <NativeSelect
            label="Show"
            value={which}
            data={WHICH.map(([name]) => name)}
            onChange={(event) => setWhich(event.currentTarget.value)}
          />
          <NativeSelect
            label="Printer"
            value={printer}
            data={[
              { value: "", label: "All" },
              ...printers.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(event) => setPrinter(event.currentTarget.value)}
          />
        </Group>
        <Loaded query={jobs}>
          {(list) => (
            <DataTable
              caption="Jobs"
              columns={jobColumns({ withPrinter: true })}
              rows={list.filter((job) => fits(job) && (!printer || job.printer === printer))}
              rowKey={({ job_id }) => job_id}
              empty={
                <EmptyState title={list.length ? "No job fits" : "No jobs yet"}>
                  {list.length ? "Choose something else above." : "The first one shows up here by itself."}
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
