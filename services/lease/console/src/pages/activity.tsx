import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function ActivityPage() {
  return <Page title={t.activity}>{null}</Page>;
}
