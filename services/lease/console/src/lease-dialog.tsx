import {
  ActionForm,
  ChangedElsewhere,
  CopyButton,
  DiscardButton,
  dropDraft,
  exactTime,
  FieldDifferences,
  LateDialog,
  Loaded,
  peekDraft,
  tellDone,
  useUnsaved,
} from "@frontdesk/ui";
import { Alert, Anchor, Divider, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { call, type Lease, questions } from "./api.ts";
import { deviceHref, identityOf } from "./event-badge.tsx";
import { Facts } from "./facts.tsx";
import { DnsName, LeaseBadges } from "./lease-columns.tsx";
import { LeaseWhy } from "./lease-why.tsx";
import { useIsOperator } from "./rights.ts";
import { changed } from "./session.ts";
import { t as words } from "./words/device.ts";
import { t } from "./words/leases.ts";

/** All of one lease: what is known, what people say, and why. Open while there is an address. */
export function LeaseDialog({ ip, close }: { ip: string; close: () => void }) {
  return (
    <LateDialog opened={ip !== ""} onClose={close} title={ip} size="lg">
      {ip && <LeaseDetails key={ip} ip={ip} />}
    </LateDialog>
  );
}

function LeaseDetails({ ip }: { ip: string }) {
  const lease = useQuery(questions.lease(ip));
  const isOperator = useIsOperator();
  // Whom the dialog was opened for: the address may get another device while it is open.
  const [first, setFirst] = useState<string>();
  if (first === undefined && lease.data?.mac) setFirst(lease.data.mac);
  return (
    <Loaded query={lease}>
      {(shown) => (
        <Stack gap="lg">
          <Known lease={shown} />
          <Divider />
          <LeaseWhy lease={shown} />
          {isOperator && shown.mac && (
            <>
              <Divider />
              {first && first !== shown.mac && <TypedForAnother ip={ip} mac={first} />}
              <SayOf key={shown.mac} lease={shown} />
            </>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Known({ lease }: { lease: Lease }) {
  const device = identityOf(lease);
  const time = (at: string | null) => at && exactTime(at);
  return (
    <Stack gap="md">
      <LeaseBadges lease={lease} />
      <Facts
        of={[
          [t.hostName, lease.hostname],
          [t.hardwareAddress, lease.mac],
          [t.clientId, lease.client_id],
          [t.duid, lease.duid],
          [t.fullName, lease.fqdn],
          [t.maker, lease.maker],
          [t.vendor, lease.vendor],
          [t.dnsName, (lease.ddns || lease.dns_name) && <DnsName lease={lease} />],
          [t.note, lease.note],
          [t.subnet, lease.subnet],
          [t.class, lease.class],
          [t.started, time(lease.starts_at)],
          [t.ends, lease.expires_at ? time(lease.expires_at) : lease.state === "active" && t.forEver],
          [t.seen, time(lease.last_seen_at)],
          [t.interface, lease.interface],
          [t.relay, lease.relay],
          [t.circuit, lease.circuit_id],
          [t.remote, lease.remote_id],
        ]}
      />
      <Group gap="md">
        <Anchor component={Link} href={`/activity?ip=${lease.ip}`} size="sm">
          {t.history}
        </Anchor>
        {device && (
          <Anchor component={Link} href={deviceHref(device)} size="sm">
            {words.allOfTheDevice}
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const DNS_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const MAX_NOTE = 1_000;

const saidOf = (lease: Pick<Lease, "note" | "dns_name">) => ({
  note: lease.note ?? "",
  name: lease.dns_name ?? "",
});

type Said = ReturnType<typeof saidOf>;
const draftOf = (mac: string) => `lease ${mac}`;

/** What was typed for the device that had the address before. */
function TypedForAnother({ ip, mac }: { ip: string; mac: string }) {
  const [typed, setTyped] = useState(() => peekDraft<Said>(draftOf(mac))?.value);
  if (!typed) return null;
  const discard = () => {
    dropDraft(draftOf(mac));
    setTyped(undefined);
  };
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="alert" title={t.hasAnotherDevice(ip)}>
      <Stack gap="sm">
        <Text size="sm">{t.typedForAnother(mac)}</Text>
        <Facts
          of={[
            [t.note, typed.note],
            [t.dnsName, typed.name],
          ]}
        />
        <Group gap="sm">
          <CopyButton
            value={[typed.note, typed.name].filter(Boolean).join("\n")}
            what={t.whatITyped}
            words={t.copyWhatITyped}
          />
          <DiscardButton onDiscard={discard}>{t.discardWhatITyped}</DiscardButton>
        </Group>
      </Stack>
    </Alert>
  );
}

/** A note and a DNS name for the device. What is typed and not saved is there again when the dialog is opened again. */
function SayOf({ lease }: { lease: Lease }) {
  const stored = saidOf(lease);
  const draft = useUnsaved(
    draftOf(lease.mac ?? ""),
    { value: stored, version: lease.version },
    { asksOnLeaving: false },
  );
  const { note, name } = draft.value;
  const isName = name === "" || DNS_NAME.test(name);
  const save = async () => {
    // What was not touched here stays as somebody else may have changed it.
    const { from } = draft;
    const json = {
      ...(note === from.note ? {} : { note: note.trim() || null }),
      ...(name === from.name ? {} : { dns_name: name || null }),
    };
    const { version } = await call("PATCH /leases/{ip}", {
      path: { ip: lease.ip },
      json,
      ifMatch: `"${draft.base}"`,
    });
    draft.saved({ note, name }, { version });
    await changed({ queryKey: ["lease-pages"] }, questions.lease(lease.ip));
    tellDone(t.saved);
  };
  return (
    <Stack gap="sm">
      <div>
        <Title order={3}>{t.whatPeopleSay}</Title>
        <Text size="sm" c="dimmed">
          {t.ofTheDevice}
        </Text>
      </div>
      <ActionForm action={t.save} onSubmit={save} disabled={!isName || !draft.isDirty || draft.isOutdated}>
        {(problem) => (
          <>
            {draft.isOutdated && (
              <ChangedElsewhere
                what={t.whatPeopleSay}
                difference={
                  <FieldDifferences
                    fields={[
                      { name: t.note, theirs: stored.note, mine: note },
                      { name: t.dnsName, theirs: stored.name, mine: name },
                    ]}
                  />
                }
                onTakeTheirs={draft.discard}
                onKeepMine={draft.rebase}
              />
            )}
            <TextInput
              label={t.note}
              description={t.noteHint}
              dir="auto"
              maxLength={MAX_NOTE}
              value={note}
              error={problem("note") && t.noteWrong}
              onChange={({ currentTarget: { value } }) => draft.set((before) => ({ ...before, note: value }))}
            />
            <TextInput
              label={t.dnsName}
              description={t.dnsNameHint}
              dir="ltr"
              spellCheck={false}
              autoComplete="off"
              maxLength={253}
              value={name}
              error={isName ? problem("dns_name") : t.dnsNameWrong}
              onChange={({ currentTarget: { value } }) =>
                draft.set((before) => ({ ...before, name: value.trim() }))
              }
            />
          </>
        )}
      </ActionForm>
    </Stack>
  );
}
