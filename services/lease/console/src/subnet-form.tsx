import { peekDraft, RemovedElsewhere, type RemovedWork, useIsMounted, useUnsaved } from "@frontdesk/ui";
import { Button, Fieldset, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { AddButton } from "./add-button.tsx";
import { ConfigForm } from "./config-form.tsx";
import {
  isOptionTwice,
  type OptionRow,
  optionRows,
  optionsOf,
  tablesOf,
  textOf,
  typedValue,
  type Values,
  withKeys,
} from "./config-values.ts";
import { OptionRows } from "./option-rows.tsx";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/subnets.ts";

interface PoolDraft {
  /** Its range in the configuration, null for a new one; keys that the form does not know come from there. */
  readonly stored: string | null;
  readonly range: string;
  readonly exclude: string;
  readonly classes: string;
}

/** What the drafts of subnets are called, before the network of each. */
export const SUBNET_DRAFTS = "lease-subnet:";

export interface SubnetDraft {
  readonly network: string;
  readonly shared_network: string;
  readonly relays: string;
  readonly default_time: string;
  readonly options: readonly OptionRow[];
  readonly pools: readonly PoolDraft[];
}

const NEW_POOL: PoolDraft = { stored: null, range: "", exclude: "", classes: "" };

/** Adds a subnet, changes the one at a place, or makes one anew that was removed while it was edited. */
export function SubnetForm(props: {
  config: Values;
  version: string;
  at?: number | undefined;
  removed?: RemovedWork<SubnetDraft> | undefined;
  done: () => void;
  /** What was typed while it was saved is an edit of this network, which was made or renamed by it. */
  onMoved: (network: string) => void;
  /** Somebody has just opened it, and goes on in its first field. */
  isOpened?: boolean;
}) {
  const { config, version, at, removed, done, onMoved, isOpened = false } = props;
  const adder = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isOpened) first.current?.focus();
  }, [isOpened]);
  const subnets = tablesOf(config.subnet);
  const before = (at === undefined ? undefined : subnets[at]) ?? {};
  const stored = removed?.from ?? draftOf(before);
  const key = SUBNET_DRAFTS + (stored.network || "~new");
  const isMounted = useIsMounted();
  const draft = useUnsaved<SubnetDraft>(
    key,
    { value: stored, version: removed?.base ?? version },
    { isRemoved: removed !== undefined },
  );
  const { value } = draft;
  const change = (part: Partial<SubnetDraft>) => draft.set((all) => ({ ...all, ...part }));
  const changePool = (number: number, part: Partial<PoolDraft>) =>
    change({ pools: value.pools.map((pool, index) => (index === number ? { ...pool, ...part } : pool)) });
  const wanted = () => {
    // What was removed lends nothing: only what is in the form is made anew.
    const next = written(value, before);
    const all = at === undefined ? [...subnets, next] : subnets.with(at, next);
    return { ...config, subnet: all };
  };
  // What was typed while it was saved stays in sight, also where the network that it is kept under has changed.
  const after = (saved: SubnetDraft) => {
    if (!isMounted.current) return;
    const network = saved.network.trim();
    const isLeft = peekDraft(key) !== undefined;
    if (isLeft && SUBNET_DRAFTS + network === key) return;
    if (isLeft) {
      onMoved(network);
      draft.moveTo(SUBNET_DRAFTS + network, (typed) => typed);
    }
    done();
  };
  /** Its place in what is sent. */
  const place = at ?? subnets.length;
  const networks = tablesOf(config.shared_network).map(({ name }) => textOf(name));
  return (
    <ConfigForm
      draft={draft}
      stored={stored}
      what={stored.network || t.newSubnet}
      wanted={wanted}
      {...(removed ? { action: t.makeItAnew, over: version } : {})}
      after={after}
      isReady={value.network.trim() !== "" && !isOptionTwice(value.options)}
      beside={
        !removed && (
          <Button variant="default" onClick={done}>
            {t.close}
          </Button>
        )
      }
    >
      {(problem) => (
        <>
          {removed && (
            <RemovedElsewhere what={removed.name} typed={inLines(value)} onDiscard={draft.discard} />
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              ref={first}
              label={t.network}
              error={problem("subnet", place, "network")}
              placeholder={t.networkExample}
              dir="ltr"
              spellCheck={false}
              value={value.network}
              onChange={(event) => change({ network: event.currentTarget.value })}
            />
            <TextInput
              label={t.leaseTime}
              error={problem("subnet", place, "default_time")}
              placeholder={t.engineDefault}
              inputMode="numeric"
              value={value.default_time}
              onChange={(event) => change({ default_time: event.currentTarget.value })}
            />
            {networks.length > 0 && (
              <NativeSelect
                label={t.shared}
                error={problem("subnet", place, "shared_network")}
                data={[{ value: "", label: t.noSharedNetwork }, ...networks]}
                value={value.shared_network}
                onChange={(event) => change({ shared_network: event.currentTarget.value })}
              />
            )}
            <TextInput
              label={t.relays}
              error={problem("subnet", place, "relays")}
              dir="ltr"
              spellCheck={false}
              value={value.relays}
              onChange={(event) => change({ relays: event.currentTarget.value })}
            />
          </SimpleGrid>
          <Stack>
            {value.pools.map((pool, index) => (
              // A new one is known by its place while its range is typed.
              <Fieldset key={pool.stored ?? index} legend={t.poolNumber(index + 1)}>
                <SimpleGrid cols={{ base: 1, sm: 3 }}>
                  <TextInput
                    label={t.range}
                    error={problem("subnet", place, "pool", index, "range")}
                    placeholder={t.rangeExample}
                    dir="ltr"
                    spellCheck={false}
                    value={pool.range}
                    onChange={(event) => changePool(index, { range: event.currentTarget.value })}
                  />
                  <TextInput
                    label={t.exclude}
                    error={problem("subnet", place, "pool", index, "exclude")}
                    dir="ltr"
                    spellCheck={false}
                    value={pool.exclude}
                    onChange={(event) => changePool(index, { exclude: event.currentTarget.value })}
                  />
                  <TextInput
                    label={t.classes}
                    error={problem("subnet", place, "pool", index, "classes")}
                    dir="auto"
                    spellCheck={false}
                    value={pool.classes}
                    onChange={(event) => changePool(index, { classes: event.currentTarget.value })}
                  />
                </SimpleGrid>
                <Group justify="flex-end" mt="sm">
                  <Button
                    size="xs"
                    variant="light"
                    color="red"
                    aria-label={t.removePool(index + 1)}
                    onClick={() =>
                      thenFocus(adder, () =>
                        change({ pools: value.pools.filter((_, number) => number !== index) }),
                      )
                    }
                  >
                    {t.remove}
                  </Button>
                </Group>
              </Fieldset>
            ))}
            <AddButton
              ref={adder}
              action={t.addAPool}
              onClick={() => change({ pools: [...value.pools, NEW_POOL] })}
            />
          </Stack>
          <OptionRows
            rows={value.options}
            onChange={(options) => change({ options })}
            problem={(name) => problem("subnet", place, "options", name)}
          />
        </>
      )}
    </ConfigForm>
  );
}

/** What was typed, a line each. */
const inLines = ({ pools, options, ...rest }: SubnetDraft): string =>
  [
    ...[rest.network, rest.default_time, rest.shared_network, rest.relays],
    ...pools.map(({ range, exclude, classes }) => [range, exclude, classes].filter(Boolean).join("; ")),
    ...options.map(({ name, value }) => `${name} = ${value}`),
  ]
    .filter(Boolean)
    .join("\n");

const draftOf = (subnet: Values): SubnetDraft => ({
  network: textOf(subnet.network),
  shared_network: textOf(subnet.shared_network),
  relays: textOf(subnet.relays),
  default_time: textOf(subnet.default_time),
  options: optionRows(subnet.options),
  pools: tablesOf(subnet.pool).map((pool) => ({
    stored: textOf(pool.range),
    range: textOf(pool.range),
    exclude: textOf(pool.exclude),
    classes: textOf(pool.classes),
  })),
});

function written(value: SubnetDraft, before: Values): Values {
  const there = tablesOf(before.pool);
  const pools = value.pools.map((pool) =>
    poolOf(
      pool,
      there.find(({ range }) => textOf(range) === pool.stored),
    ),
  );
  return withKeys(before, {
    network: value.network.trim(),
    shared_network: typedValue(value.shared_network, "text"),
    relays: typedValue(value.relays, "list"),
    default_time: typedValue(value.default_time, "number"),
    options: optionsOf(value.options, before.options),
    pool: pools.length > 0 ? pools : undefined,
  });
}

function poolOf(pool: PoolDraft, before: Values = {}): Values {
  const isTouched = textOf(before.range) !== pool.range;
  const isList = pool.range.includes(",");
  return withKeys(before, {
    range: isTouched ? typedValue(pool.range, isList ? "list" : "text") : before.range,
    exclude: typedValue(pool.exclude, "list"),
    classes: typedValue(pool.classes, "list"),
  });
}
