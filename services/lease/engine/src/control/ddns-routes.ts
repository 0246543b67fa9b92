import type { HttpServer } from "@frontdesk/kit/http-server";
import {
  DifferenceQuery,
  NameDifferences,
  Reconcile,
  Reconciled,
} from "@frontdesk/lease-control-api/name-differences";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import { NotAnswered } from "../ddns/name-differences.ts";
import { type DifferenceCursor, FIRST_DIFFERENCE, PeerAway } from "../ddns/name-reconciler.ts";
import { addressFrom, type ControlParts, refuse } from "./parts.ts";

/** What DNS has beside what it shall have. */
export function ddnsRoutes(app: HttpServer, { config, reconciler }: ControlParts): void {
  const ddns = () => config.config.ddns ?? refuse("ddns_off");

  app.get(
    "/v1/ddns/differences",
    {
      schema: {
        summary: "Names that are missing in DNS, and names there that nobody has; nothing is changed",
        querystring: DifferenceQuery,
        response: { 200: NameDifferences },
      },
    },
    async ({ query }) => {
      const found = await reconciler.differences(ddns(), cursorFrom(query.cursor)).catch((error) => {
        if (error instanceof NotAnswered) return refuse("dns_unreadable");
        if (error instanceof PeerAway) return refuse("ddns_peer_away");
        throw error;
      });
      return {
        missing: found.missing.map(({ row, name }) => ({
          address: row.address,
          record: row.side === "reverse" ? ("reverse" as const) : ("forward" as const),
          name,
        })),
        stale: found.stale.map(({ address, name, dhcid }) => ({
          address,
          name,
          dhcid: Buffer.from(dhcid).toString("base64"),
        })),
        next_cursor: found.next ? cursorText(found.next) : null,
      };
    },
  );

  app.post(
    "/v1/ddns/reconcile",
    {
      schema: {
        summary: "Bring what is missing to DNS again, and remove what nobody has, as the differences told it",
        body: Reconcile,
        response: { 200: Reconciled },
      },
    },
    async ({ body }) => {
      const known = ddns();
      const stale = body.stale.map(({ address, name, dhcid }) => ({
        address,
        name,
        dhcid: Buffer.from(dhcid, "base64"),
      }));
      const restored = await reconciler.restore(
        body.missing.map(({ address, record }) => ({ address, side: record })),
      );
      const { removed, left, done } = await reconciler.remove(known, stale);
      return { restored, removed, done, left: [...left] };
    },
  );
}

const cursorText = (cursor: DifferenceCursor) =>
  "ip" in cursor ? `address ${formatIpv4(cursor.ip)}` : `${cursor.name.side} ${cursor.name.address}`;

function cursorFrom(text: string | undefined): DifferenceCursor {
  if (text === undefined) return FIRST_DIFFERENCE;
  const [kind, address = ""] = text.split(" ");
  if (kind === "address") return { ip: addressFrom(address) };
  return kind === "forward" || kind === "reverse" ? { name: { side: kind, address } } : refuse("bad_address");
}
