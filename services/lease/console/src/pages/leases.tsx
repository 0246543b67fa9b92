import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function LeasesPage() {
  return <Page title={t.leases}>{null}</Page>;
}
