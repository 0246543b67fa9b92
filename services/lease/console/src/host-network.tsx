import {
  ActionForm,
  AddressInput,
  type Column,
  DataTable,
  DiscardButton,
  draftNames,
  duration,
  EmptyState,
  filled,
  Loaded,
  lazyPage,
  listed,
  peekDraft,
  Section,
  useAction,
  useUnsaved,
} from "@frontdesk/ui";
import {
  Alert,
  Button,
  Code,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call, type HostNetwork, type NetworkTrial, questions } from "./api.ts";
import { withGone } from "./gone-choice.ts";
import { changed } from "./session.ts";
import { useTimeLeft } from "./time-left.ts";
import { t } from "./words/host-network.ts";

const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

type Interface = HostNetwork["interfaces"][number];
type Trial = NetworkTrial;
type Change = Trial["change"];
type Plan = Awaited<ReturnType<typeof askPlan>>;

const STATIC_DRAFT = "lease-host-network";
const LOOK_MS = 5_000;
const LENGTHS = Object.entries(t.lengths).map(([value, label]) => ({ value, label }));
const askPlan = (json: Change) => call("POST /system/network/preview", { json });

/** The addresses of the machine itself, and a static one for an interface: looked at first, then tried out. */
export function HostNetworkSection() {
  const network = useQuery({
    ...questions.hostNetwork,
    refetchInterval: ({ state }) => (state.data?.trial ? LOOK_MS : false),
  });
  // What was typed on an earlier visit is shown at once.
  const [editing, setEditing] = useState(() => draftNames(STATIC_DRAFT).length > 0);
  return (
    <Section title={t.network} about={t.about}>
      <Loaded query={network}>
        {({ interfaces, dns, changeable, trial }) => (
          <Stack>
            {trial && <OnTrial trial={trial} />}
            <DataTable
              caption={t.network}
              columns={COLUMNS}
              rows={interfaces}
              rowKey={({ name }) => name}
              empty={<EmptyState title={t.noInterfaces} />}
            />
            {dns.length > 0 && <Text size="sm">{t.nameServers(listed(dns))}</Text>}
            {!changeable && <Text size="sm">{t.notRoot}</Text>}
            {changeable && !trial && !editing && interfaces.some(({ tool }) => tool !== null) && (
              <Group>
                <Button variant="default" onClick={() => setEditing(true)}>
                  {t.setStatic}
                </Button>
              </Group>
            )}
            {editing && !trial && (
              <StaticForm
                interfaces={interfaces.filter(({ tool }) => tool !== null)}
                dns={dns}
                close={() => setEditing(false)}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const COLUMNS: Column<Interface>[] = [
  { title: t.interface, cell: ({ name }) => <Code>{name}</Code> },
  {
    title: t.addresses,
    cell: ({ addresses }) => (
      <Stack gap={0}>
        {addresses.map((each) => (
          <Text key={each} size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {each}
          </Text>
        ))}
        {addresses.length === 0 && t.none}
      </Stack>
    ),
  },
  { title: t.gateway, cell: ({ gateway }) => (gateway ? <Code>{gateway}</Code> : t.none) },
  { title: t.setBy, cell: ({ tool }) => tool ?? t.unknownTool },
];

function OnTrial({ trial: { change, ends_at, ends, problem } }: { trial: Trial }) {
  const left = useTimeLeft(ends);
  // What is shown, and no other one that somebody may try out by now.
  const json = { ends_at };
  const keep = useAction(() => call("POST /system/network/confirm", { json }), {
    changes: [questions.hostNetwork],
    done: t.isKept,
  });
  const takeBack = useAction(() => call("POST /system/network/take-back", { json }), {
    changes: [questions.hostNetwork],
    done: t.isTakenBack,
  });
  return (
    <Alert color="clay" title={t.onTrial(change.interface, change.address)} role="alert">
      <Stack gap="sm">
        {/* Not read out each second with the alert. */}
        <Text size="sm" component="div" role="timer" aria-live="off">
          {filled(t.takenBackIn, { left: <strong>{duration(Math.max(1_000, left))}</strong> })}
        </Text>
        {problem && <Text size="sm">{problem}</Text>}
        <Group>
          {problem === null && (
            <Button size="xs" {...keep}>
              {t.keep}
            </Button>
          )}
          <Button size="xs" variant="default" {...takeBack}>
            {t.takeBack}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

interface StaticDraft {
  readonly name: string;
  readonly address: string;
  readonly gateway: string;
  readonly servers: string;
  readonly seconds: string;
}

/** What an interface has now. */
const setOn = (one: Interface | undefined) => ({
  name: one?.name ?? "",
  address: one?.addresses.find((each) => !each.includes(":")) ?? "",
  gateway: one?.gateway ?? "",
});

function StaticForm(props: { interfaces: readonly Interface[]; dns: readonly string[]; close: () => void }) {
  const { interfaces, dns, close } = props;
  const stored: StaticDraft = {
    ...setOn(interfaces[0]),
    servers: dns.filter((each) => !each.includes(":")).join(", "),
    seconds: "60",
  };
  const draft = useUnsaved<StaticDraft>(STATIC_DRAFT, { value: stored, version: JSON.stringify(stored) });
  const { name, address, gateway, servers, seconds } = draft.value;
  const set = (part: Partial<StaticDraft>) => draft.set((all) => ({ ...all, ...part }));
  const choose = (next: string) => {
    const [before, after] = [name, next].map((each) => setOn(interfaces.find((one) => one.name === each)));
    // What was typed for it stays; what the other one has is not this one's.
    set({
      name: next,
      ...(address === before?.address ? { address: after?.address ?? "" } : {}),
      ...(gateway === before?.gateway ? { gateway: after?.gateway ?? "" } : {}),
    });
  };
  const [plan, setPlan] = useState<{ for: string; plan: Plan }>();
  const change: Change = {
    interface: name,
    address: address.trim(),
    gateway: gateway.trim() || null,
    dns: servers.split(/[\s,]+/).filter((each) => each !== ""),
  };
  const key = JSON.stringify(change);
  const isSeen = plan?.for === key;
  const act = async () => {
    if (!isSeen) return setPlan({ for: key, plan: await askPlan(change) });
    const tried = draft.value;
    await call("PUT /system/network", { json: change, query: { confirm_within: Number(seconds) } });
    draft.saved(tried, { value: stored });
    await changed(questions.hostNetwork);
    // What was typed meanwhile is not tried, and is in sight again after the trial.
    if (!peekDraft(STATIC_DRAFT)) close();
  };
  return (
    <ActionForm
      action={isSeen ? t.tryIt : t.preview}
      onSubmit={act}
      disabled={!change.address}
      beside={
        <>
          {draft.isDirty && <DiscardButton onDiscard={draft.discard}>{t.discard}</DiscardButton>}
          <Button variant="default" onClick={close}>
            {t.close}
          </Button>
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={t.interface}
          data={withGone(
            interfaces.map((each) => each.name),
            name,
          )}
          value={name}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        <TextInput
          label={t.address}
          placeholder={t.addressExample}
          dir="ltr"
          spellCheck={false}
          value={address}
          onChange={(event) => set({ address: event.currentTarget.value })}
        />
        <AddressInput
          label={t.gatewayOptional}
          kind="v4"
          value={gateway}
          onChange={(next) => set({ gateway: next })}
        />
        <TextInput
          label={t.nameServersField}
          dir="ltr"
          spellCheck={false}
          value={servers}
          onChange={(event) => set({ servers: event.currentTarget.value })}
        />
        <NativeSelect
          label={t.tryFor}
          data={LENGTHS}
          value={seconds}
          onChange={(event) => set({ seconds: event.currentTarget.value })}
        />
      </SimpleGrid>
      {isSeen && <PlanView plan={plan.plan} />}
    </ActionForm>
  );
}

function PlanView({ plan: { tool, files, commands } }: { plan: Plan }) {
  return (
    <Stack gap="xs">
      <Title order={3}>{t.whatItDoes(tool)}</Title>
      {files.map(({ path, before, after }) => (
        <Stack key={path} gap={4}>
          <Text size="sm" ff="monospace">
            {path}
          </Text>
          <Suspense>
            <DiffView label={path} before={before ?? ""} after={after} />
          </Suspense>
        </Stack>
      ))}
      {commands.map((command) => (
        <Code key={command} block>
          {command}
        </Code>
      ))}
      <Text size="sm">{t.youMayLoseIt}</Text>
    </Stack>
  );
}
