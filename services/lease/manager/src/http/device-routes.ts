import type { HttpServer } from "@frontdesk/kit/http-server";
import { withMaker } from "../domain/makers.ts";
import { AddressMapQuery, AddressMapView, DevicePath, DeviceQuery, DeviceView } from "./device-schemas.ts";
import type { ManagerParts } from "./parts.ts";

const PAGE = 100;

export function deviceRoutes(app: HttpServer, { addressMap, devices, makers }: ManagerParts): void {
  app.get(
    "/api/v1/address-map",
    {
      schema: {
        operationId: "getAddressMap",
        summary:
          "Which addresses of a subnet are held, reserved, in quarantine or free, in at most 256 cells",
        tags: ["leases"],
        querystring: AddressMapQuery,
        response: { 200: AddressMapView },
      },
    },
    ({ query }) => addressMap(query.subnet, query.from),
  );

  app.get(
    "/api/v1/devices/:id",
    {
      schema: {
        operationId: "getDevice",
        summary: "All identities and addresses of one device, and what happened to it, newest first",
        description:
          "`id` is one of its hardware addresses, client identifiers or DUIDs; those that share a lease or a reservation with it are the same device.",
        tags: ["leases"],
        params: DevicePath,
        querystring: DeviceQuery,
        response: { 200: DeviceView },
      },
    },
    async ({ params, query }) => {
      const { reservations, events, nextCursor, leases, macs, client_ids, ...rest } = await devices.find(
        params.id,
        query.cursor,
        query.limit ?? PAGE,
      );
      return {
        ...rest,
        macs: [...macs],
        client_ids: [...client_ids],
        duids: [...rest.duids],
        hostnames: [...rest.hostnames],
        vendors: [...rest.vendors],
        leases: leases.map(withMaker(makers)),
        reservations: reservations.map(({ subnet, reservation }) => ({ subnet, ip: reservation.ip })),
        items: [...events],
        next_cursor: nextCursor,
      };
    },
  );
}
