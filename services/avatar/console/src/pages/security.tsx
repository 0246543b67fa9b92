import { TwoStepSection } from "@frontdesk/signin/two-step";
import { Page } from "@frontdesk/ui";
import { signin } from "../api.ts";
import { DataSection, DeleteSection } from "../security/account-data.tsx";
import { NameSection } from "../security/name.tsx";
import { PlacesSection } from "../security/places.tsx";
import type { Me } from "../shapes.ts";

export function SecurityPage({ me }: { me: Me }) {
  return (
    <Page
      title="Account and security"
      intro="How you sign in, where you are signed in, and what we keep about you."
    >
      <NameSection me={me} />
      <TwoStepSection api={signin} />
      <PlacesSection />
      <DataSection />
      <DeleteSection me={me} />
    </Page>
  );
}
