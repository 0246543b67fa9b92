import {
  count,
  DataTable,
  dropDraft,
  EmptyState,
  ErrorState,
  filled,
  Loaded,
  LoadingState,
  Moment,
  Page,
  Section,
  tellDone,
  useAction,
  useNavigateIfMounted,
  useOnceAnswered,
  useRemovedWork,
} from "@frontdesk/ui";
import { Anchor, Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useSearch } from "wouter";
import { orders, type PrinterRow, type PrinterWritten, questions } from "../api.ts";
import { PrinterBadge, trouble } from "../badges.tsx";
import { foundPrinter } from "../found.ts";
import { jobColumns } from "../job-columns.tsx";
import { LabelPictures } from "../label-pictures.tsx";
import { blankPrinter, PRINTER_DRAFTS, PrinterForm } from "../printer-form.tsx";
import { useJobs } from "../use-jobs.ts";
import { asSentence, LABELS } from "../words/codes.ts";
import { t } from "../words/printer.ts";
import { useTestLabel } from "./printers.tsx";

/** One printer: how it is, what it printed, and how it is set up. `new` is one that is not there yet. */
export function PrinterPage({ id }: { id: string }) {
  const printers = useQuery(questions.printers);
  const removed = useRemovedWork<PrinterWritten>(
    PRINTER_DRAFTS,
    printers.data?.map((each) => each.id),
  ).find(({ name }) => name === id);
  const navigate = useNavigateIfMounted();
  if (id === "~new") return <NewPrinter />;
  return (
    <Loaded query={printers}>
      {(list) => {
        const printer = list.find((each) => each.id === id);
        if (printer) {
          const { status: _status, waiting: _waiting, version, ...record } = printer;
          const onRemoved = () => navigate("/printers");
          return <Printer key={id} record={record} version={version} row={printer} onRemoved={onRemoved} />;
        }
        if (!removed) return <Gone />;
        return <Printer key={id} record={removed.from} version={Number(removed.base)} />;
      }}
    </Loaded>
  );
}

function NewPrinter() {
  const navigate = useNavigateIfMounted();
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
                onSave={orders.addPrinter}
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

/** Without a row it was removed while it was edited: what was typed can be saved as a new one. */
function Printer(props: {
  record: PrinterWritten;
  version: number;
  row?: PrinterRow;
  onRemoved?: () => void;
}) {
  const { record, version, row, onRemoved } = props;
  const { id, name } = record;
  return (
    <Page
      title={name}
      above={[{ name: t.printers, path: "/printers" }]}
      intro={filled(t.knownAs, { id: <Code>{id}</Code> })}
      actions={row && <TestLabel printer={row} />}
    >
      {row && <HowItIs printer={row} />}
      {/* Its setup stays in the same place where the printer goes, with the focus of whoever types. */}
      <WithJobs id={id} hasRow={row !== undefined}>
        <Section title={t.setup}>
          <PrinterForm
            printer={record}
            version={version}
            isRemoved={!row}
            action={row ? t.save : t.makeItAnew}
            onSave={row ? orders.savePrinter : orders.addPrinter}
            onSaved={() => tellDone(t.saved)}
          />
        </Section>
      </WithJobs>
      {row?.transport === "virtual" && <Printed id={id} />}
      {row && <Remove printer={row} onRemoved={onRemoved} />}
    </Page>
  );
}

function TestLabel({ printer }: { printer: PrinterRow }) {
  const test = useTestLabel(printer);
  return <Button {...test}>{t.printATestLabel}</Button>;
}

function HowItIs({ printer: { id, status } }: { printer: PrinterRow }) {
  const check = useAction(() => orders.checkPrinter(id), { changes: [questions.printers] });
  const wrong = trouble(status);
  return (
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
  );
}

function Remove({ printer, onRemoved }: { printer: PrinterRow; onRemoved: (() => void) | undefined }) {
  const { id, name, version, waiting } = printer;
  const remove = useAction(() => orders.removePrinter(id, version), {
    ask: {
      title: t.askToRemove(name),
      body: `${t.pagesCanNoLongerPrintOn} ${count(waiting, t.jobsThatWait)}`,
      action: t.removeThePrinter,
      danger: true,
    },
    changes: [questions.printers],
    done: t.isRemoved(name),
    after: () => {
      dropDraft(PRINTER_DRAFTS + id);
      onRemoved?.();
    },
  });
  return (
    <Section title={t.remove} about={t.takesThePrinterOutOfThe}>
      <Group>
        <Button variant="light" color="red" {...remove}>
          {t.removeThisPrinter}
        </Button>
      </Group>
    </Section>
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

/** How many of its jobs a printer's page shows; the page of jobs has them all. */
const MAX_JOBS = 10;

/** What is below a printer's jobs comes with them, so that it is not pushed away from whoever is at it. */
function WithJobs({ id, hasRow, children }: { id: string; hasRow: boolean; children: ReactNode }) {
  const { rows, isLoading, error, reload } = useJobs({ printer: id, state: "", q: "" });
  const isAnswered = useOnceAnswered(isLoading);
  const jobs = (
    <Section title={t.itsJobs}>
      {error !== null && rows.length === 0 && <ErrorState error={error} retry={reload} />}
      {isLoading && <LoadingState />}
      {(rows.length > 0 || (error === null && !isLoading)) && (
        <DataTable
          caption={t.jobsOfThisPrinter}
          columns={jobColumns({ withPrinter: false })}
          rows={rows.slice(0, MAX_JOBS)}
          rowKey={({ job_id }) => job_id}
          empty={<EmptyState title={t.noJobsYet} />}
        />
      )}
      {rows.length > MAX_JOBS && (
        <Anchor component={Link} href={`/jobs?printer=${encodeURIComponent(id)}`} size="sm">
          {t.allItsJobs}
        </Anchor>
      )}
    </Section>
  );
  return (
    <>
      {hasRow && jobs}
      {(isAnswered || !hasRow) && children}
    </>
  );
}
