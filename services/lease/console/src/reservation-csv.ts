import { relayIdentifierCell } from "@frontdesk/lease-options/relay-identifier-cell";
import { csvOf } from "@frontdesk/ui/csv";
import type { ManagerOperations } from "../../manager/src/http/operation-schemas.ts";

type Reservations = ManagerOperations["GET /reservations"]["reply"]["items"];

const HEADER = [
  ...["ip", "mac", "client_id", "duid", "circuit_id", "interface_id", "remote_id"],
  ...["hostname", "note", "enabled", "subnet", "status"],
];

/** Hex has no spaces of its own. */
const hexCell = (value: string | string[] | undefined) => value && [value].flat().join(" ");

/** What the import reads back; a file that nobody has touched changes nothing. */
export const reservationsAsCsv = (rows: Reservations): string =>
  csvOf(
    HEADER,
    rows.map((row) => [
      row.ip,
      ...[row.mac, row.client_id, row.duid].map(hexCell),
      ...[row.circuit_id, row.interface_id, row.remote_id].map(relayIdentifierCell),
      row.hostname,
      row.note,
      row.enabled !== false,
      row.subnet,
      row.status,
    ]),
  );
