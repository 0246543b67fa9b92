import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function SettingsPage() {
  return <Page title={t.settings}>{null}</Page>;
}
