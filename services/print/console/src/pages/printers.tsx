import { count, EmptyState, Loaded, Page, tellDone, useAction, useUrlState } from "@frontdesk/ui";
import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { MagnifyingGlassIcon, PlusIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { orders, type PrinterRow, questions } from "../api.ts";
import { PrinterBadge, trouble } from "../badges.tsx";
import { FirstSteps } from "../first-steps.tsx";
import { JOB_PAGES } from "../job-pages.ts";
import { asSentence, TRANSPORTS } from "../words/codes.ts";
import { t } from "../words/printers.ts";
import classes from "./printers.module.css";

/** As many are found at a glance, without a search. */
const FEW = 6;

/** What wants a person is seen first; the rest keeps its order. */
const inTroubleFirst = (printers: readonly PrinterRow[]) =>
  printers.toSorted(
    (one, other) => Number(trouble(other.status) !== "") - Number(trouble(one.status) !== ""),
  );

export function PrintersPage() {
  const printers = useQuery(questions.printers);
  const [words, setWords] = useUrlState("q");
  const fits = ({ id, name, address, transport }: PrinterRow) =>
    `${id} ${name} ${address} ${TRANSPORTS[transport]}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <Page
      help="printers"
      title={t.printers}
      intro={t.thePrintersThisMachineCan}
      actions={
        <>
          <Button
            component={Link}
            href="/printers/~find"
            variant="default"
            leftSection={<MagnifyingGlassIcon aria-hidden />}
          >
            {t.findPrinters}
          </Button>
          <Button component={Link} href="/printers/~new" leftSection={<PlusIcon aria-hidden />}>
            {t.addAPrinter}
          </Button>
        </>
      }
    >
      <FirstSteps>
        <Loaded query={printers}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState title={t.noPrinterYet}>{t.findTheOnesThatAreThere}</EmptyState>
            ) : (
              <Stack>
                {(list.length > FEW || words !== "") && (
                  <TextInput
                    label={t.search}
                    value={words}
                    maw="24rem"
                    onChange={({ currentTarget: { value } }) => setWords(value)}
                  />
                )}
                <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} component="ul" className={classes.list ?? ""}>
                  {inTroubleFirst(list.filter(fits)).map((printer) => (
                    <li key={printer.id}>
                      <PrinterCard printer={printer} />
                    </li>
                  ))}
                </SimpleGrid>
                {list.length > 0 && !list.some(fits) && (
                  <EmptyState title={t.noPrinterFits}>{t.changeOrClearWhatIsSearched}</EmptyState>
                )}
              </Stack>
            )
          }
        </Loaded>
      </FirstSteps>
    </Page>
  );
}

function PrinterCard({ printer }: { printer: PrinterRow }) {
  const test = useTestLabel(printer);
  const wrong = trouble(printer.status);
  return (
    <Paper withBorder p="md" className={classes.card}>
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} className={classes.name}>
            <Anchor component={Link} href={`/printers/${encodeURIComponent(printer.id)}`} inherit>
              <bdi>{printer.name}</bdi>
            </Anchor>
          </Title>
          <PrinterBadge status={printer.status} />
        </Group>
        <Text size="sm" c="dimmed" className={classes.name}>
          {TRANSPORTS[printer.transport]}
          {printer.address && ` · ${printer.address}`}
        </Text>
        {wrong && (
          <Text size="sm" role="status">
            {asSentence(wrong)}
          </Text>
        )}
        <Group justify="space-between" mt="auto">
          <Text size="sm" c="dimmed">
            {count(printer.waiting, t.jobsWait)}
          </Text>
          <Button size="xs" variant="default" aria-label={t.printATestLabelOn(printer.name)} {...test}>
            {t.testLabel}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Prints a test label. On a printer that is stopped it waits, and the message says so. */
export function useTestLabel({ id, name, status }: Pick<PrinterRow, "id" | "name" | "status">) {
  const wrong = trouble(status);
  return useAction(() => orders.testPrinter(id), {
    changes: [JOB_PAGES],
    after: ({ jobId }) =>
      tellDone(wrong ? t.theTestLabelWaitsUntilCan(name, wrong) : t.aTestLabelIsOnIts(name), {
        name: t.seeTheJob,
        path: `/jobs/${encodeURIComponent(jobId)}`,
      }),
  });
}
