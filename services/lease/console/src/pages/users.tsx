import { Page } from "@frontdesk/ui";
import { t } from "../words/frame.ts";

export function UsersPage() {
  return <Page title={t.users}>{null}</Page>;
}
