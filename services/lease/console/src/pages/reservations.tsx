import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function ReservationsPage() {
  return <Page title={t.reservations}>{null}</Page>;
}
