import {
  ActionForm,
  ApiError,
  type Column,
  DataTable,
  EmptyState,
  exactTime,
  LateDialog,
  Loaded,
  lazyPage,
  Section,
  tellDone,
  useAction,
  useOpening,
} from "@frontdesk/ui";
import { Button, Group, NativeSelect, SegmentedControl, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useRef, useState } from "react";
import { call, questions } from "./api.ts";
import { StatusLabel } from "./board/status-label.tsx";
import { ChoiceSelect, statusChoices, stillThere } from "./choice-select.tsx";
import { EditDialog, useEdited } from "./edit-dialog.tsx";
import { statusOf, useMyself, useOrg } from "./org.ts";
import { changed, queryClient } from "./session.ts";
import type { Planned, PlannedBody } from "./shapes.ts";
import { withdrawOffer } from "./status-offers.ts";
import { useTypedSince } from "./typed-since.ts";
import { t } from "./words/status.ts";

const DateTimeInput = lazyPage(() => import("@frontdesk/ui/date-inputs").then((part) => part.DateTimeInput));

const weekdays = new Intl.DateTimeFormat(undefined, { weekday: "long", timeZone: "UTC" });
/** From Monday, 1: the first of January 2024 was one. */
const weekdayName = (day: number) => weekdays.format(Date.UTC(2024, 0, day));
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ value: String(day), label: weekdayName(day) }));

const USUAL_START = "09:00";
const USUAL_END = "17:00";

const whenOf = ({ repeats, from, to, weekday, start, end }: Planned): string =>
  repeats === "weekly"
    ? t.everyWeekday(weekdayName(weekday ?? 1), start ?? "", end ?? "")
    : t.fromTo(from === null ? "" : exactTime(from), to === null ? "" : exactTime(to));

/** What a plan had begun may be what an undo would bring back, which is past then: the board says so. */
const useChanged = () => {
  const { org } = useOrg();
  return async () => {
    await changed(questions.planned(org), questions.board(org));
    const me = queryClient.getQueryData(questions.board(org).queryKey)?.me;
    if (me?.undo === null) withdrawOffer(me.id);
  };
};

/** Statuses that begin by themselves. */
export function PlannedSection() {
  const { org, board } = useOrg();
  const planned = useQuery(questions.planned(org));
  const edited = useEdited(planned.data, ({ id }) => id);
  const columns: Column<Planned>[] = [
    { title: t.status, cell: ({ status }) => <StatusLabel status={statusOf(board.statuses, status)} /> },
    { title: t.when, cell: whenOf },
    { title: t.note, cell: ({ note }) => <bdi>{note}</bdi> },
    {
      title: t.next,
      cell: ({ nextAt }) => (nextAt === null ? t.hasBegun : exactTime(nextAt)),
    },
    { title: t.actions, actions: true, cell: (plan) => <Actions plan={plan} onEdit={edited.edit} /> },
  ];
  const planning = useOpening();
  return (
    <Section
      title={t.planned}
      about={t.plannedAbout}
      actions={
        <Button variant="default" size="xs" onClick={planning.open}>
          {t.plan}
        </Button>
      }
    >
      <Loaded query={planned}>
        {(rows) => (
          <DataTable
            caption={t.planned}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t.nothingPlanned} />}
          />
        )}
      </Loaded>
      <LateDialog opened={planning.opened} onClose={planning.close} title={t.plan} size="lg">
        {/* It may be opened again before it has gone, and is of another plan then. */}
        <PlannedForm key={planning.times} done={planning.close} />
      </LateDialog>
      <EditDialog edited={edited} title={() => t.change} size="lg">
        {(plan) => <PlannedForm key={plan.id} plan={plan} done={edited.close} />}
      </EditDialog>
    </Section>
  );
}

function Actions({ plan, onEdit }: { plan: Planned; onEdit: (plan: Planned) => void }) {
  const { org, board } = useOrg();
  const name = `${statusOf(board.statuses, plan.status).label}, ${whenOf(plan)}`;
  const refresh = useChanged();
  const remove = useAction(
    async () => {
      await call("DELETE /orgs/{org}/me/planned/{id}", { path: { org, id: plan.id } });
      await refresh();
    },
    {
      ask: { title: t.askToRemove(name), body: t.itWillNotBegin, action: t.remove, danger: true },
      done: t.isRemoved,
    },
  );
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" aria-label={t.changeNamed(name)} onClick={() => onEdit(plan)}>
        {t.change}
      </Button>
      <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(name)} {...remove}>
        {t.remove}
      </Button>
    </Group>
  );
}

/** What a plan says, field by field. */
const fieldsOf = (plan: Planned) => ({
  status: plan.status,
  note: plan.note ?? "",
  repeats: plan.repeats as string,
  from: plan.from,
  to: plan.to,
  weekday: String(plan.weekday ?? 1),
  start: plan.start ?? USUAL_START,
  end: plan.end ?? USUAL_END,
});

type Fields = ReturnType<typeof fieldsOf>;

function bodyOf({ status, note, repeats, from, to, weekday, start, end }: Fields): PlannedBody | undefined {
  const what = { status, note: note.trim() || null };
  if (repeats === "weekly") return { ...what, repeats: "weekly", weekday: Number(weekday), start, end };
  return from === null || to === null ? undefined : { ...what, repeats: "never", from, to };
}

/** What was not typed here follows what is stored. */
function PlannedForm(props: { plan?: Planned; done: () => void }) {
  const { org, board } = useOrg();
  const refresh = useChanged();
  const [made, setMade] = useState<Planned>();
  // Another submit may come before the next draw.
  const latest = useRef(props.plan);
  const keep = (written: Planned | undefined) => {
    latest.current = written;
    setMade(written);
  };
  const plan = props.plan ?? made;
  const timeZone = useMyself()?.timeZone ?? board.org.timeZone;
  const away = board.statuses.find(({ kind }) => kind === "out") ?? board.statuses[0];
  const [usual] = useState<Fields>({
    status: away?.key ?? "",
    note: "",
    repeats: "never",
    from: null,
    to: null,
    weekday: "1",
    start: USUAL_START,
    end: USUAL_END,
  });
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const type = (fields: Partial<Fields>) => setTyped((before) => ({ ...before, ...fields }));
  const now = { ...(plan ? fieldsOf(plan) : usual), ...typed };
  const { status, note, repeats, from, to, weekday, start, end } = now;
  // One part of when it is means nothing without the others: they stay as they were seen.
  const typeWhen = (part: Partial<Fields>) =>
    setTyped((before) => ({ repeats, from, to, weekday, start, end, ...before, ...part }));
  const statuses = statusChoices(board.statuses);
  const json = bodyOf(now);
  const isTypedSince = useTypedSince(typed);
  const submit = async () => {
    if (!json) return;
    const id = latest.current?.id;
    try {
      // In another window it may have been planned otherwise, of which no event tells.
      const all =
        id === undefined ? [] : await queryClient.fetchQuery({ ...questions.planned(org), staleTime: 0 });
      const stored = all.find((each) => each.id === id);
      const wanted = (stored && bodyOf({ ...fieldsOf(stored), ...typed })) ?? json;
      // What is typed from here on is of this one, and makes no second.
      keep(
        id === undefined
          ? await call("POST /orgs/{org}/me/planned", { path: { org }, json: wanted })
          : await call("PUT /orgs/{org}/me/planned/{id}", { path: { org, id }, json: wanted }),
      );
    } catch (error) {
      // Removed elsewhere meanwhile: it can be planned anew.
      if (!props.plan && error instanceof ApiError && error.code === "planned_not_found") keep(undefined);
      throw error;
    }
    await refresh();
    tellDone(t.isPlanned);
    if (!isTypedSince()) props.done();
  };
  return (
    <ActionForm
      action={plan ? t.save : t.plan}
      onSubmit={submit}
      disabled={!json || !stillThere(statuses, status)}
    >
      {(problem) => (
        <>
          <ChoiceSelect
            label={t.status}
            choices={statuses}
            value={status}
            onChange={(event) => type({ status: event.currentTarget.value })}
          />
          <SegmentedControl
            aria-label={t.repeats}
            data={[
              { value: "never", label: t.once },
              { value: "weekly", label: t.weekly },
            ]}
            value={repeats}
            onChange={(value) => typeWhen({ repeats: value })}
          />
          {repeats === "never" ? (
            <Suspense>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <DateTimeInput
                  label={t.from}
                  value={from}
                  onChange={(value) => typeWhen({ from: value })}
                  timeZone={timeZone}
                  {...errorOf(problem("from"))}
                />
                <DateTimeInput
                  label={t.to}
                  value={to}
                  onChange={(value) => typeWhen({ to: value })}
                  timeZone={timeZone}
                  {...errorOf(problem("to"))}
                />
              </SimpleGrid>
            </Suspense>
          ) : (
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <NativeSelect
                label={t.weekday}
                data={WEEKDAYS}
                value={weekday}
                onChange={(event) => typeWhen({ weekday: event.currentTarget.value })}
              />
              <TextInput
                label={t.start}
                type="time"
                value={start}
                error={problem("start")}
                onChange={(event) => typeWhen({ start: event.currentTarget.value })}
              />
              <TextInput
                label={t.end}
                type="time"
                value={end}
                error={problem("end")}
                onChange={(event) => typeWhen({ end: event.currentTarget.value })}
              />
            </SimpleGrid>
          )}
          <TextInput
            label={t.note}
            dir="auto"
            maxLength={120}
            value={note}
            error={problem("note")}
            onChange={(event) => type({ note: event.currentTarget.value })}
          />
        </>
      )}
    </ActionForm>
  );
}

const errorOf = (error: string | undefined) => (error === undefined ? {} : { error });
