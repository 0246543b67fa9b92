import {
  ActionForm,
  count,
  duration,
  emptied,
  Loaded,
  LoadingState,
  lazyPage,
  Page,
  Section,
  shortName,
  tellDone,
  tellFailure,
  useAction,
  useOnceAnswered,
} from "@frontdesk/ui";
import {
  Badge,
  Button,
  ColorInput,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call, questions } from "../api.ts";
import { StatusLabel } from "../board/status-label.tsx";
import { EditDialog, useEdited } from "../edit-dialog.tsx";
import { useOrg } from "../org.ts";
import { isRefusal } from "../refusal.ts";
import { useSendChanged } from "../send-changed.ts";
import { changed, queryClient } from "../session.ts";
import type { AdminStatus, Kind } from "../shapes.ts";
import { useTypedSince } from "../typed-since.ts";
import { t } from "../words/admin.ts";

const ReorderList = lazyPage(() => import("@frontdesk/ui/reorder-list").then((part) => part.ReorderList));

const KINDS = Object.entries(t.kinds).map(([value, label]) => ({ value, label }));

export function StatusesPage() {
  const { org } = useOrg();
  const statuses = useQuery(questions.statuses(org));
  const isAnswered = useOnceAnswered(statuses.isPending);
  return (
    <Page title={t.statuses} intro={t.statusesIntro}>
      {/* One placeholder for all of it: a list that comes late would push the form away from who is at it. */}
      <Suspense fallback={<LoadingState />}>
        <Loaded query={statuses}>{(all) => <Vocabulary statuses={all} />}</Loaded>
        {isAnswered && (
          <Section title={t.newStatus}>
            <StatusFields />
          </Section>
        )}
      </Suspense>
    </Page>
  );
}

const useChanged = () => {
  const { org } = useOrg();
  return () => changed(questions.statuses(org), questions.board(org));
};

function Vocabulary({ statuses }: { statuses: readonly AdminStatus[] }) {
  const { org } = useOrg();
  const refresh = useChanged();
  const move = async (key: string, after: string | null) => {
    try {
      await call("PATCH /orgs/{org}/statuses/{key}", { path: { org, key }, json: { after } });
    } catch (error) {
      tellFailure(error);
    }
    await refresh();
  };
  const edited = useEdited(statuses, ({ status }) => status.key);
  const byKey = new Map(statuses.map((each) => [each.status.key, each]));
  return (
    <Section title={t.statuses}>
      <ReorderList
        label={t.orderOfStatuses}
        items={statuses.map(({ status: { key, label } }) => ({ id: key, name: label }))}
        onMove={move}
      >
        {({ id }) => {
          const known = byKey.get(id);
          return known && <StatusRow known={known} edit={() => edited.edit(known)} />;
        }}
      </ReorderList>
      <EditDialog edited={edited} title={({ status }) => t.editNamed(status.label)}>
        {(known) => <StatusFields key={known.status.key} known={known} done={edited.close} />}
      </EditDialog>
    </Section>
  );
}

function StatusRow({ known, edit }: { known: AdminStatus; edit: () => void }) {
  const { status, holders } = known;
  const { org } = useOrg();
  const refresh = useChanged();
  const path = { org, key: status.key };
  const makeUsual = useAction(
    async () => {
      await call("PATCH /orgs/{org}/statuses/{key}", { path, json: { isDefault: true } });
      await refresh();
    },
    { done: t.isUsual(status.label) },
  );
  const remove = useAction(
    async () => {
      await call("DELETE /orgs/{org}/statuses/{key}", { path });
      await refresh();
    },
    {
      // Statuses change all the time: how many have it is how many have it now.
      ask: async (confirm) => {
        const all = await queryClient.fetchQuery({ ...questions.statuses(org), staleTime: 0 });
        const now = all.find((each) => each.status.key === status.key) ?? known;
        return confirm({
          title: t.askToRemoveStatus(status.label),
          body: `${t.moved(count(now.holders, t.holders))} ${count(now.planned, t.plannedGo)}`.trim(),
          action: t.remove,
          danger: true,
        });
      },
      done: t.isRemoved(status.label),
    },
  );
  return (
    <Group justify="space-between" gap="sm" py={4}>
      <div>
        <Group gap="xs">
          <StatusLabel status={status} />
          {status.isDefault && <Badge size="sm">{t.usual}</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {[
            status.key,
            t.kinds[status.kind],
            status.defaultMinutes === null ? t.untilChanged : duration(status.defaultMinutes * 60_000),
            count(holders, t.holders),
          ].join(" · ")}
        </Text>
      </div>
      <Group gap="xs">
        {!status.isDefault && (
          <Button size="xs" variant="default" {...makeUsual}>
            {t.makeUsual}
          </Button>
        )}
        <Button size="xs" variant="default" aria-label={t.editNamed(status.label)} onClick={edit}>
          {t.edit}
        </Button>
        {!status.isDefault && (
          <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(status.label)} {...remove}>
            {t.remove}
          </Button>
        )}
      </Group>
    </Group>
  );
}

const USUAL_COLOUR = "#2f8a6d";
const USUAL_KIND: Kind = "in";
/** As `emptied`, for what is usually something else than empty. */
const setBack =
  <T,>(sent: T, usual: T) =>
  (now: T) =>
    now === sent ? usual : now;

function StatusFields({ known, done }: { known?: AdminStatus; done?: () => void }) {
  const { org, board } = useOrg();
  const refresh = useChanged();
  const [label, setLabel] = useState(known?.status.label ?? "");
  const [ownKey, setOwnKey] = useState<string>();
  const [emoji, setEmoji] = useState(known?.status.emoji ?? "");
  const [color, setColor] = useState(known?.status.color ?? USUAL_COLOUR);
  const [kind, setKind] = useState<Kind>(known?.status.kind ?? USUAL_KIND);
  const [minutes, setMinutes] = useState<number | string>(known?.status.defaultMinutes ?? "");
  const taken = board.statuses.map((status) => status.key);
  const key = ownKey ?? (label.trim() ? shortName(label, { taken, fallback: "status", max: 40 }) : "");
  const now = {
    label: label.trim(),
    emoji: emoji.trim(),
    color: color.toLowerCase(),
    kind,
    defaultMinutes: minutes === "" ? null : Number(minutes),
  };
  const [shown, setShown] = useState(now);
  const isTypedSince = useTypedSince(now);
  const sendChanged = useSendChanged<typeof now>();
  const save = async () => {
    if (!known) {
      try {
        await call("POST /orgs/{org}/statuses", { path: { org }, json: { key, ...now } });
      } catch (error) {
        // It may have been added: under another key, the next try would add a second.
        if (!isRefusal(error)) setOwnKey(key);
        throw error;
      }
      // What was typed or chosen since is of the next one.
      setLabel(emptied(label));
      setOwnKey(setBack(ownKey, undefined));
      setEmoji(emptied(emoji));
      setColor(setBack(color, USUAL_COLOUR));
      setKind(setBack(kind, USUAL_KIND));
      setMinutes(setBack(minutes, ""));
      await refresh();
      tellDone(t.isAdded(now.label));
      return;
    }
    await sendChanged(shown, now, (json) =>
      call("PATCH /orgs/{org}/statuses/{key}", { path: { org, key: known.status.key }, json }),
    );
    setShown(now);
    await refresh();
    tellDone(t.saved);
    if (!isTypedSince()) done?.();
  };
  return (
    <ActionForm
      action={known ? t.save : t.addStatus}
      onSubmit={save}
      disabled={!label.trim() || (!known && !key)}
    >
      {(problem) => (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t.label}
            dir="auto"
            maxLength={80}
            value={label}
            error={problem("label")}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          {!known && (
            <TextInput
              label={t.key}
              description={t.keyAbout}
              inputWrapperOrder={["label", "input", "description", "error"]}
              maxLength={40}
              spellCheck={false}
              value={key}
              error={problem("key")}
              onChange={(event) => setOwnKey(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t.emoji}
            maxLength={16}
            value={emoji}
            error={problem("emoji")}
            onChange={(event) => setEmoji(event.currentTarget.value)}
          />
          <ColorInput
            withEyeDropper={false}
            label={t.colour}
            format="hex"
            value={color}
            error={problem("color")}
            onChange={setColor}
          />
          <NativeSelect
            label={t.kind}
            description={t.kindAbout}
            inputWrapperOrder={["label", "input", "description", "error"]}
            data={KINDS}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
          />
          <NumberInput
            label={t.usuallyMinutes}
            description={t.usuallyAbout}
            inputWrapperOrder={["label", "input", "description", "error"]}
            min={1}
            max={44_640}
            allowDecimal={false}
            allowNegative={false}
            value={minutes}
            error={problem("defaultMinutes")}
            onChange={setMinutes}
          />
        </SimpleGrid>
      )}
    </ActionForm>
  );
}
