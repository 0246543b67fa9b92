import {
  count,
  DataTable,
  EmptyState,
  filled,
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
import { asSentence, LABELS } from "../words/codes.ts";
import { t } from "../words/printer.ts";
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
    <Page title={t.addAPrinter} intro={search ? t.filledInFromWhatWasFound : t.tellTheBridgeHowToReach}>
      <Loaded query={printers}>
        {(list) => {
          const taken = list.map(({ id }) => id);
          return (
            <Section title={t.thePrinter}>
              <PrinterForm
                // What was found, and what is written by hand, are two forms.
                key={search}
                printer={foundPrinter(search, taken) ?? blankPrinter}
                taken={taken}
                action={t.addThePrinter}
                onSave={async (printer) => {
                  await orders.addPrinter(printer);
                  await changed(questions.printers);
                }}
                onSaved={(printer) => {
                  tellDone(t.isAdded(printer.name));
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
    <Page title={t.printer}>
      <EmptyState title={t.thisPrinterIsNotThereAny}>
        <Anchor component={Link} href="/printers">
          {t.toThePrinters}
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
      title: t.askToRemove(name),
      body: `${t.pagesCanNoLongerPrintOn} ${count(printer.waiting, t.jobsThatWait)}`,
      action: t.removeThePrinter,
      danger: true,
    },
    changes: [questions.printers],
    done: t.isRemoved(name),
    after: () => navigate("/printers"),
  });
  const wrong = trouble(status);
  const { status: _status, waiting: _waiting, version, ...record } = printer;
  return (
    <Page
      title={name}
      above={[{ name: t.printers, path: "/printers" }]}
      intro={filled(t.knownAs, { id: <Code>{id}</Code> })}
      actions={<Button {...test}>{t.printATestLabel}</Button>}
    >
      <Section
        title={t.howItIs}
        actions={
          <Button size="xs" variant="default" {...check}>
            {t.askItNow}
          </Button>
        }
      >
        <Group gap="sm">
          <PrinterBadge status={status} />
          <Text size="sm">
            {wrong ? `${asSentence(wrong)} ` : ""}
            {status.labelsRemaining > 0 ? t.stillToCome(count(status.labelsRemaining, LABELS)) : ""}
            <Text span c="dimmed" inherit>
              {filled(t.asked, { when: <Moment time={status.checkedAt} /> })}
            </Text>
          </Text>
        </Group>
      </Section>
      <JobsOf id={id} />
      <Section title={t.setup}>
        <PrinterForm
          printer={record}
          version={version}
          action={t.save}
          onSave={async (next, base) => {
            await orders.savePrinter(next, base);
            await changed(questions.printers);
          }}
          onSaved={() => tellDone(t.saved)}
        />
      </Section>
      {printer.transport === "virtual" && <Printed id={id} />}
      <Section title={t.remove} about={t.takesThePrinterOutOfThe}>
        <Group>
          <Button variant="light" color="red" {...remove}>
            {t.removeThisPrinter}
          </Button>
        </Group>
      </Section>
    </Page>
  );
}

function Printed({ id }: { id: string }) {
  const labels = useQuery(questions.labels(id));
  return (
    <Section title={t.whatItPrinted} about={t.theNewestThreeLabelsAsPictures}>
      <Loaded query={labels}>
        {(pictures) =>
          pictures.length ? (
            <LabelPictures pictures={pictures.slice(0, 3)} what={t.printedLabelsNewestFirst} />
          ) : (
            <EmptyState title={t.nothingYet}>{t.printATestLabelToSee}</EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}

function JobsOf({ id }: { id: string }) {
  const jobs = useQuery(questions.jobs);
  return (
    <Section title={t.itsJobs}>
      <Loaded query={jobs}>
        {(list) => (
          <Stack>
            <DataTable
              caption={t.jobsOfThisPrinter}
              columns={jobColumns({ withPrinter: false })}
              rows={list.filter(({ printer }) => printer === id).slice(0, 10)}
              rowKey={({ job_id }) => job_id}
              empty={<EmptyState title={t.noJobsYet} />}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
