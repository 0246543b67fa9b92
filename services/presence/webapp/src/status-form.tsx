import { ActionForm, lazyPage } from "@frontdesk/ui";
import { Group, Input, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { questions } from "./api.ts";
import { endTime } from "./board/end-words.ts";
import classes from "./board/my-bar.module.css";
import { ChoiceSelect, statusChoices, stillThere } from "./choice-select.tsx";
import { statusOf, useMyself, useOrg } from "./org.ts";
import { useServerNow } from "./server-now.ts";
import type { Member, Status, Until } from "./shapes.ts";
import { useTypedSince } from "./typed-since.ts";
import { useSetStatus } from "./use-set-status.ts";
import { t } from "./words/status.ts";
import { ownZone, zoneName } from "./zones.ts";

const DateTimeInput = lazyPage(() => import("@frontdesk/ui/date-inputs").then((part) => part.DateTimeInput));

const MAX_NOTE = 120;

/** A status for another time than it usually lasts, or with a note. Without `member`: one's own. */
export function StatusForm({ member, onSet }: { member?: Member; onSet?: () => void }) {
  const { org, board } = useOrg();
  const myself = useMyself();
  const whose = member ?? myself;
  const { set } = useSetStatus(member);
  const [status, setStatus] = useState(whose?.status.status ?? board.statuses[0]?.key ?? "");
  const statuses = statusChoices(board.statuses);
  const [note, setNote] = useState(whose?.status.note ?? "");
  const [chosen, setChosen] = useState("default");
  const [picked, setPicked] = useState<string | null>(null);
  const { data: ends } = useQuery(questions.ends(org, member?.id));
  const now = useServerNow(member?.id);
  const until = untilOf(chosen, ends?.ends ?? [], picked);
  const end = endOf(until, statusOf(board.statuses, status), ends?.ends ?? [], now);
  const choices: ReadonlyArray<[value: string, label: string]> = [
    ["default", t.asUsual],
    ...(ends?.ends ?? []).map(({ name }): [string, string] => [name, t.chips[name] ?? name]),
    ["open", member ? t.untilItIsChanged : t.untilChanged],
    ["pick", t.pick],
  ];
  const isTypedSince = useTypedSince({ status, note, chosen, picked });
  const submit = async () => {
    await set({ status, until: until ?? "default", note: note.trim() || null });
    if (isTypedSince()) return;
    setChosen("default");
    setPicked(null);
    onSet?.();
  };
  return (
    <ActionForm
      action={t.set}
      onSubmit={submit}
      disabled={until === undefined || !stillThere(statuses, status)}
    >
      {(problem) => (
        <>
          <ChoiceSelect
            label={t.status}
            choices={statuses}
            value={status}
            error={problem("status")}
            onChange={(event) => setStatus(event.currentTarget.value)}
          />
          <Input.Wrapper
            label={t.how}
            labelElement="div"
            error={problem("until")}
            {...(ends && ends.timeZone !== ownZone()
              ? { description: t.timesAreIn(zoneName(ends.timeZone)) }
              : {})}
          >
            <Group gap="xs" mt={6} role="group" aria-label={t.how}>
              {choices.map(([value, label]) => (
                <UnstyledButton
                  key={value}
                  className={classes.choice}
                  aria-pressed={chosen === value}
                  onClick={() => setChosen(value)}
                >
                  {label}
                </UnstyledButton>
              ))}
            </Group>
          </Input.Wrapper>
          {chosen === "pick" && (
            <Suspense>
              <DateTimeInput
                label={t.until}
                value={picked}
                onChange={setPicked}
                min={new Date(now).toISOString()}
                {...(ends ? { timeZone: ends.timeZone } : {})}
              />
            </Suspense>
          )}
          <Text size="sm" c="dimmed">
            {end === undefined ? t.noEnd : t.endsAt(end)}
          </Text>
          <TextInput
            label={t.note}
            placeholder={t.noteHint}
            description={t.noteLength}
            inputWrapperOrder={["label", "input", "description", "error"]}
            dir="auto"
            maxLength={MAX_NOTE}
            value={note}
            error={problem("note")}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      )}
    </ActionForm>
  );
}

interface KnownEnd {
  readonly name: string;
  readonly until: Until;
  readonly at: string;
}

function untilOf(chosen: string, ends: readonly KnownEnd[], picked: string | null): Until | undefined {
  if (chosen === "default" || chosen === "open") return chosen;
  if (chosen === "pick") return picked === null ? undefined : { at: picked };
  return ends.find(({ name }) => name === chosen)?.until;
}

/** When that ends, as a time. */
function endOf(until: Until | undefined, status: Status, ends: readonly KnownEnd[], now: number) {
  const inMinutes = (minutes: number) => endTime(new Date(now + minutes * 60_000).toISOString(), now);
  if (until === undefined || until === "open") return undefined;
  if (until === "default")
    return status.defaultMinutes === null ? undefined : inMinutes(status.defaultMinutes);
  if ("minutes" in until) return inMinutes(until.minutes);
  if ("at" in until) return endTime(until.at, now);
  const known = ends.find((end) => end.until === until);
  return known && endTime(known.at, now);
}
