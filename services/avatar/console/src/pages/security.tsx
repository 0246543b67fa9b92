import { TwoStepSection } from "@frontdesk/signin/two-step";
import { Page } from "@frontdesk/ui";
import { signin } from "../api.ts";
import { DataSection, DeleteSection } from "../security/account-data.tsx";
import { NameSection } from "../security/name.tsx";
import { PlacesSection } from "../security/places.tsx";
import type { Me } from "../shapes.ts";
import { t } from "../words/account.ts";

export function SecurityPage({ me }: { me: Me }) {
  return (
    <Page help="signing-in-and-saving" title={t.accountAndSecurity} intro={t.howYouSignInWhereYou}>
      <NameSection me={me} />
      <TwoStepSection api={signin} />
      <PlacesSection />
      <DataSection />
      <DeleteSection me={me} />
    </Page>
  );
}
