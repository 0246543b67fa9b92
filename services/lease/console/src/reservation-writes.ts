import { ApiError } from "@frontdesk/ui";
import { call, questions, type Reservation } from "./api.ts";
import { changed } from "./session.ts";

/** As the file has it: without what the manager adds to tell how it is. */
export function fileForm(reservation: Reservation) {
  const {
    version: _version,
    subnet: _subnet,
    status: _status,
    held_by: _held,
    takes_effect: _effect,
    at: _at,
    ...own
  } = reservation;
  return own;
}

type Written = ReturnType<typeof fileForm>;

/** Replaces a reservation, if it is still the version that was seen. */
export const replaceReservation = (ip: string, seen: string, json: Written) =>
  orShowTheirs(call("PUT /reservations/{ip}", { path: { ip }, json, ifMatch: `"${seen}"` }));

export const setEnabled = (shown: Reservation, enabled: boolean) => {
  const { enabled: _, ...rest } = fileForm(shown);
  return replaceReservation(shown.ip, shown.version, (enabled ? rest : { ...rest, enabled }) as Written);
};

export const removeReservation = ({ ip, version }: Reservation) =>
  orShowTheirs(call("DELETE /reservations/{ip}", { path: { ip }, ifMatch: `"${version}"` }));

/** Where somebody else was faster, the page shows what there is now. */
async function orShowTheirs<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const isStale =
      error instanceof ApiError && ["reservation_changed", "reservation_not_found"].includes(error.code);
    if (isStale) await changed(questions.reservations);
    throw error;
  }
}
