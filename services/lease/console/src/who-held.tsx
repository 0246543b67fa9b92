import { ActionForm, AddressInput, addressProblem, exactTime, filled, Moment, Section } from "@frontdesk/ui";
import { DateTimeInput } from "@frontdesk/ui/date-inputs";
import { Anchor, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { call, type LeaseEvent } from "./api.ts";
import { deviceHref, EventBadge } from "./event-badge.tsx";
import { Facts } from "./facts.tsx";
import { t } from "./words/activity.ts";
import { t as words } from "./words/device.ts";

interface Found {
  readonly ip: string;
  readonly at: string;
  readonly holder: {
    readonly mac: string | null;
    readonly client_id: string | null;
    readonly duid: string | null;
    readonly hostname: string | null;
    readonly event: LeaseEvent | null;
  } | null;
}

/** Who held an address at a time. */
export function WhoHeld() {
  const [ip, setIp] = useState("");
  const [at, setAt] = useState<string | null>(null);
  const [found, setFound] = useState<Found>();
  const find = async () => {
    const asked = { ip, at: at ?? new Date().toISOString() };
    setFound({ ...asked, ...(await call("GET /holder", { query: asked })) });
  };
  return (
    <Section title={t.whoHeld} about={t.whoHeldAbout}>
      <ActionForm action={t.find} onSubmit={find} disabled={!ip || Boolean(addressProblem(ip, "leased"))}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} maw="32rem">
          <AddressInput label={t.heldAddress} kind="leased" value={ip} onChange={setIp} />
          <DateTimeInput label={t.at} value={at} onChange={setAt} />
        </SimpleGrid>
      </ActionForm>
      <div role="status">{found && <Answer found={found} />}</div>
    </Section>
  );
}

function Answer({ found: { ip, at, holder } }: { found: Found }) {
  if (!holder) return <Text size="sm">{t.nobody(ip, exactTime(at))}</Text>;
  return (
    <Stack gap="sm">
      <Text size="sm">{filled(t.held, { time: exactTime(at), ip: <strong>{ip}</strong> })}</Text>
      <Facts
        of={[
          [t.mac, holder.mac],
          [t.name, holder.hostname],
          [t.clientId, holder.client_id],
          [t.duid, holder.duid],
          [
            t.since,
            holder.event && (
              <Group gap="xs">
                <EventBadge event={holder.event} /> <Moment time={holder.event.at} />
              </Group>
            ),
          ],
        ]}
      />
      {holder.mac ? (
        <Anchor component={Link} href={`/activity?mac=${encodeURIComponent(holder.mac)}`} size="sm">
          {t.allOfIt}
        </Anchor>
      ) : (
        holder.duid && (
          <Anchor component={Link} href={deviceHref(holder.duid)} size="sm">
            {words.allOfTheDevice}
          </Anchor>
        )
      )}
    </Stack>
  );
}
