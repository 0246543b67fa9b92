import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function LogsPage() {
  return <Page title={t.logs}>{null}</Page>;
}
