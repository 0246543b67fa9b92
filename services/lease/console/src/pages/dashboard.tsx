import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function DashboardPage() {
  return <Page title={t.dashboard}>{null}</Page>;
}
