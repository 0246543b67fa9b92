import { busyProps, count, Loaded, Page, Section, tellFailure } from "@frontdesk/ui";
import { Alert, Anchor, Badge, Button, Group, List, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import { ExclamationTriangleIcon, MagnifyingGlassIcon } from "@radix-ui/react-icons";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { type Discovery, orders, questions } from "../api.ts";
import { addFound } from "../found.ts";
import { queryClient } from "../session.ts";
import { asSentence, LANGUAGES, TRANSPORTS, VIAS } from "../words.ts";
import classes from "./find.module.css";

type Found = Discovery["printers"][number];

/** Looks for printers as soon as it is opened, and shows each as it answers. */
const PRINTERS = { one: "# printer", other: "# printers" };

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
      title="Find printers"
      intro="Printers on this network and on this machine that answer, ready to be added."
      actions={
        <Button
          variant="default"
          leftSection={<MagnifyingGlassIcon aria-hidden />}
          {...busyProps(searching)}
          onClick={() => mutate()}
        >
          Search again
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
            ? `Looking, for about ${Math.round(state.milliseconds / 1000)} seconds … ${count(printers.length, PRINTERS)} so far.`
            : `${count(printers.length, PRINTERS)} found.`}
        </Text>
      </Group>
      {printers.length > 0 && <FoundList label="Printers that were found" list={printers} order={2} />}
      {!searching && printers.length === 0 && <Nothing />}
      {ports.length > 0 && (
        <Section
          title="There may be a printer here"
          about="Serial ports, and printers that do not say how they take labels. Add one if you know what is behind it."
        >
          <FoundList label="Places where a printer may be" list={ports} order={3} />
        </Section>
      )}
      {state.leftOut > 0 && (
        <Text size="sm">More answered than are listed here. Add the rest by their addresses.</Text>
      )}
      {problems.map(({ via, problem }) => (
        <Alert
          key={via}
          color="clay"
          icon={<ExclamationTriangleIcon />}
          title={asSentence(`${VIAS[via]} did not work`)}
        >
          {problem}
        </Alert>
      ))}
    </>
  );
}

function Nothing() {
  return (
    <Section title="No printer answered">
      <List size="sm" spacing={6}>
        <List.Item>Is it switched on, with its cable in or its wireless network joined?</List.Item>
        <List.Item>
          Is it on the same network as this machine? Guest networks and routers keep printers apart.
        </List.Item>
        <List.Item>
          A firewall on this machine must let answers in: UDP 5353 for multicast DNS, and answers to UDP 4201
          for Zebra printers.
        </List.Item>
        <List.Item>
          A printer whose address you know can be added without being found:{" "}
          <Anchor component={Link} href="/printers/~new" inherit underline="always">
            add it by its address
          </Anchor>
          .
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
    dpmm && !/dpi/i.test(model ?? "") && `${dpmm} dots per mm`,
    serial && `serial ${serial}`,
  ];
  return (
    <Paper withBorder p="md" className={classes.card}>
      <Group justify="space-between" gap="md">
        <Stack gap={4} className={classes.words}>
          <Group gap="xs">
            <Title order={order} size="h3" className={classes.words}>
              {name}
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
            Found by {by}
            {languages.length === 0 && found.sure ? "; it does not say that it speaks a label language" : ""}
          </Text>
        </Stack>
        {added ? (
          <Anchor
            component={Link}
            href={`/printers/${encodeURIComponent(added)}`}
            size="sm"
            underline="always"
          >
            Already added as {added}
          </Anchor>
        ) : (
          <Button component={Link} href={addFound(found)} aria-label={`Add it: ${name}`} flex="none">
            Add it
          </Button>
        )}
      </Group>
    </Paper>
  );
}
