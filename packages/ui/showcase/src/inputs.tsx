import {
  ActionForm,
  AddressInput,
  ApiError,
  MacInput,
  Page,
  PersonChip,
  Section,
  shortName,
} from "@frontdesk/ui";
import { DateTimeInput, DayRangeInput } from "@frontdesk/ui/date-inputs";
import { ReorderList } from "@frontdesk/ui/reorder-list";
import { SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { NAMES } from "./content.ts";

export function InputPage() {
  const [address, setAddress] = useState("10.0.0.300");
  const [mac, setMac] = useState("02-00-5E-10-00-01");
  const [name, setName] = useState("Lager Süd – Straße 5");
  const [when, setWhen] = useState<string | null>("2026-11-15T08:00:00.000Z");
  const [range, setRange] = useState<{ from: string | null; to: string | null }>({
    from: "2026-12-23",
    to: "2027-01-06",
  });
  const [items, setItems] = useState(() =>
    NAMES.filter((each) => each !== "").map((each, index) => ({ id: String(index), name: each })),
  );
  return (
    <Page title="Inputs">
      <Section title="Addresses and names">
        <ActionForm
          action="Save"
          onSubmit={async () => {
            throw new ApiError({
              status: 422,
              code: "taken",
              message: "This address is taken by another device.",
            });
          }}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <AddressInput label="IPv4 address" kind="v4" value={address} onChange={setAddress} />
            <MacInput label="Hardware address" value={mac} onChange={setMac} />
            <TextInput
              label="Name"
              value={name}
              dir="auto"
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <Text size="sm">Short name: {shortName(name, { fallback: "printer" })}</Text>
          </SimpleGrid>
        </ActionForm>
      </Section>
      <Section title="Days and times">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <DateTimeInput label="Until" value={when} onChange={setWhen} timeZone="Asia/Tokyo" />
          <DayRangeInput label="On vacation" value={range} onChange={setRange} />
        </SimpleGrid>
      </Section>
      <Section title="An order of one's own">
        <ReorderList
          label="Things to do"
          items={items}
          onMove={(id, after) =>
            setItems((before) => {
              const item = before.find((each) => each.id === id);
              const rest = before.filter((each) => each.id !== id);
              const place = rest.findIndex((each) => each.id === after) + 1;
              return item ? rest.toSpliced(place, 0, item) : before;
            })
          }
        >
          {(item) => <span dir="auto">{item.name}</span>}
        </ReorderList>
      </Section>
      <Section title="People">
        <Stack>
          {NAMES.filter((each) => each !== "").map((each) => (
            <PersonChip key={each} name={each} more="in the office until 17:00" />
          ))}
        </Stack>
      </Section>
    </Page>
  );
}
