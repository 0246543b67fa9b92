import {
  ApiError,
  type Column,
  count,
  DataTable,
  download,
  duration,
  EmptyState,
  filled,
  Loaded,
  LoadingState,
  listed,
  Moment,
  Page,
  Section,
  useAction,
  useOnceAnswered,
} from "@frontdesk/ui";
import { Alert, Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { call, type EngineView, questions } from "../api.ts";
import { FactoryReset } from "../factory-reset.tsx";
import { HighAvailability } from "../high-availability.tsx";
import { HostNetworkSection } from "../host-network.tsx";
import { NamesInDns } from "../names-in-dns.tsx";
import { queryClient } from "../session.ts";
import { words } from "../words/codes.ts";
import { t } from "../words/system.ts";

/** While the engine is on its way to another state, how often it is looked at. */
const LOOK_MS = 1_000;
/** Less than this is the time that a question takes. */
const MIN_OFFSET_SECONDS = 2;
const CHANGES = [questions.engine, questions.dashboard, questions.config, { queryKey: ["audit"] }];

type Status = NonNullable<EngineView["status"]>;

export function SystemPage() {
  const engine = useQuery({ ...questions.engine, refetchInterval: LOOK_MS });
  const pair = useQuery(questions.ha);
  // One placeholder for both: what is below would be pushed away twice. An engine that is stopped refuses the second.
  const isWaiting = [engine, pair].some(({ isPending, failureCount }) => isPending && failureCount === 0);
  if (!useOnceAnswered(isWaiting)) {
    return (
      <Page title={t.system} intro={t.intro}>
        <LoadingState />
      </Page>
    );
  }
  return (
    <Page title={t.system} intro={t.intro}>
      <Loaded query={engine}>
        {({ process, status }) => (
          <>
            <Engine process={process} status={status} />
            {status && <Waiting config={status.config} />}
            {status && <Interfaces interfaces={status.interfaces} />}
            {status && <Clock offset={status.clock_offset_seconds} />}
          </>
        )}
      </Loaded>
      <HighAvailability />
      <NamesInDns />
      <HostNetworkSection />
      <Backup />
      <FactoryReset />
    </Page>
  );
}

const COLORS = {
  stopped: "gray",
  starting: "blue",
  running: "pine",
  stopping: "blue",
  waiting: "red",
} as const;

function Engine({ process, status }: EngineView) {
  const { state, since, pid, restarts, problem } = process;
  return (
    <Section title={t.engine} actions={<Badge color={COLORS[state]}>{t.states[state]}</Badge>}>
      <Stack gap={4}>
        <Text size="sm">
          {filled(t.since, { state: t.states[state], when: <Moment time={since} /> })}{" "}
          {pid !== null && t.process(pid)}
        </Text>
        <Text size="sm">{count(restarts, t.restarts)}</Text>
        {status?.healthy && <Text size="sm">{t.healthy}</Text>}
      </Stack>
      {problem && (
        <Alert color="red" title={t.problem}>
          <Text size="sm" dir="auto" style={{ overflowWrap: "anywhere" }}>
            {problem}
          </Text>
        </Alert>
      )}
      {status && !status.healthy && (
        <Alert color="clay" title={t.unhealthy}>
          {status.problems.map((each) => (
            <Text key={each} size="sm" dir="auto">
              {each}
            </Text>
          ))}
        </Alert>
      )}
      <Controls state={state} />
    </Section>
  );
}

function Controls({ state }: { state: EngineView["process"]["state"] }) {
  const start = useAction(() => call("POST /engine/start"), { changes: CHANGES, done: t.isStarted });
  const stop = useAction(() => call("POST /engine/stop"), {
    ask: { title: t.askToStop, body: t.nobodyGetsAnAddress, action: t.stopIt, danger: true },
    changes: CHANGES,
    done: t.isStopped,
  });
  const restart = useAction(() => call("POST /engine/restart"), {
    ask: { title: t.askToRestart, body: t.leasesStay, action: t.restartIt },
    changes: CHANGES,
    done: t.isRestarted,
  });
  if (state === "stopped") {
    return (
      <Group>
        <Button {...start}>{t.start}</Button>
      </Group>
    );
  }
  return (
    <Group>
      <Button variant="default" {...restart}>
        {t.restart}
      </Button>
      <Button variant="light" color="red" {...stop}>
        {t.stop}
      </Button>
    </Group>
  );
}

function Waiting({ config: { restart, running, file } }: { config: Status["config"] }) {
  return (
    <>
      {restart.length > 0 && (
        <Alert color="clay" title={t.waitsForARestart}>
          {filled(t.theseSettings, { settings: <Code>{listed(restart)}</Code> })}
        </Alert>
      )}
      {file !== running && (
        <Alert color="clay" title={t.fileDiffers}>
          {t.fileDiffersAbout}
        </Alert>
      )}
    </>
  );
}

type Interface = Status["interfaces"][number];

const columns: Column<Interface>[] = [
  { title: t.interface, cell: ({ name }) => <Code>{name}</Code> },
  { title: t.addresses, cell: ({ addresses }) => listed(addresses) || t.noAddress },
  { title: t.served, cell: servedText },
];

function servedText({ served, carrier }: Interface): string {
  if (served && carrier === false) return t.noCarrier;
  return served ? t.isServed : t.isNotServed;
}

function Interfaces({ interfaces }: Pick<Status, "interfaces">) {
  return (
    <Section title={t.interfaces}>
      <DataTable
        caption={t.interfaces}
        columns={columns}
        rows={interfaces}
        rowKey={({ name }) => name}
        empty={<EmptyState title={t.noInterfaces}>{t.lab}</EmptyState>}
      />
    </Section>
  );
}

function Clock({ offset }: { offset: number }) {
  const isRight = Math.abs(offset) < MIN_OFFSET_SECONDS;
  return (
    <Section title={t.clock}>
      <Text size="sm">{isRight ? t.clockIsRight : t.clockDiffers(duration(Math.abs(offset) * 1_000))}</Text>
    </Section>
  );
}

function Backup() {
  const save = useAction(async () => {
    const { text } = await queryClient.fetchQuery({ ...questions.config, staleTime: 0 });
    // A reading for one who is no administrator any more has none.
    if (text === undefined) throw new ApiError({ status: 403, code: "forbidden", message: words.forbidden });
    download("lease-engine.toml", text, "application/toml");
  });
  return (
    <Section title={t.configuration} about={t.aboutBackup}>
      <Group>
        <Button variant="default" leftSection={<DownloadIcon aria-hidden />} {...save}>
          {t.downloadIt}
        </Button>
      </Group>
    </Section>
  );
}
