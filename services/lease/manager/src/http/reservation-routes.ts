import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Reservation } from "../domain/reservations.ts";
import { principalOf } from "./gate.ts";
import type { ManagerParts } from "./parts.ts";
import { AddressPath, ReservationBody, ReservationList } from "./schemas.ts";

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
      const made = await reservations.add(principalOf(request).actor, request.body as Reservation);
      return reply.code(201).send(made);
    },
  );

  app.put(
    "/api/v1/reservations/:ip",
    {
      schema: {
        operationId: "changeReservation",
        summary: "Change a reservation, also its address",
        tags: ["reservations"],
        params: AddressPath,
        body: ReservationBody,
        response: { 200: ReservationBody },
      },
    },
    (request) =>
      reservations.change(principalOf(request).actor, request.params.ip, request.body as Reservation),
  );

  app.delete(
    "/api/v1/reservations/:ip",
    {
      schema: {
        operationId: "removeReservation",
        summary: "Remove a reservation; its lease goes on until it ends",
        tags: ["reservations"],
        params: AddressPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await reservations.remove(principalOf(request).actor, request.params.ip);
      return reply.code(204).send(null);
    },
  );
}
