import { EmptyState, Loaded, Page, useAction } from "@frontdesk/ui";
import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { MagnifyingGlassIcon, PlusIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { orders, type PrinterRow, questions } from "../api.ts";
import { PrinterBadge, trouble } from "../badges.tsx";
import { asSentence, count, TRANSPORTS } from "../words.ts";
import classes from "./printers.module.css";

export function PrintersPage() {
  const printers = useQuery(questions.printers);
  return (
    <Page
      title="Printers"
      intro="The printers this machine can reach, and how they are right now."
      actions={
        <>
          <Button
            component={Link}
            href="/printers/~find"
            variant="default"
            leftSection={<MagnifyingGlassIcon aria-hidden />}
          >
            Find printers
          </Button>
          <Button component={Link} href="/printers/~new" leftSection={<PlusIcon aria-hidden />}>
            Add a printer
          </Button>
        </>
      }
    >
      <Loaded query={printers}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No printer yet">
              Find the ones that are there, or add the first one; a virtual printer is good to try things.
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }} component="ul" className={classes.list ?? ""}>
              {list.map((printer) => (
                <li key={printer.id}>
                  <PrinterCard printer={printer} />
                </li>
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </Page>
  );
}

function PrinterCard({ printer }: { printer: PrinterRow }) {
  const test = useTestLabel(printer);
  const wrong = trouble(printer.status);
  return (
    <Paper withBorder p="lg" className={classes.card}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} className={classes.name}>
            <Anchor component={Link} href={`/printers/${encodeURIComponent(printer.id)}`} inherit>
              {printer.name}
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
            {printer.waiting === 0 ? "Nothing waits" : `${count(printer.waiting, "job")} waiting`}
          </Text>
          <Button size="xs" variant="default" aria-label={`Print a test label on ${printer.name}`} {...test}>
            Test label
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

export function useTestLabel({ id, name }: Pick<PrinterRow, "id" | "name">) {
  return useAction(() => orders.testPrinter(id), {
    changes: [questions.jobs],
    done: `A test label is on its way to ${name}.`,
  });
}
