import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Reservation } from "../domain/reservations.ts";
import { bodyText } from "./body-text.ts";
import { authorOf } from "./gate.ts";
import { seenIfTold, seenIn } from "./if-match.ts";
import type { ManagerParts } from "./parts.ts";
import { AddressPath, Imported, ImportPreview, ReservationBody, ReservationList } from "./schemas.ts";

const CSV = ["text/csv", "text/plain"];
const IF_MATCH =
  "With If-Match, which names the `version` of the reservation in the list, it is refused with 412 if somebody else has changed it since. Without, or with `*`, it is written over whatever there is.";

export function reservationRoutes(app: HttpServer, { reservations }: ManagerParts): void {
  app.get(
    "/api/v1/reservations",
    {
      schema: {
        operationId: "listReservations",
        summary: "Reservations, and whether each is in use",
        tags: ["reservations"],
        response: { 200: ReservationList },
      },
    },
    () => reservations.list(),
  );

  app.post(
    "/api/v1/reservations",
    {
      schema: {
        operationId: "addReservation",
        summary: "Reserve an address for a device",
        tags: ["reservations"],
        body: ReservationBody,
        response: { 201: ReservationBody },
      },
    },
    async (request, reply) => {
      const made = await reservations.add(authorOf(request), request.body as Reservation);
      return reply.code(201).send(made);
    },
  );

  app.post(
    "/api/v1/reservations/preview",
    {
      schema: {
        operationId: "previewReservations",
        summary: "What a CSV file would add and change, and what in it conflicts; nothing is written",
        description:
          "The first line names the columns. What an empty cell stands for is taken away; a column that is not there stays as it is.",
        tags: ["reservations"],
        consumes: CSV,
        response: { 200: ImportPreview },
      },
    },
    async (request) => {
      const { version, rows, problems } = await reservations.preview(bodyText(request));
      return { version, items: [...rows], problems };
    },
  );

  app.post(
    "/api/v1/reservations/import",
    {
      schema: {
        operationId: "importReservations",
        summary: "Add and change what a CSV file says: all of it, or nothing",
        description: "If-Match names the version of the preview.",
        tags: ["reservations"],
        consumes: CSV,
        response: { 200: Imported },
      },
    },
    async (request) => {
      const author = authorOf(request);
      const csv = bodyText(request);
      const { version, rows } = await reservations.importAll(author, csv, seenIn(request));
      const count = (wanted: string) => rows.filter(({ action }) => action === wanted).length;
      return { version, added: count("add"), changed: count("change") };
    },
  );

  app.put(
    "/api/v1/reservations/:ip",
    {
      schema: {
        operationId: "changeReservation",
        summary: "Change a reservation, also its address",
        description: IF_MATCH,
        tags: ["reservations"],
        params: AddressPath,
        body: ReservationBody,
        response: { 200: ReservationBody },
      },
    },
    (request) =>
      reservations.change(
        authorOf(request),
        request.params.ip,
        request.body as Reservation,
        seenIfTold(request),
      ),
  );

  app.delete(
    "/api/v1/reservations/:ip",
    {
      schema: {
        operationId: "removeReservation",
        summary: "Remove a reservation; its lease goes on until it ends",
        description: IF_MATCH,
        tags: ["reservations"],
        params: AddressPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await reservations.remove(authorOf(request), request.params.ip, seenIfTold(request));
      return reply.code(204).send(null);
    },
  );
}
