import { nullable } from "@frontdesk/lease-control-api/nullable";
import { EventQuery, LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import { Type } from "typebox";
import { LeaseView } from "./schemas.ts";

const Texts = Type.Array(Type.String());
const Text = nullable(Type.String());

export const AddressMapQuery = Type.Object({
  subnet: Type.String({ maxLength: 43 }),
  from: Type.Optional(Type.String({ maxLength: 15, description: "The 256 addresses around this one" })),
});
export const AddressMapView = Type.Object({
  subnet: Type.String(),
  first: Type.String(),
  last: Type.String(),
  step: Type.Integer({ description: "Addresses of one cell" }),
  cells: Type.Array(
    Type.Object({
      first: Type.String(),
      held: Type.Integer(),
      declined: Type.Integer(),
      reserved: Type.Integer(),
      pooled: Type.Integer({ description: "Addresses that a pool has" }),
    }),
    { maxItems: 256 },
  ),
});

export const DevicePath = Type.Object({ id: Type.String({ maxLength: 800 }) });
export const DeviceQuery = Type.Object({
  cursor: EventQuery.properties.cursor,
  limit: EventQuery.properties.limit,
});
export const DeviceView = Type.Object({
  id: Type.String({ description: "As it was asked for" }),
  macs: Texts,
  client_ids: Texts,
  duids: Texts,
  hostnames: Texts,
  vendors: Texts,
  note: Text,
  dns_name: Text,
  leases: Type.Array(LeaseView, { description: "What it holds, or held last on each address" }),
  reservations: Type.Array(Type.Object({ ip: Type.String(), subnet: Type.String() })),
  items: Type.Array(LeaseEvent, { description: "Newest first, of all its hardware addresses" }),
  next_cursor: nullable(Type.Integer()),
});
