import { busyProps, count, filled, Loaded, Page, Section, tellFailure } from "@frontdesk/ui";
import { Alert, Anchor, Badge, Button, Group, List, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import { ExclamationTriangleIcon, MagnifyingGlassIcon } from "@radix-ui/react-icons";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { type Discovery, orders, questions } from "../api.ts";
import { addFound } from "../found.ts";
import { queryClient } from "../session.ts";
import { asSentence, LANGUAGES, TRANSPORTS, VIAS } from "../words/codes.ts";
import { t } from "../words/find.ts";
import classes from "./find.module.css";

type Found = Discovery["printers"][number];

/** Looks for printers as soon as it is opened, and shows each as it answers. */
const PRINTERS = t.printers;

export function FindPage() {
  const discovery = useQuery(questions.discovery);
  const search = useMutation({
    mutationFn: orders.discover,
    onSuccess: (state) => queryClient.setQueryData(questions.discovery.queryKey, state),
    onError: tellFailure,
  });
  const { mutate } = search;
  useEffect(() => mutate(), [mutate]);
  const searching = search.isPending || discovery.data?.state === "searching";
  return (
    <Page
      help="finding-printers"
      title={t.findPrinters}
      intro={t.printersOnThisNetworkAndOn}
      actions={
        <Button
          variant="default"
          leftSection={<MagnifyingGlassIcon aria-hidden />}
          {...busyProps(searching)}
          onClick={() => mutate()}
        >
          {t.searchAgain}
        </Button>
      }
    >
      <Loaded query={discovery}>{(state) => <Results state={state} searching={searching} />}</Loaded>
    </Page>
  );
}

function Results({ state, searching }: { state: Discovery; searching: boolean }) {
  const printers = state.printers.filter(({ sure }) => sure);
  const ports = state.printers.filter(({ sure }) => !sure);
  const problems = state.ways.filter(({ problem }) => problem);
  return (
    <>
      <Group gap="sm" role="status">
        {searching && <Loader size="xs" />}
        <Text size="sm">
          {searching
            ? t.looking(Math.round(state.milliseconds / 1000), count(printers.length, PRINTERS))
            : t.found(count(printers.length, PRINTERS))}
        </Text>
      </Group>
      {printers.length > 0 && <FoundList label={t.printersThatWereFound} list={printers} order={2} />}
      {!searching && printers.length === 0 && <Nothing />}
      {ports.length > 0 && (
        <Section title={t.thereMayBeAPrinterHere} about={t.serialPortsAndPrintersThat}>
          <FoundList label={t.placesWhereAPrinterMayBe} list={ports} order={3} />
        </Section>
      )}
      {state.leftOut > 0 && <Text size="sm">{t.moreAnsweredThanAreListed}</Text>}
      {problems.map(({ via, problem }) => (
        <Alert
          key={via}
          color="clay"
          icon={<ExclamationTriangleIcon />}
          title={asSentence(t.didNotWork(VIAS[via]))}
        >
          {problem}
        </Alert>
      ))}
    </>
  );
}

function Nothing() {
  return (
    <Section title={t.noPrinterAnswered}>
      <List size="sm" spacing={6}>
        <List.Item>{t.isItSwitchedOnWithIts}</List.Item>
        <List.Item>{t.isItOnTheSameNetwork}</List.Item>
        <List.Item>{t.aFirewallOnThisMachineMust}</List.Item>
        <List.Item>
          {filled(t.addedWithoutBeingFound, {
            add: (
              <Anchor component={Link} href="/printers/~new" inherit underline="always">
                {t.addItByItsAddress}
              </Anchor>
            ),
          })}
        </List.Item>
      </List>
    </Section>
  );
}

function FoundList({ label, list, order }: { label: string; list: readonly Found[]; order: 2 | 3 }) {
  return (
    <Stack component="ul" gap="sm" className={classes.list ?? ""} aria-label={label}>
      {list.map((found) => (
        <li key={found.id}>
          <FoundCard found={found} order={order} />
        </li>
      ))}
    </Stack>
  );
}

function FoundCard({ found, order }: { found: Found; order: 2 | 3 }) {
  const { name, model, serial, transport, address, languages, dpmm, ways, added } = found;
  const by = [...new Set(ways.map(({ via }) => VIAS[via]))].join(", ");
  const about = [
    model !== name && model,
    dpmm && !/dpi/i.test(model ?? "") && t.dotsPerMm(dpmm),
    serial && t.serial(serial),
  ];
  return (
    <Paper withBorder p="md" className={classes.card}>
      <Group justify="space-between" gap="md">
        <Stack gap={4} className={classes.words}>
          <Group gap="xs">
            <Title order={order} size="h3" className={classes.words}>
              <bdi>{name}</bdi>
            </Title>
            {languages.map((language) => (
              <Badge key={language} color="gray" flex="none">
                {LANGUAGES[language]}
              </Badge>
            ))}
          </Group>
          {about.some(Boolean) && <Text size="sm">{about.filter(Boolean).join(" · ")}</Text>}
          <Text size="sm" c="dimmed">
            {TRANSPORTS[transport]} · {address}
          </Text>
          <Text size="xs" c="dimmed">
            {languages.length === 0 && found.sure ? t.foundSilent(by) : t.foundBy(by)}
          </Text>
        </Stack>
        {added ? (
          <Anchor
            component={Link}
            href={`/printers/${encodeURIComponent(added)}`}
            size="sm"
            underline="always"
          >
            {t.alreadyAddedAs(added)}
          </Anchor>
        ) : (
          <Button component={Link} href={addFound(found)} aria-label={t.addNamed(name)} flex="none">
            {t.addIt}
          </Button>
        )}
      </Group>
    </Paper>
  );
}
