import { CopyField, filled, Loaded, listed, longDate, Page, Section, useAction } from "@frontdesk/ui";
import { Alert, Anchor, Button, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, questions, type TrustReports } from "../api.ts";
import { pageKey } from "../page-key.ts";
import { t } from "../words/certificate.ts";

/** Whether this very browser believes the certificate: it is asked to use it. */
const believed = {
  queryKey: ["believed"],
  queryFn: () =>
    fetch(`https://${window.location.host}/healthz`, { cache: "no-store", credentials: "omit" }).then(
      ({ ok }) => ok,
      () => false,
    ),
};

export function CertificatePage() {
  const tls = useQuery(questions.tls);
  const here = useQuery(believed);
  const [reports, setReports] = useState<TrustReports>();
  const ask = (change: "add" | "remove", browsersOnly: boolean) => () => orders.trust(change, browsersOnly);
  const after = ({ reports }: { reports: TrustReports }) => setReports(reports);
  const browsers = useAction(ask("add", true), { changes: [believed], after });
  const machine = useAction(ask("add", false), { changes: [believed], after });
  const remove = useAction(ask("remove", false), {
    ask: {
      title: t.takeTheTrustBack,
      body: t.pagesOnThisMachineCanThen,
      action: t.takeItBack,
      danger: true,
    },
    changes: [believed],
    after,
  });
  return (
    <Page help="browsers-and-the-local-network" title={t.certificate} intro={t.pagesSpeakToTheBridgeOver}>
      <Section title={t.inThisBrowser}>
        {here.data === undefined ? (
          <Text size="sm">{t.looking}</Text>
        ) : here.data ? (
          <Alert color="pine" title={t.trusted} role="status">
            {t.thisBrowserTrustsTheBridge}
          </Alert>
        ) : (
          <Alert color="clay" title={t.notTrustedYet} role="status">
            {t.pagesOfThisBrowserCannotPrint}
          </Alert>
        )}
      </Section>
      <Section title={t.installItOnThisMachine} about={t.theAuthorityWasMadeOnThis}>
        <Group gap="sm">
          <Button {...browsers}>{t.forTheBrowsersOfThisAccount}</Button>
          <Button variant="default" {...machine}>
            {t.forTheWholeMachine}
          </Button>
          <Button variant="subtle" color="gray" {...remove}>
            {t.takeItBack}
          </Button>
        </Group>
        {reports && (
          <List size="sm" aria-label={t.whatWasDone}>
            {reports.map(({ store, what }) => (
              <List.Item key={store}>
                {store}: {what}
              </List.Item>
            ))}
          </List>
        )}
        <Text size="sm" c="dimmed">
          {filled(t.withItsOwnRights, {
            command: <Code>npx frontdesk print trust</Code>,
            download: (
              <Anchor
                href={pageKey.inAddress("/api/v1/admin/tls/authority")}
                download
                inherit
                underline="always"
              >
                {t.downloadTheCertificate}
              </Anchor>
            ),
          })}
        </Text>
      </Section>
      <Loaded query={tls}>
        {({ authority, certificate, names }) => (
          <Section title={t.theCertificate}>
            <Stack gap="xs">
              <Text size="sm">
                {t.goodUntil(authority.subject, longDate(authority.valid_to), longDate(certificate.valid_to))}
              </Text>
              <Text size="sm">{t.forTheNames(listed(names))}</Text>
              <Text size="sm" fw={550}>
                {t.theAuthoritysFingerprintSha}
              </Text>
              <CopyField value={authority.fingerprint} what={t.theFingerprint} />
            </Stack>
          </Section>
        )}
      </Loaded>
    </Page>
  );
}
