import {
  ActionForm,
  AddressInput,
  addressProblem,
  ChangedElsewhere,
  DiscardButton,
  FieldDifferences,
  MacInput,
  macProblem,
  peekDraft,
  RemovedElsewhere,
  type RemovedWork,
  tellDone,
  useIsMounted,
  useUnsaved,
} from "@frontdesk/ui";
import { Checkbox, SimpleGrid, TextInput } from "@mantine/core";
import { call, type Reservation } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import { fileForm, replaceReservation } from "./reservation-writes.ts";
import { changed } from "./session.ts";
import { t } from "./words/reservations.ts";

const partsOf = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value : value ? [value] : [];
const oneOrMore = (parts: readonly string[]) =>
  parts.length === 0 ? undefined : parts.length === 1 ? (parts[0] as string) : [...parts];
const split = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Only what has something is written; other keys of the file stay. */
const written = (body: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== ""),
  ) as ReturnType<typeof fileForm>;

/** What the drafts of reservations are called, before the address of each. */
export const RESERVATION_DRAFTS = "lease-reservation:";

export interface ReservationDraft {
  readonly ip: string;
  readonly mac: string;
  readonly more: string;
  readonly clientId: string;
  readonly hostname: string;
  readonly note: string;
  readonly enabled: boolean;
}

function draftOf(reservation: ReturnType<typeof fileForm> | undefined): ReservationDraft {
  const [mac = "", ...others] = partsOf(reservation?.mac);
  return {
    ip: reservation?.ip ?? "",
    mac,
    more: others.join(", "),
    clientId: partsOf(reservation?.client_id).join(", "),
    hostname: reservation?.hostname ?? "",
    note: reservation?.note ?? "",
    enabled: reservation?.enabled !== false,
  };
}

const FIELDS = {
  ip: t.ip,
  mac: t.mac,
  more: t.moreMacs,
  clientId: t.clientId,
  hostname: t.hostname,
  note: t.note,
} as const;

function differences(theirs: ReservationDraft, mine: ReservationDraft) {
  const inForce = ({ enabled }: ReservationDraft) => t.yesOrNo[enabled ? "yes" : "no"];
  const texts = (Object.keys(FIELDS) as Array<keyof typeof FIELDS>).map((key) => ({
    name: FIELDS[key],
    theirs: theirs[key],
    mine: mine[key],
  }));
  return [...texts, { name: t.isInForce, theirs: inForce(theirs), mine: inForce(mine) }];
}

/** What was typed, a line each. */
export const reservationInLines = (typed: ReservationDraft): string =>
  differences(typed, typed)
    .filter(({ mine }) => mine !== "")
    .map(({ name, mine }) => `${name}: ${mine}`)
    .join("\n");

/** Adds a reservation, changes one, or makes one anew that was removed while it was edited. */
export function ReservationForm(props: {
  reservation?: Reservation | undefined;
  removed?: RemovedWork<ReservationDraft> | undefined;
  done: () => void;
  /** What was typed while it was saved is an edit of the reservation that was made. */
  edit: (ip: string) => void;
}) {
  const { reservation, removed, done, edit } = props;
  const stored = removed?.from ?? draftOf(reservation);
  const key = RESERVATION_DRAFTS + (removed?.name ?? reservation?.ip ?? "~new");
  const isMounted = useIsMounted();
  // What is typed and not saved is there again when the dialog is opened again.
  const draft = useUnsaved(
    key,
    { value: stored, version: removed?.base ?? reservation?.version ?? "" },
    { asksOnLeaving: false, isRemoved: removed !== undefined },
  );
  const { ip, mac, more, clientId, hostname, note, enabled } = draft.value;
  const set = (part: Partial<ReservationDraft>) => draft.set((all) => ({ ...all, ...part }));
  const { duid, circuit_id, interface_id, remote_id } = reservation ?? {};
  const isKnownOtherwise = Boolean(duid || circuit_id || interface_id || remote_id);
  // What DHCPv6 knows a device by has no field here: such a reservation is made in the text, and edited in either.
  const kind = stored.ip.includes("/") ? "prefix" : stored.ip.includes(":") ? "v6" : "v4";
  const hasDevice = mac !== "" || clientId !== "" || isKnownOtherwise;
  const save = async () => {
    const json = written({
      ...(reservation ? fileForm(reservation) : {}),
      ip,
      mac: oneOrMore([...split(mac), ...split(more)]),
      client_id: oneOrMore(split(clientId)),
      hostname: hostname.trim(),
      note: note.trim(),
      enabled: enabled ? (reservation?.enabled === true ? true : undefined) : false,
    });
    const sent = draft.value;
    const made = reservation
      ? await replaceReservation(reservation.ip, draft.base, json)
      : await call("POST /reservations", { json });
    draft.saved(sent, { value: draftOf(made) });
    await changed(...CONFIG_CHANGES);
    tellDone(t.isSaved(ip));
    const typed = peekDraft<ReservationDraft>(key)?.value;
    if (!typed || !isMounted.current) return done();
    const to = RESERVATION_DRAFTS + made.ip;
    if (to === key || (!reservation && typed.ip !== made.ip)) return;
    draft.moveTo(to, (value) => value);
    done();
    edit(made.ip);
  };
  const isReady = hasDevice && !addressProblem(ip, kind) && (mac === "" || !macProblem(mac));
  return (
    <ActionForm
      action={removed ? t.makeItAnew : t.save}
      onSubmit={save}
      disabled={!isReady || draft.isOutdated || (reservation !== undefined && !draft.isDirty)}
      beside={
        draft.wasRestored && !removed && <DiscardButton onDiscard={draft.discard}>{t.discard}</DiscardButton>
      }
      hint={hasDevice ? undefined : t.needsADevice}
    >
      {(problem) => (
        <>
          {removed && (
            <RemovedElsewhere
              what={t.reservationOf(removed.name)}
              typed={reservationInLines(draft.value)}
              onDiscard={() => {
                draft.discard();
                done();
              }}
            />
          )}
          {draft.isOutdated && (
            <ChangedElsewhere
              what={t.reservationOf(stored.ip)}
              difference={<FieldDifferences fields={differences(stored, draft.value)} />}
              onTakeTheirs={draft.discard}
              onKeepMine={draft.rebase}
            />
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <AddressInput
              label={t.ip}
              kind={kind}
              value={ip}
              onChange={(value) => set({ ip: value })}
              error={problem("ip")}
              data-autofocus
            />
            <MacInput
              label={t.mac}
              value={mac}
              onChange={(value) => set({ mac: value })}
              error={problem("mac")}
            />
            <TextInput
              label={t.hostname}
              dir="auto"
              maxLength={255}
              value={hostname}
              error={problem("hostname")}
              onChange={(event) => set({ hostname: event.currentTarget.value })}
            />
            <TextInput
              label={t.clientId}
              dir="ltr"
              spellCheck={false}
              value={clientId}
              error={problem("client_id")}
              onChange={(event) => set({ clientId: event.currentTarget.value })}
            />
          </SimpleGrid>
          {stored.more !== "" && (
            <TextInput
              label={t.moreMacs}
              dir="ltr"
              spellCheck={false}
              value={more}
              onChange={(event) => set({ more: event.currentTarget.value })}
            />
          )}
          <TextInput
            label={t.note}
            dir="auto"
            maxLength={1000}
            value={note}
            error={problem("note")}
            onChange={(event) => set({ note: event.currentTarget.value })}
          />
          <Checkbox
            label={t.isInForce}
            checked={enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
        </>
      )}
    </ActionForm>
  );
}
