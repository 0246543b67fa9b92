import { peekDraft, RemovedElsewhere, type RemovedWork, useIsMounted, useUnsaved } from "@frontdesk/ui";
import { Button, Fieldset, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { AddButton } from "./add-button.tsx";
import { ConfigForm, inLines } from "./config-form.tsx";
import { tablesOf, textOf, type Values } from "./config-values.ts";
import { OptionRows } from "./option-rows.tsx";
import { isOptionTwice } from "./option-values.ts";
import { useRowKeys } from "./row-keys.ts";
import {
  NEW_POOL,
  type PoolDraft,
  SUBNET_DRAFTS,
  type SubnetDraft,
  subnetDraft,
  subnetInWords,
  subnetOf,
} from "./subnet-draft.ts";
import { thenFocus } from "./then-focus.ts";
import { t } from "./words/subnets.ts";

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
  const stored = removed?.from ?? subnetDraft(before, config);
  const key = SUBNET_DRAFTS + (stored.network || "~new");
  const isMounted = useIsMounted();
  const draft = useUnsaved<SubnetDraft>(
    key,
    { value: stored, version: removed?.base ?? version },
    { isRemoved: removed !== undefined },
  );
  const { value } = draft;
  const pools = useRowKeys(
    value.pools.map(({ range }) => range),
    draft.isDirty,
  );
  const change = (part: Partial<SubnetDraft>) => draft.set((all) => ({ ...all, ...part }));
  const changePool = (number: number, part: Partial<PoolDraft>) => {
    pools.changed();
    change({ pools: value.pools.map((pool, index) => (index === number ? { ...pool, ...part } : pool)) });
  };
  const wanted = () => {
    // What was removed lends nothing: only what is in the form is made anew.
    const next = subnetOf(value, before, config);
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
      inWords={subnetInWords}
      wanted={wanted}
      onSend={pools.sent}
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
            <RemovedElsewhere
              what={removed.name}
              typed={inLines(subnetInWords(value))}
              onDiscard={draft.discard}
            />
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
              <Fieldset key={pools.keys[index]} legend={t.poolNumber(index + 1)}>
                <SimpleGrid cols={{ base: 1, sm: 3 }}>
                  <TextInput
                    label={t.range}
                    error={problem("subnet", place, "pool", pools.placeSent(index), "range")}
                    placeholder={t.rangeExample}
                    dir="ltr"
                    spellCheck={false}
                    value={pool.range}
                    onChange={(event) => changePool(index, { range: event.currentTarget.value })}
                  />
                  <TextInput
                    label={t.exclude}
                    error={problem("subnet", place, "pool", pools.placeSent(index), "exclude")}
                    dir="ltr"
                    spellCheck={false}
                    value={pool.exclude}
                    onChange={(event) => changePool(index, { exclude: event.currentTarget.value })}
                  />
                  <TextInput
                    label={t.classes}
                    error={problem("subnet", place, "pool", pools.placeSent(index), "classes")}
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
                      thenFocus(adder, () => {
                        pools.removed(index);
                        change({ pools: value.pools.toSpliced(index, 1) });
                      })
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
              onClick={() => {
                pools.added();
                change({ pools: [...value.pools, NEW_POOL] });
              }}
            />
          </Stack>
          <OptionRows
            rows={value.options}
            onChange={(options) => change({ options })}
            problems={value.options.map(({ name }) => problem("subnet", place, "options", name.trim()))}
          />
        </>
      )}
    </ConfigForm>
  );
}
