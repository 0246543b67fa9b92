import { CopyField, Loaded, Page, Section, useAction } from "@frontdesk/ui";
import { Alert, Anchor, Button, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, questions, type TrustReports } from "../api.ts";
import { pageKey } from "../page-key.ts";

const day = (time: string) => new Date(time).toLocaleDateString(undefined, { dateStyle: "long" });

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
      title: "Take the trust back?",
      body: "Pages on this machine can then no longer print over an encrypted connection.",
      action: "Take it back",
      danger: true,
    },
    changes: [believed],
    after,
  });
  return (
    <Page
      title="Certificate"
      intro="Pages speak to the bridge over an encrypted connection. Browsers allow that once they trust the bridge's certificate."
    >
      <Section title="In this browser">
        {here.data === undefined ? (
          <Text size="sm">Looking …</Text>
        ) : here.data ? (
          <Alert color="pine" title="Trusted" role="status">
            This browser trusts the bridge. Pages can print.
          </Alert>
        ) : (
          <Alert color="clay" title="Not trusted yet" role="status">
            Pages of this browser cannot print over an encrypted connection yet. Install the certificate
            below, then restart the browser.
          </Alert>
        )}
      </Section>
      <Section
        title="Install it on this machine"
        about="The authority was made on this machine, and its key never leaves it."
      >
        <Group gap="sm">
          <Button {...browsers}>For the browsers of this account</Button>
          <Button variant="default" {...machine}>
            For the whole machine
          </Button>
          <Button variant="subtle" color="gray" {...remove}>
            Take it back
          </Button>
        </Group>
        {reports && (
          <List size="sm" aria-label="What was done">
            {reports.map(({ store, what }) => (
              <List.Item key={store}>
                {store}: {what}
              </List.Item>
            ))}
          </List>
        )}
        <Text size="sm" c="dimmed">
          The bridge does this with the rights it runs with. Where those do not suffice, run{" "}
          <Code>npx frontdesk print trust</Code> as an administrator, or{" "}
          <Anchor href={pageKey.inAddress("/api/v1/admin/tls/authority")} download inherit underline="always">
            download the certificate
          </Anchor>{" "}
          and install it by hand.
        </Text>
      </Section>
      <Loaded query={tls}>
        {({ authority, certificate, names }) => (
          <Section title="The certificate">
            <Stack gap="xs">
              <Text size="sm">
                {authority.subject}, good until {day(authority.valid_to)}. The bridge's own certificate is
                good until {day(certificate.valid_to)} and is renewed by itself.
              </Text>
              <Text size="sm">For the names {names.join(", ")}.</Text>
              <Text size="sm" fw={550}>
                The authority's fingerprint (SHA-256)
              </Text>
              <CopyField value={authority.fingerprint} what="the fingerprint" />
            </Stack>
          </Section>
        )}
      </Loaded>
    </Page>
  );
}
