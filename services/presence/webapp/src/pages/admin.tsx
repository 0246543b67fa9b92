import { NotFoundPage } from "@frontdesk/ui";
import { Route, Switch } from "wouter";
import { useOrg } from "../org.ts";
import { t } from "../words/frame.ts";
import { AuditPage } from "./audit.tsx";
import { IntegrationsPage } from "./integrations.tsx";
import { MembersPage } from "./members.tsx";
import { SettingsPage } from "./settings.tsx";
import { StatusesPage } from "./statuses.tsx";
import { WebhookPage } from "./webhook.tsx";
import { WebhooksPage } from "./webhooks.tsx";

/** What administrators have beside the rest. */
export function AdminPages() {
  const { org } = useOrg();
  return (
    <Switch>
      <Route path="/:org/admin/members" component={MembersPage} />
      <Route path="/:org/admin/statuses" component={StatusesPage} />
      <Route path="/:org/admin/integrations" component={IntegrationsPage} />
      <Route path="/:org/admin/webhooks" component={WebhooksPage} />
      <Route path="/:org/admin/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route path="/:org/admin/audit" component={AuditPage} />
      <Route path="/:org/admin/organisation" component={SettingsPage} />
      <Route>
        <NotFoundPage home={{ name: t.toTheBoard, path: `/${org}/board` }} />
      </Route>
    </Switch>
  );
}
