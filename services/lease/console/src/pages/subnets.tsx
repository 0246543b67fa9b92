import { isSameAddress } from "@frontdesk/lease-options/plain-address";
import {
  type Column,
  count,
  DataTable,
  dropDraft,
  duration,
  EmptyState,
  Loaded,
  Page,
  peekDraft,
  type RemovedWork,
  Section,
  UsageBar,
  useAction,
  useRemovedWork,
  wholeNumber,
} from "@frontdesk/ui";
import { Alert, Anchor, Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { PlusIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { AddressMap } from "../address-map.tsx";
import { call, type EngineView, questions } from "../api.ts";
import { ConfigTrial } from "../config-trial.tsx";
import { tableOf, tablesOf, textOf, type Values } from "../config-values.ts";
import { showApplied, writeConfig } from "../config-write.ts";
import { type EffectiveOption, effectiveOptions } from "../effective-options.ts";
import { useIsAdmin } from "../rights.ts";
import { RolloutProgress } from "../rollout.tsx";
import { isV6, SUBNET_DRAFTS, type SubnetDraft } from "../subnet-draft.ts";
import { SubnetForm } from "../subnet-form.tsx";
import { thenFocus } from "../then-focus.ts";
import { inSentences, UnreadableConfig } from "../unreadable-config.tsx";
import { t as words } from "../words/address-map.ts";
import { t } from "../words/subnets.ts";

type Pool = NonNullable<EngineView["status"]>["pools"][number];

export function SubnetsPage() {
  const config = useQuery(questions.config);
  const { data: engine } = useQuery(questions.engine);
  const [adding, setAdding] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  // The network that a form has made, before it is in the list: what was typed for it is no edit of one that was removed.
  const [moved, setMoved] = useState("");
  const networks =
    config.data?.config && tablesOf(config.data.config.subnet).map(({ network }) => textOf(network));
  // A subnet of a file that was written by hand may lack its network.
  if (moved !== "" && networks?.includes(moved)) setMoved("");
  const removed = useRemovedWork<SubnetDraft>(SUBNET_DRAFTS, networks && [...networks, moved]);
  const isAdmin = useIsAdmin();
  return (
    <Page
      title={t.subnets}
      intro={t.intro}
      wide
      actions={
        isAdmin &&
        !adding && (
          <Button ref={adder} leftSection={<PlusIcon aria-hidden />} onClick={() => setAdding(true)}>
            {t.add}
          </Button>
        )
      }
    >
      <ConfigTrial />
      <RolloutProgress />
      <Loaded query={config}>
        {({ config: values, problems, version }) => {
          if (!values) return <UnreadableConfig why={inSentences(problems)} />;
          const subnets = tablesOf(values.subnet);
          return (
            <>
              {adding && (
                <Section title={t.newSubnet}>
                  <SubnetForm
                    config={values}
                    version={version}
                    done={() => thenFocus(adder, () => setAdding(false))}
                    isOpened
                    onMoved={setMoved}
                  />
                </Section>
              )}
              {subnets.length + removed.length === 0 && !adding && (
                <EmptyState title={t.none}>{t.noneYet}</EmptyState>
              )}
              {/* In one list: a form whose subnet is removed while it is open stays the form it is. */}
              {[
                ...subnets.map((subnet, at) => ({ network: textOf(subnet.network), at, work: undefined })),
                ...removed.map((work) => ({ network: work.name, at: undefined, work })),
              ].map(({ network, at, work }) => (
                <Subnet
                  key={network}
                  config={values}
                  version={version}
                  network={network}
                  at={at}
                  removed={work}
                  onMoved={setMoved}
                  pools={engine?.status?.pools ?? []}
                  isAdmin={isAdmin}
                />
              ))}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Subnet(props: {
  config: Values;
  version: string;
  network: string;
  /** Its place in the configuration; undefined: it was removed while it was edited. */
  at: number | undefined;
  removed: RemovedWork<SubnetDraft> | undefined;
  onMoved: (network: string) => void;
  pools: readonly Pool[];
  isAdmin: boolean;
}) {
  const { config, version, network, at, removed, onMoved, isAdmin } = props;
  // What was typed and not saved is in sight.
  const [editing, setEditing] = useState<"opened" | "left" | undefined>(() =>
    isAdmin && peekDraft(SUBNET_DRAFTS + network) !== undefined ? "left" : undefined,
  );
  const opener = useRef<HTMLButtonElement>(null);
  const [mapped, setMapped] = useState(false);
  const subnet = tablesOf(config.subnet)[at ?? -1] ?? {};
  const pools = props.pools.filter((pool) => isSameAddress(pool.subnet, network));
  const reserved = tablesOf(subnet.reservation).length;
  return (
    <Section
      title={network}
      about={
        !removed && (
          <Anchor component={Link} href={`/reservations?q=${encodeURIComponent(network)}`} size="sm">
            {count(reserved, t.reservations)}
          </Anchor>
        )
      }
      actions={
        isAdmin &&
        at !== undefined &&
        !editing && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              aria-label={t.editNamed(network)}
              ref={opener}
              onClick={() => setEditing("opened")}
            >
              {t.edit}
            </Button>
            <Remove config={config} version={version} at={at} network={network} />
          </Group>
        )
      }
    >
      {isV6(network) && tableOf(config.dhcpv6).enabled !== true && (
        <Alert color="yellow">
          {t.v6IsOff}{" "}
          {isAdmin && (
            <Anchor component={Link} href="/settings" size="sm" underline="always">
              {t.switchItOn}
            </Anchor>
          )}
        </Alert>
      )}
      {editing || removed ? (
        <SubnetForm
          config={config}
          version={version}
          at={at}
          removed={removed}
          done={() => thenFocus(opener, () => setEditing(undefined))}
          isOpened={editing === "opened"}
          onMoved={onMoved}
        />
      ) : (
        <>
          <Stack gap="xs">
            <Title order={3}>{t.pools}</Title>
            <DataTable
              caption={t.pools}
              columns={poolColumns}
              rows={pools}
              rowKey={({ first }) => first}
              empty={<ConfiguredPools subnet={subnet} />}
            />
          </Stack>
          {!isV6(network) && (
            <Stack gap="sm">
              <Group>
                <Button
                  size="xs"
                  variant="default"
                  aria-expanded={mapped}
                  aria-label={mapped ? words.hide : words.showNamed(network)}
                  onClick={() => setMapped(!mapped)}
                >
                  {mapped ? words.hide : words.show}
                </Button>
              </Group>
              {mapped && <AddressMap subnet={network} />}
            </Stack>
          )}
          <Stack gap="xs">
            <Title order={3}>{t.options}</Title>
            <DataTable
              caption={t.options}
              columns={optionColumns}
              rows={effectiveOptions(config, subnet)}
              rowKey={({ name, from }) => `${name} ${from}`}
              empty={
                <Text size="sm" c="dimmed">
                  {t.noOptions}
                </Text>
              }
            />
          </Stack>
        </>
      )}
    </Section>
  );
}

/** What the file says of pools while the engine does not tell how they are used. */
function ConfiguredPools({ subnet }: { subnet: Values }) {
  const pools = [...tablesOf(subnet.pool), ...tablesOf(subnet.prefix_pool)];
  return (
    <Text size="sm" c="dimmed">
      {pools.length === 0 ? t.noPools : pools.map(({ range, prefix }) => textOf(range ?? prefix)).join(", ")}
    </Text>
  );
}

const poolColumns: Column<Pool>[] = [
  { title: t.range, cell: ({ first, last }) => <Code>{first === last ? first : `${first} – ${last}`}</Code> },
  {
    title: t.use,
    cell: ({ first, last, bound, offered, declined, size, full_in_hours }) => (
      <Stack gap={2}>
        <UsageBar label={t.useOf(`${first} – ${last}`)} used={bound + offered + declined} total={size} />
        <Text size="xs" c="dimmed">
          {[
            count(bound, t.held),
            declined > 0 && count(declined, t.declined),
            full_in_hours !== null && t.fullIn(duration(full_in_hours * 3_600_000)),
          ]
            .filter(Boolean)
            .join(" · ")}
        </Text>
      </Stack>
    ),
  },
  { title: t.free, cell: ({ free }) => wholeNumber(free) },
];

const optionColumns: Column<EffectiveOption>[] = [
  { title: t.option, cell: ({ name }) => <Code>{name}</Code> },
  {
    title: t.value,
    cell: ({ value }) => <bdi style={{ overflowWrap: "anywhere" }}>{value}</bdi>,
  },
  { title: t.comesFrom, cell: ({ from }) => from },
];

function Remove(props: { config: Values; version: string; at: number; network: string }) {
  const { config, version, at, network } = props;
  const remove = useAction(
    async () => {
      const { subnet, ...rest } = config;
      const others = tablesOf(subnet).filter((_, place) => place !== at);
      const applied = await writeConfig(others.length > 0 ? { ...rest, subnet: others } : rest, version);
      dropDraft(SUBNET_DRAFTS + network);
      await showApplied(applied);
    },
    {
      ask: async (confirm) => {
        const { total } = await call("GET /leases", {
          query: { subnet: network, state: "active", limit: 1 },
        });
        return confirm({
          title: t.askToRemove(network),
          body: (
            <>
              {count(total, t.affected)} {t.goesWithIt}
            </>
          ),
          action: t.remove,
          danger: true,
        });
      },
    },
  );
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(network)} {...remove}>
      {t.remove}
    </Button>
  );
}
