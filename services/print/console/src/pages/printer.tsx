import {
  count,
  DataTable,
  EmptyState,
  Loaded,
  Moment,
  Page,
  Section,
  tellDone,
  useAction,
} from "@frontdesk/ui";
import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";
import { orders, type PrinterRow, questions } from "../api.ts";
import { PrinterBadge, trouble } from "../badges.tsx";
import { foundPrinter } from "../found.ts";
import { jobColumns } from "../job-columns.tsx";
import { LabelPictures } from "../label-pictures.tsx";
import { blankPrinter, PrinterForm } from "../printer-form.tsx";
import { changed } from "../session.ts";
import { asSentence, LABELS } from "../words.ts";
import { useTestLabel } from "./printers.tsx";

/** One printer: how it is, what it printed, and how it is set up. `new` is one that is not there yet. */
export function PrinterPage({ id }: { id: string }) {
  const printers = useQuery(questions.printers);
  if (id === "~new") return <NewPrinter />;
  return (
    <Loaded query={printers}>
      {(list) => {
        const printer = list.find((each) => each.id === id);
        return printer ? <Printer printer={printer} /> : <Gone />;
      }}
    </Loaded>
  );
}

function NewPrinter() {
  const [, navigate] = useLocation();
  const search = useSearch();
  const printers = useQuery(questions.printers);
  return (
    <Page
      title="Add a printer"
      intro={
        search
          ? "Filled in from what was found. Look it over; a test label shows whether it works."
          : "Tell the bridge how to reach it; a test label shows whether it can."
      }
    >
      <Loaded query={printers}>
        {(list) => {
          const taken = list.map(({ id }) => id);
          return (
            <Section title="The printer">
              <PrinterForm
                printer={foundPrinter(search, taken) ?? blankPrinter}
                taken={taken}
                action="Add the printer"
                onSave={async (printer) => {
                  await orders.addPrinter(printer);
                  await changed(questions.printers);
                }}
                onSaved={(printer) => {
                  tellDone(`${printer.name} is added.`);
                  navigate(`/printers/${encodeURIComponent(printer.id)}`);
                }}
              />
            </Section>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Gone() {
  return (
    <Page title="Printer">
      <EmptyState title="This printer is not there any more">
        <Anchor component={Link} href="/printers">
          To the printers
        </Anchor>
      </EmptyState>
    </Page>
  );
}

function Printer({ printer }: { printer: PrinterRow }) {
  const { id, name, status } = printer;
  const [, navigate] = useLocation();
  const test = useTestLabel(printer);
  const check = useAction(() => orders.checkPrinter(id), { changes: [questions.printers] });
  const remove = useAction(() => orders.removePrinter(id), {
    ask: {
      title: `Remove ${name}?`,
      body: "Pages can no longer print on it. Jobs that wait for it stay kept and are printed when a printer with the same short name is added again.",
      action: "Remove the printer",
      danger: true,
    },
    changes: [questions.printers],
    done: `${name} is removed.`,
    after: () => navigate("/printers"),
  });
  const wrong = trouble(status);
  const { status: _status, waiting: _waiting, version, ...record } = printer;
  return (
    <Page
      title={name}
      above={[{ name: "Printers", path: "/printers" }]}
      intro={
        <>
          Pages that may use every printer know it as <Code>{id}</Code>.
        </>
      }
      actions={<Button {...test}>Print a test label</Button>}
    >
      <Section
        title="How it is"
        actions={
          <Button size="xs" variant="default" {...check}>
            Ask it now
          </Button>
        }
      >
        <Group gap="sm">
          <PrinterBadge status={status} />
          <Text size="sm">
            {wrong ? `${asSentence(wrong)} ` : ""}
            {status.labelsRemaining > 0 ? `${count(status.labelsRemaining, LABELS)} still to come. ` : ""}
            <Text span c="dimmed" inherit>
              Asked <Moment time={status.checkedAt} />.
            </Text>
          </Text>
        </Group>
      </Section>
      <JobsOf id={id} />
      <Section title="Setup">
        <PrinterForm
          printer={record}
          version={version}
          action="Save"
          onSave={async (next, base) => {
            await orders.savePrinter(next, base);
            await changed(questions.printers);
          }}
          onSaved={() => tellDone("Saved.")}
        />
      </Section>
      {printer.transport === "virtual" && <Printed id={id} />}
      <Section title="Remove" about="Takes the printer out of the bridge. The device itself is left alone.">
        <Group>
          <Button variant="light" color="red" {...remove}>
            Remove this printer
          </Button>
        </Group>
      </Section>
    </Page>
  );
}

function Printed({ id }: { id: string }) {
  const labels = useQuery(questions.labels(id));
  return (
    <Section title="What it printed" about="The newest three labels, as pictures.">
      <Loaded query={labels}>
        {(pictures) =>
          pictures.length ? (
            <LabelPictures pictures={pictures.slice(0, 3)} what="Printed labels, newest first" />
          ) : (
            <EmptyState title="Nothing yet">Print a test label to see one.</EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}

function JobsOf({ id }: { id: string }) {
  const jobs = useQuery(questions.jobs);
  return (
    <Section title="Its jobs">
      <Loaded query={jobs}>
        {(list) => (
          <Stack>
            <DataTable
              caption="Jobs of this printer"
              columns={jobColumns({ withPrinter: false })}
              rows={list.filter(({ printer }) => printer === id).slice(0, 10)}
              rowKey={({ job_id }) => job_id}
              empty={<EmptyState title="No jobs yet" />}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
