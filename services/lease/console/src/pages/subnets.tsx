import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function SubnetsPage() {
  return <Page title={t.subnets}>{null}</Page>;
}
