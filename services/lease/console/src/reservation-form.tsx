import { ActionForm, AddressInput, addressProblem, MacInput, macProblem, tellDone } from "@frontdesk/ui";
import { Checkbox, SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import { call, type Reservation } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
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

/** As the file has it: without what the manager adds to tell how it is. */
export function fileForm({ subnet: _, status: _status, held_by: _held, ...own }: Reservation) {
  return own;
}

/** Only what has something is written; other keys of the file stay. */
const written = (body: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== ""),
  ) as ReturnType<typeof fileForm>;

export function ReservationForm({ reservation, done }: { reservation?: Reservation; done: () => void }) {
  const [firstMac = "", ...otherMacs] = partsOf(reservation?.mac);
  const [ip, setIp] = useState(reservation?.ip ?? "");
  const [mac, setMac] = useState(firstMac);
  const [more, setMore] = useState(otherMacs.join(", "));
  const [clientId, setClientId] = useState(partsOf(reservation?.client_id).join(", "));
  const [hostname, setHostname] = useState(reservation?.hostname ?? "");
  const [note, setNote] = useState(reservation?.note ?? "");
  const [enabled, setEnabled] = useState(reservation?.enabled !== false);
  const isKnownOtherwise = Boolean(reservation?.duid || reservation?.circuit_id || reservation?.remote_id);
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
    if (reservation) await call("PUT /reservations/{ip}", { path: { ip: reservation.ip }, json });
    else await call("POST /reservations", { json });
    await changed(...CONFIG_CHANGES);
    tellDone(t.isSaved(ip));
    done();
  };
  const isReady = hasDevice && !addressProblem(ip, "v4") && (mac === "" || !macProblem(mac));
  return (
    <ActionForm
      action={t.save}
      onSubmit={save}
      disabled={!isReady}
      hint={hasDevice ? undefined : t.needsADevice}
    >
      {(problem) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <AddressInput
              label={t.ip}
              family="v4"
              value={ip}
              onChange={setIp}
              error={problem("ip")}
              data-autofocus
            />
            <MacInput label={t.mac} value={mac} onChange={setMac} error={problem("mac")} />
            <TextInput
              label={t.hostname}
              dir="auto"
              maxLength={255}
              value={hostname}
              error={problem("hostname")}
              onChange={(event) => setHostname(event.currentTarget.value)}
            />
            <TextInput
              label={t.clientId}
              dir="ltr"
              spellCheck={false}
              value={clientId}
              error={problem("client_id")}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
          </SimpleGrid>
          {otherMacs.length > 0 && (
            <TextInput
              label={t.moreMacs}
              dir="ltr"
              spellCheck={false}
              value={more}
              onChange={(event) => setMore(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t.note}
            dir="auto"
            maxLength={1000}
            value={note}
            error={problem("note")}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <Checkbox
            label={t.isInForce}
            checked={enabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
        </>
      )}
    </ActionForm>
  );
}
