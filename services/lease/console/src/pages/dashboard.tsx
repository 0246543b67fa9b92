import {
  CopyField,
  count,
  duration,
  Loaded,
  lazyPage,
  Page,
  RowsSkeleton,
  Section,
  useNow,
  wholeNumber,
} from "@frontdesk/ui";
import { Alert, Anchor, Badge, List, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Link } from "wouter";
import { type EngineView, questions } from "../api.ts";
import { LiveTrial } from "../config-trial.tsx";
import { useIsAdmin } from "../rights.ts";
import { t } from "../words/dashboard.ts";

type Status = NonNullable<EngineView["status"]>;
const LOOK_EVERY_MS = 5_000;
/** Less than this is nobody's trouble. */
const MAX_CLOCK_OFFSET_S = 2;

// What draws is not among the first files: the numbers above it are what one looks at first.
const RatesChart = lazyPage(() => import("../rates-chart.tsx").then((part) => part.RatesChart));
const Tables = lazyPage(() => import("../dashboard-tables.tsx").then((part) => part.DashboardTables));

export function DashboardPage() {
  // A stopped engine tells nothing by itself.
  const engine = useQuery({ ...questions.engine, refetchInterval: LOOK_EVERY_MS });
  const dashboard = useQuery(questions.dashboard);
  return (
    <Page title={t.dashboard} intro={t.intro} wide>
      <Loaded query={engine}>{(view) => <EngineGlance view={view} />}</Loaded>
      <Loaded query={dashboard}>
        {({ engine: { status }, rates, events, new_devices }) => (
          <>
            {status?.active_leases === 0 && <FirstClients />}
            <Section title={t.rates}>
              <Suspense fallback={<RowsSkeleton />}>
                <RatesChart rates={rates} />
              </Suspense>
            </Section>
            <Suspense fallback={<RowsSkeleton />}>
              <Tables status={status} events={events} newDevices={new_devices} />
            </Suspense>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function EngineGlance({ view: { process, status } }: { view: EngineView }) {
  const now = useNow();
  const isWell = process.state === "running" && status?.healthy === true;
  const free = status?.pools.reduce((sum, pool) => sum + pool.free, 0);
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name={t.engine}>
          <Badge color={isWell ? "pine" : "red"} size="lg">
            {process.state !== "running" ? t.states[process.state] : isWell ? t.healthy : t.inTrouble}
          </Badge>
        </Figure>
        <Figure name={t.activeLeases}>{status ? wholeNumber(status.active_leases) : "–"}</Figure>
        <Figure name={t.freeAddresses}>{free === undefined ? "–" : wholeNumber(free)}</Figure>
        <Figure
          name={t.runningFor}
          {...(process.restarts > 0 ? { about: count(process.restarts, t.restarts) } : {})}
        >
          {status ? duration(Math.max(1_000, now - Date.parse(status.started_at))) : "–"}
        </Figure>
      </SimpleGrid>
      {!status && <Away process={process} />}
      {status && <Troubles status={status} />}
    </Stack>
  );
}

function Figure({ name, about, children }: { name: string; about?: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="xl" fw={650} component="div">
        {children}
      </Text>
      {about && (
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      )}
    </Paper>
  );
}

function Away({ process }: { process: EngineView["process"] }) {
  const isAdmin = useIsAdmin();
  return (
    <Alert color="red" title={process.problem ?? t.notAnswering}>
      <Text size="sm">{t.noOneGetsAnAddress}</Text>
      {isAdmin && (
        <Anchor component={Link} href="/system" size="sm" underline="always">
          {t.toTheSystemPage}
        </Anchor>
      )}
    </Alert>
  );
}

function Troubles({ status }: { status: Status }) {
  const { problems, clock_offset_seconds: offset, config } = status;
  const isOff = Math.abs(offset) > MAX_CLOCK_OFFSET_S;
  return (
    <>
      {(problems.length > 0 || isOff) && (
        <Alert color="red" title={t.inTrouble}>
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
            {isOff && <List.Item>{t.clockDiffers(duration(Math.abs(offset) * 1_000))}</List.Item>}
          </List>
        </Alert>
      )}
      {config.trial && <LiveTrial key={config.trial.version} {...config.trial} />}
      {config.restart.length > 0 && (
        <Alert color="clay" title={t.waitsForARestart}>
          <Text size="sm" ff="monospace">
            {config.restart.join(", ")}
          </Text>
        </Alert>
      )}
    </>
  );
}

function FirstClients() {
  return (
    <Section title={t.firstClients} about={t.firstClientsAbout}>
      <CopyField value={t.command} what={t.theCommand} />
    </Section>
  );
}
