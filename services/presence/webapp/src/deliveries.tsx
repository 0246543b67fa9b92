import {
  type Column,
  count,
  DataTable,
  duration,
  EmptyState,
  filled,
  LateDialog,
  Loaded,
  lazyPage,
  Moment,
  Section,
  useAction,
  useOpening,
  useUrlState,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, NativeSelect, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call } from "./api.ts";
import { useOrg } from "./org.ts";
import { wordsOf } from "./pages/webhooks.tsx";
import { changed } from "./session.ts";
import type { Delivery } from "./shapes.ts";
import { t } from "./words/admin.ts";

const DateTimeInput = lazyPage(() => import("@frontdesk/ui/date-inputs").then((part) => part.DateTimeInput));

const OUTCOMES = Object.entries(t.outcomes).map(([value, label]) => ({ value, label }));
const TYPES = [
  { value: "", label: t.allTypes },
  ...Object.entries(t.eventWords).map(([value, label]) => ({ value, label })),
];
const COLOURS = { delivered: "pine", failed: "red", pending: "gray" } as const;
/** While something waits to be sent, the log is looked at this often. */
const LOOK_MS = 3_000;
/** A test is in the log when it is sent, which takes a moment: for this long it is looked for. */
const TEST_MS = 15_000;
const LOOK_FOR_TEST_MS = 1_000;

/** An address that somebody has written by hand may hold anything. */
const timeIn = (text: string): string => (Number.isNaN(Date.parse(text)) ? "" : text);

/** What was sent to a webhook, and what came of it. */
export function Deliveries({ webhook, testedAt = 0 }: { webhook: string; testedAt: number | undefined }) {
  const { org } = useOrg();
  const path = { org, id: webhook };
  const [outcome, setOutcome] = useUrlState("outcome");
  const [type, setType] = useUrlState("type");
  const [sinceText, setSince] = useUrlState("since");
  const [untilText, setUntil] = useUrlState("until");
  const [since, until] = [timeIn(sinceText), timeIn(untilText)];
  const filter = Object.fromEntries(
    Object.entries({ outcome, type, since, until }).filter(([, value]) => value !== ""),
  );
  const log = useInfiniteQuery({
    queryKey: ["deliveries", org, webhook, filter],
    queryFn: ({ pageParam, signal }) =>
      call("GET /orgs/{org}/webhooks/{id}/deliveries", {
        path,
        query: { ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) } as never,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (Date.now() - testedAt < TEST_MS) return LOOK_FOR_TEST_MS;
      return state.data?.pages.some(({ data }) => data.some((each) => each.state === "pending"))
        ? LOOK_MS
        : false;
    },
  });
  const [opened, setOpened] = useUrlState("delivery");
  const columns: Column<Delivery>[] = [
    { title: t.when, cell: ({ createdAt }) => <Moment time={createdAt} /> },
    { title: t.event, cell: (each) => `${each.sequence} · ${wordsOf(each.type)}` },
    {
      title: t.outcome,
      cell: ({ state }) => <Badge color={COLOURS[state]}>{t.outcomes[state]}</Badge>,
    },
    {
      title: t.answer,
      cell: ({ lastStatus, lastError }) => (
        <Text size="sm" maw="26rem" lineClamp={2}>
          {lastError ?? lastStatus}
        </Text>
      ),
    },
    { title: t.attempts, cell: ({ attempts }) => attempts },
    {
      title: t.nextTry,
      cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Moment time={nextAttemptAt} isAhead />,
    },
    {
      title: t.actions,
      actions: true,
      cell: ({ id, sequence }) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.detailsOf(String(sequence))}
          onClick={() => setOpened(id)}
        >
          {t.details}
        </Button>
      ),
    },
  ];
  return (
    <Section title={t.deliveries} actions={<RedeliverFailed webhook={webhook} />}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <NativeSelect
          label={t.outcome}
          data={OUTCOMES}
          value={outcome}
          onChange={(event) => setOutcome(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.type}
          data={TYPES}
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
        />
        <Suspense>
          <DateTimeInput label={t.since} value={since || null} onChange={(time) => setSince(time ?? "")} />
          <DateTimeInput label={t.until} value={until || null} onChange={(time) => setUntil(time ?? "")} />
        </Suspense>
      </SimpleGrid>
      <Loaded query={log}>
        {({ pages }) => (
          <DataTable
            caption={t.deliveries}
            columns={columns}
            rows={pages.flatMap(({ data }) => data)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={Object.keys(filter).length > 0 ? t.noneFit : t.noDeliveries} />}
          />
        )}
      </Loaded>
      {log.hasNextPage && (
        <Group>
          <Button
            variant="default"
            size="xs"
            aria-busy={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            {t.showOlder}
          </Button>
        </Group>
      )}
      <LateDialog opened={opened !== ""} onClose={() => setOpened("")} title={t.details} size="xl">
        {opened !== "" && <DeliveryDetails webhook={webhook} delivery={opened} />}
      </LateDialog>
    </Section>
  );
}

function RedeliverFailed({ webhook }: { webhook: string }) {
  const { opened, open, close } = useOpening();
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {t.redeliverFailed}
      </Button>
      <LateDialog opened={opened} onClose={close} title={t.redeliverFailed}>
        <RedeliverSince webhook={webhook} done={close} />
      </LateDialog>
    </>
  );
}

/** All that failed since a time; how many that are is said before they are sent. */
function RedeliverSince({ webhook, done }: { webhook: string; done: () => void }) {
  const { org } = useOrg();
  const [since, setSince] = useState<string | null>(() => new Date(Date.now() - 86_400_000).toISOString());
  const path = { org, id: webhook };
  const send = useAction(
    () => call("POST /orgs/{org}/webhooks/{id}/redeliver", { path, json: { since: since ?? "" } }),
    {
      ask: async (confirm) => {
        const { count: amount } = await call("GET /orgs/{org}/webhooks/{id}/redeliver", {
          path,
          query: { since: since ?? "" },
        });
        const words = count(amount, t.deliveriesCount);
        return confirm({ title: t.askToRedeliver(words), body: t.theyGoOut, action: t.redeliver });
      },
      changes: [{ queryKey: ["deliveries", org, webhook] }],
      done: ({ count: amount }) => count(amount, t.areSent),
      after: done,
    },
  );
  return (
    <Stack gap="md">
      <Suspense>
        <DateTimeInput label={t.redeliverAbout} value={since} onChange={setSince} />
      </Suspense>
      <Group>
        <Button disabled={since === null} {...send}>
          {t.redeliver}
        </Button>
      </Group>
    </Stack>
  );
}

function DeliveryDetails({ webhook, delivery }: { webhook: string; delivery: string }) {
  const { org } = useOrg();
  const path = { org, id: webhook, delivery };
  const key = ["deliveries", org, webhook, "one", delivery];
  const details = useQuery({
    queryKey: key,
    queryFn: () => call("GET /orgs/{org}/webhooks/{id}/deliveries/{delivery}", { path }),
    refetchInterval: ({ state }) => (state.data?.delivery.state === "pending" ? LOOK_MS : false),
  });
  const again = useAction(
    () => call("POST /orgs/{org}/webhooks/{id}/deliveries/{delivery}/redeliver", { path }),
    { done: t.redelivered, after: () => void changed({ queryKey: ["deliveries", org, webhook] }) },
  );
  return (
    <Loaded query={details}>
      {({ delivery: told, url, headers, body, attempts }) => (
        <Stack gap="md">
          <Group justify="space-between">
            <Group gap="xs">
              <Badge color={COLOURS[told.state]}>{t.outcomes[told.state]}</Badge>
              <Text size="sm">{`${told.sequence} · ${wordsOf(told.type)}`}</Text>
            </Group>
            {body !== null && (
              <Button size="xs" {...again}>
                {t.redeliver}
              </Button>
            )}
          </Group>
          {attempts.length === 0 && (
            <Text size="sm" c="dimmed">
              {t.noAttempts}
            </Text>
          )}
          {attempts.map(({ number, at, durationMs, status, error, response, url: called }) => (
            <Stack key={number} gap={4}>
              <Group gap="xs">
                <Title order={3}>{t.attempt(number)}</Title>
                <Text size="sm" c="dimmed">
                  <Moment time={at} />, {t.took(duration(durationMs))}
                </Text>
                {status !== null && <Badge color={status < 300 ? "pine" : "red"}>{status}</Badge>}
              </Group>
              {called !== null && called !== url && (
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {filled(t.calledAnother, { address: <Code>{called}</Code> })}
                </Text>
              )}
              {error !== null && (
                <Text size="sm" c="var(--mantine-color-error)">
                  {error}
                </Text>
              )}
              {response !== null && response !== "" && <Code block>{response}</Code>}
            </Stack>
          ))}
          <Title order={3}>{t.request}</Title>
          <Code block>{`POST ${attempts.at(-1)?.url ?? url}\n${headerLines(headers)}`}</Code>
          {body === null ? <Text size="sm">{t.bodyGone}</Text> : <Code block>{indented(body)}</Code>}
        </Stack>
      )}
    </Loaded>
  );
}

const headerLines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
