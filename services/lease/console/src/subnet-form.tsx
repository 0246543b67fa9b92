import { peekDraft, RemovedElsewhere, type RemovedWork, useIsMounted, useUnsaved } from "@frontdesk/ui";
import { Button, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import { ConfigForm, inLines } from "./config-form.tsx";
import { tablesOf, textOf, type Values } from "./config-values.ts";
import { withGone } from "./gone-choice.ts";
import { OptionRows } from "./option-rows.tsx";
import { areWritable } from "./option-values.ts";
import { type PoolField, PoolRows } from "./pool-rows.tsx";
import { useRowKeys } from "./row-keys.ts";
import {
  isV6,
  NEW_POOL,
  NEW_PREFIX_POOL,
  SUBNET_DRAFTS,
  type SubnetDraft,
  subnetDraft,
  subnetInWords,
  subnetOf,
  timeKey,
} from "./subnet-draft.ts";
import { t } from "./words/subnets.ts";

const POOL_FIELDS: ReadonlyArray<PoolField<"range" | "exclude" | "classes">> = [
  { key: "range", label: t.range, placeholder: t.rangeExample },
  { key: "exclude", label: t.exclude },
  { key: "classes", label: t.classes, isText: true },
];
const PREFIX_POOL_FIELDS: ReadonlyArray<PoolField<"prefix" | "delegated_length" | "classes">> = [
  { key: "prefix", label: t.prefix, placeholder: t.prefixExample },
  {
    key: "delegated_length",
    label: t.delegatedLength,
    placeholder: t.delegatedLengthExample,
    isNumber: true,
  },
  { key: "classes", label: t.classes, isText: true },
];

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
  const prefixPools = useRowKeys(
    value.prefixPools.map(({ prefix }) => prefix),
    draft.isDirty,
  );
  const change = (part: Partial<SubnetDraft>) => draft.set((all) => ({ ...all, ...part }));
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
      onSend={() => {
        pools.sent();
        prefixPools.sent();
      }}
      {...(removed ? { action: t.makeItAnew, over: version } : {})}
      after={after}
      isReady={value.network.trim() !== "" && areWritable(value.options)}
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
              error={problem("subnet", place, timeKey(value.network))}
              placeholder={t.engineDefault}
              inputMode="numeric"
              value={value.time}
              onChange={(event) => change({ time: event.currentTarget.value })}
            />
            {(networks.length > 0 || value.shared_network !== "") && (
              <NativeSelect
                label={t.shared}
                error={problem("subnet", place, "shared_network")}
                data={[{ value: "", label: t.noSharedNetwork }, ...withGone(networks, value.shared_network)]}
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
          <PoolRows
            pools={value.pools}
            onChange={(next) => change({ pools: next })}
            blank={NEW_POOL}
            fields={POOL_FIELDS}
            rows={pools}
            problems={problemsOf(value.pools, POOL_FIELDS, (index, key) =>
              problem("subnet", place, "pool", pools.placeSent(index), key),
            )}
            legend={t.poolNumber}
            remove={t.removePool}
            add={t.addAPool}
          />
          {(isV6(value.network) || value.prefixPools.length > 0) && (
            <PoolRows
              pools={value.prefixPools}
              onChange={(next) => change({ prefixPools: next })}
              blank={NEW_PREFIX_POOL}
              fields={PREFIX_POOL_FIELDS}
              rows={prefixPools}
              problems={problemsOf(value.prefixPools, PREFIX_POOL_FIELDS, (index, key) =>
                problem("subnet", place, "prefix_pool", prefixPools.placeSent(index), key),
              )}
              legend={t.prefixPoolNumber}
              remove={t.removePrefixPool}
              add={t.addAPrefixPool}
            />
          )}
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

/** What is wrong with the fields of each pool, asked for at once: what stands at a field is not told below as well. */
const problemsOf = <Key extends string>(
  pools: readonly unknown[],
  fields: ReadonlyArray<PoolField<Key>>,
  problem: (index: number, key: Key) => string | undefined,
) =>
  pools.map((_, index) => Object.fromEntries(fields.map(({ key }) => [key, problem(index, key)]))) as Array<
    Partial<Record<Key, string | undefined>>
  >;
