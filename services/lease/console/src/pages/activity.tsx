import {
  AddressInput,
  addressProblem,
  count,
  MacInput,
  macProblem,
  NoRows,
  normalMac,
  Page,
  Section,
  useServerRows,
  useUrlState,
  VirtualTable,
  wholeNumber,
} from "@frontdesk/ui";
import { DateTimeInput } from "@frontdesk/ui/date-inputs";
import { Button, NativeSelect, SimpleGrid } from "@mantine/core";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { BASE, type LeaseEvent } from "../api.ts";
import { eventColumns } from "../event-columns.tsx";
import { MAX_SKIPPED, missingIn, readMissing, skippedEvents } from "../event-lists.ts";
import { type EventFilter, eventPagesKey, eventQuery, loadEvents } from "../event-pages.ts";
import { WhoHeld } from "../who-held.tsx";
import { t } from "../words/activity.ts";
import { EVENTS } from "../words/events.ts";

export function ActivityPage() {
  const [ip, setIp] = useUrlState("ip");
  const [mac, setMac] = useUrlState("mac");
  const [type, setType] = useUrlState("type");
  const [from, setFrom] = useUrlState("from");
  const [to, setTo] = useUrlState("to");
  // What is half typed filters nothing yet.
  const filter: EventFilter = {
    ip: addressProblem(ip, "leased") ? "" : ip,
    mac: macProblem(mac) ? "" : normalMac(mac),
    type: isType(type) ? type : "",
    from: isTime(from) ? from : "",
    to: isTime(to) ? to : "",
  };
  const rows = useServerRows(eventPagesKey(filter), ({ cursor, signal }) =>
    loadEvents(filter, cursor, signal),
  );
  return (
    <Page
      title={t.activity}
      intro={t.intro}
      wide
      actions={
        <Button
          component="a"
          href={`${BASE}/lease-events.csv?${new URLSearchParams(eventQuery(filter))}`}
          download
          variant="default"
          leftSection={<DownloadIcon aria-hidden />}
        >
          {t.csv}
        </Button>
      }
    >
      <WhoHeld />
      <Section title={t.history} actions={<NewerEvents filter={filter} />}>
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }}>
          <AddressInput label={t.address} kind="leased" value={ip} onChange={setIp} />
          <MacInput label={t.mac} value={mac} onChange={setMac} />
          <NativeSelect
            label={t.type}
            value={filter.type}
            data={[
              { value: "", label: t.all },
              ...Object.entries(EVENTS).map(([value, { words: label }]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => setType(value)}
          />
          <DateTimeInput label={t.from} value={filter.from || null} onChange={(at) => setFrom(at ?? "")} />
          <DateTimeInput label={t.to} value={filter.to || null} onChange={(at) => setTo(at ?? "")} />
        </SimpleGrid>
        <VirtualTable
          caption={t.activity}
          columns={eventColumns}
          rows={rows}
          rowKey={({ id }) => String(id)}
          density="compact"
          empty={<NoRows filtered={Boolean(ip || mac || type || from || to)}>{t.firstOnes}</NoRows>}
        />
      </Section>
    </Page>
  );
}

/** An address may carry anything; what is no type, and no time, filters nothing. */
const isType = (word: string): word is LeaseEvent["type"] => Object.hasOwn(EVENTS, word);
const isTime = (word: string) => !Number.isNaN(Date.parse(word));

/** Rows that come in on top would push away what is being read: whoever has scrolled asks for them. */
function NewerEvents({ filter }: { filter: EventFilter }) {
  const { data: skipped = [] } = useQuery(skippedEvents);
  const newer = missingIn(filter, skipped);
  const show = () => {
    window.scrollTo({ top: 0 });
    readMissing();
  };
  // Whoever comes to the page sees the newest.
  useEffect(readMissing, []);
  if (newer === 0) return null;
  return (
    <Button
      size="xs"
      onClick={show}
      pos="fixed"
      bottom="1.5rem"
      right="1.5rem"
      style={{ zIndex: "var(--mantine-z-index-app)" }}
    >
      {newer < MAX_SKIPPED ? count(newer, t.newer) : t.manyNewer(wholeNumber(newer))}
    </Button>
  );
}
