import {
  ApiError,
  type Column,
  DataTable,
  download,
  dropDraft,
  EmptyState,
  filled,
  LateDialog,
  Loaded,
  Page,
  RemovedElsewhere,
  Section,
  useAction,
  useOpening,
  useRemovedWork,
  useUrlState,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { DownloadIcon, PlusIcon, UploadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { questions, type Reservation } from "../api.ts";
import { CONFIG_CHANGES } from "../config-trial.tsx";
import { InFuture } from "../in-future.tsx";
import { reservationsAsCsv } from "../reservation-csv.ts";
import {
  RESERVATION_DRAFTS,
  type ReservationDraft,
  ReservationForm,
  reservationInLines,
} from "../reservation-form.tsx";
import { ReservationImport } from "../reservation-import.tsx";
import { removeReservation, setEnabled } from "../reservation-writes.ts";
import { useIsOperator } from "../rights.ts";
import { UnreadableConfig } from "../unreadable-config.tsx";
import { t } from "../words/reservations.ts";

const COLORS = { in_use: "pine", unused: "gray", held_by_another: "red", disabled: "gray" } as const;

const identifiersOf = ({ mac, client_id, duid, circuit_id, interface_id, remote_id }: Reservation) =>
  [mac, client_id, duid, circuit_id, interface_id, remote_id].flatMap((each) => each ?? []);

export function ReservationsPage() {
  const reservations = useQuery(questions.reservations);
  const [words, setWords] = useUrlState("q");
  const adding = useOpening();
  const importing = useOpening();
  // Above the list: a reservation that is removed while somebody edits it does not take the form along.
  const [edited, setEdited] = useState("");
  const editing = useOpening();
  const removed = useRemovedWork<ReservationDraft>(
    RESERVATION_DRAFTS,
    reservations.data?.map(({ ip }) => ip),
  );
  const edit = (ip: string) => {
    setEdited(ip);
    editing.open();
  };
  const mayWrite = useIsOperator();
  const { error } = reservations;
  const unreadable = error instanceof ApiError && error.code === "bad_config" ? error : undefined;
  const fits = (row: Reservation) =>
    [row.ip, row.prefix, row.subnet, row.hostname, row.note, ...identifiersOf(row)]
      .join(" ")
      .toLowerCase()
      .includes(words.trim().toLowerCase());
  return (
    <Page
      title={t.reservations}
      intro={t.intro}
      wide
      actions={
        <>
          <Button
            variant="default"
            leftSection={<DownloadIcon aria-hidden />}
            disabled={!reservations.data?.length}
            onClick={() => download(t.fileName, reservationsAsCsv(reservations.data ?? []), "text/csv")}
          >
            {t.download}
          </Button>
          {mayWrite && (
            <>
              <Button variant="default" leftSection={<UploadIcon aria-hidden />} onClick={importing.open}>
                {t.importCsv}
              </Button>
              <Button leftSection={<PlusIcon aria-hidden />} onClick={adding.open}>
                {t.add}
              </Button>
            </>
          )}
        </>
      }
    >
      <LateDialog opened={adding.opened} onClose={adding.close} title={t.add} size="lg">
        <ReservationForm done={adding.close} edit={edit} />
      </LateDialog>
      <LateDialog opened={editing.opened} onClose={editing.close} title={t.reservationOf(edited)} size="lg">
        <Edited
          key={edited}
          reservation={reservations.data?.find(({ ip }) => ip === edited)}
          removed={removed.find(({ name }) => name === edited)}
          done={editing.close}
          edit={edit}
        />
      </LateDialog>
      <LateDialog opened={importing.opened} onClose={importing.close} title={t.importCsv} size="xl">
        <ReservationImport done={importing.close} />
      </LateDialog>
      {mayWrite &&
        removed
          .filter(({ name }) => !editing.opened || name !== edited)
          .map(({ name, typed }) => (
            <RemovedElsewhere
              key={name}
              what={t.reservationOf(name)}
              typed={reservationInLines(typed())}
              onOpen={() => edit(name)}
              onDiscard={() => dropDraft(RESERVATION_DRAFTS + name)}
            />
          ))}
      <Section title={t.reservations}>
        <TextInput
          label={t.search}
          type="search"
          maw="24rem"
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        {unreadable && <UnreadableConfig why={unreadable.message} />}
        {(!unreadable || reservations.data) && (
          <Loaded query={reservations}>
            {(rows) => (
              <DataTable
                caption={t.reservations}
                columns={mayWrite ? [...columns, actions(edit)] : columns}
                rows={rows.filter(fits)}
                rowKey={({ ip }) => ip}
                empty={
                  rows.length === 0 ? (
                    <EmptyState title={t.none}>{mayWrite && t.noneYet}</EmptyState>
                  ) : (
                    <EmptyState title={t.nothingFits} />
                  )
                }
              />
            )}
          </Loaded>
        )}
      </Section>
    </Page>
  );
}

const columns: Column<Reservation>[] = [
  {
    title: t.ip,
    cell: ({ ip, prefix }) => (
      <Stack gap={2} align="flex-start">
        <Code>{ip}</Code>
        {prefix !== undefined && prefix !== ip && <Code>{prefix}</Code>}
      </Stack>
    ),
  },
  {
    title: t.device,
    cell: (row) => (
      <Stack gap={2}>
        {identifiersOf(row).map((each) => (
          <Text key={each} size="sm" ff="monospace" dir="auto" style={{ overflowWrap: "anywhere" }}>
            <bdi>{each}</bdi>
          </Text>
        ))}
      </Stack>
    ),
  },
  { title: t.hostname, cell: ({ hostname }) => <bdi>{hostname}</bdi> },
  { title: t.subnet, cell: ({ subnet }) => subnet },
  {
    title: t.status,
    cell: ({ status, held_by, takes_effect, at }) => (
      <Stack gap={2} align="flex-start">
        <Badge color={COLORS[status]}>{t.states[status]}</Badge>
        {status === "held_by_another" && held_by && (
          <Text size="xs">{filled(t.heldBy, { device: <bdi>{held_by}</bdi> })}</Text>
        )}
        {takes_effect && (
          <Text size="xs" c="dimmed">
            {at
              ? filled(t.effectsAt[takes_effect], { time: <InFuture time={at} /> })
              : t.effects[takes_effect]}
          </Text>
        )}
      </Stack>
    ),
  },
  { title: t.note, cell: ({ note }) => <bdi>{note}</bdi> },
];

/** The form, as long as there is something to edit. */
function Edited(props: Parameters<typeof ReservationForm>[0]) {
  const { reservation, removed } = props;
  return reservation || removed ? <ReservationForm {...props} /> : <EmptyState title={t.notThereAnyMore} />;
}

const actions = (edit: (ip: string) => void): Column<Reservation> => ({
  title: t.actions,
  actions: true,
  cell: (reservation) => <Actions reservation={reservation} onEdit={() => edit(reservation.ip)} />,
});

function Actions({ reservation, onEdit }: { reservation: Reservation; onEdit: () => void }) {
  const { ip, enabled } = reservation;
  const isOn = enabled !== false;
  const toggle = useAction(() => setEnabled(reservation, !isOn), {
    changes: CONFIG_CHANGES,
    done: isOn ? t.isDisabled(ip) : t.isEnabled(ip),
  });
  const remove = useAction(() => removeReservation(reservation), {
    ask: { title: t.askToRemove(ip), body: t.leaseGoesOn, action: t.remove, danger: true },
    changes: CONFIG_CHANGES,
    done: t.isRemoved(ip),
    after: () => dropDraft(RESERVATION_DRAFTS + ip),
  });
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" aria-label={t.editNamed(ip)} onClick={onEdit}>
        {t.edit}
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={isOn ? t.disableNamed(ip) : t.enableNamed(ip)}
        {...toggle}
      >
        {isOn ? t.disable : t.enable}
      </Button>
      <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(ip)} {...remove}>
        {t.remove}
      </Button>
    </Group>
  );
}

/** Such that the file can be edited and imported again. */
