import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function SystemPage() {
  return <Page title={t.system}>{null}</Page>;
}
