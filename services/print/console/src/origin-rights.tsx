import { ChangedElsewhere, FieldDifferences, type Unsaved } from "@frontdesk/ui";
import { Button, Checkbox, CloseButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { questions } from "./api.ts";
import { type Alias, aliasProblem, nameOf, printersInWords, printsInWords, type Rights } from "./rights.ts";
import { t } from "./words/origins.ts";

export function OriginRights({ rights, onChange }: { rights: Rights; onChange: (rights: Rights) => void }) {
  const { data: printers = [] } = useQuery(questions.printers);
  const change = (part: Partial<Rights>) => onChange({ ...rights, ...part });
  const known = new Set(printers.map(({ id }) => id));
  const gone = [...new Set(rights.aliases.map(({ printer }) => printer))].filter((id) => !known.has(id));
  const listed = [
    ...printers.map(({ id, name }) => ({ id, name, label: name })),
    ...gone.map((id) => ({ id, name: id, label: t.whichIsNotThereAnyMore(id) })),
  ];
  return (
    <Stack gap="md">
      <Checkbox
        label={t.everyPrinterUnderItsShort}
        checked={rights.every}
        onChange={(event) => change({ every: event.currentTarget.checked })}
      />
      {!rights.every && (
        <Stack gap="xs" pl="lg" role="group" aria-label={t.printers}>
          {listed.map((printer) => (
            <PrinterNames
              key={printer.id}
              {...printer}
              aliases={rights.aliases}
              onChange={(aliases) => change({ aliases })}
            />
          ))}
        </Stack>
      )}
      <Group role="group" aria-label={t.whatItMayPrint}>
        {(
          [
            ["raw", t.rawData],
            ["templates", t.templates],
            ["rfid", t.rfidTags],
          ] as const
        ).map(([right, label]) => (
          <Checkbox
            key={right}
            label={label}
            checked={rights[right]}
            onChange={(event) => change({ [right]: event.currentTarget.checked })}
          />
        ))}
      </Group>
      <Stack gap={2}>
        <Checkbox
          label={t.itNeedsNoToken}
          checked={rights.open}
          onChange={(event) => change({ open: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed">
          {t.forOlderApplicationsThatCannot}
        </Text>
      </Stack>
    </Stack>
  );
}

/** Whether an origin may use a printer, and the names it has for it. */
function PrinterNames(props: {
  id: string;
  name: string;
  label: string;
  /** Of all printers, for a name can be given once. */
  aliases: readonly Alias[];
  onChange: (aliases: readonly Alias[]) => void;
}) {
  const { id, name, label, aliases, onChange } = props;
  const own = aliases.filter(({ printer }) => printer === id);
  const add = (alias: string) => onChange([...aliases, { name: alias, printer: id }]);
  return (
    <Stack gap="xs" align="flex-start">
      <Checkbox
        label={label}
        checked={own.length > 0}
        onChange={({ currentTarget: { checked } }) =>
          checked ? add(id) : onChange(aliases.filter(({ printer }) => printer !== id))
        }
      />
      {own.length > 0 && (
        <Stack gap="xs" pl="lg" align="flex-start">
          {own.map((alias, at) => (
            <TextInput
              // biome-ignore lint/suspicious/noArrayIndexKey: a name that is being typed is known by its place alone
              key={at}
              size="xs"
              w="16rem"
              maw="100%"
              aria-label={t.whatItCalls(name)}
              description={at === 0 && t.whatItCallsThisPrinter}
              placeholder={id}
              value={alias.name}
              maxLength={120}
              error={aliasProblem(aliases, alias)}
              rightSection={
                own.length > 1 && (
                  <CloseButton
                    size="sm"
                    aria-label={t.removeTheName(nameOf(alias))}
                    onClick={() => onChange(aliases.filter((each) => each !== alias))}
                  />
                )
              }
              onChange={({ currentTarget: { value } }) =>
                onChange(aliases.map((each) => (each === alias ? { ...alias, name: value } : each)))
              }
            />
          ))}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t.anotherNameFor(name)}
            onClick={() => add("")}
          >
            {t.anotherName}
          </Button>
        </Stack>
      )}
    </Stack>
  );
}

const FIELDS: ReadonlyArray<[name: string, of: (rights: Rights) => string]> = [
  [t.printers, printersInWords],
  [t.mayPrint, printsInWords],
  [t.token, ({ open }) => (open ? t.notNeeded : t.needed)],
];

/** A line for each right. */
export const rightsInWords = (rights: Rights): string[] =>
  FIELDS.map(([name, of]) => `${name}: ${of(rights)}`);

/** Shown when somebody else has changed what an origin may do while it is being edited. */
export function RightsChanged({ draft, stored }: { draft: Unsaved<Rights>; stored: Rights }) {
  if (!draft.isOutdated) return null;
  return (
    <ChangedElsewhere
      what={t.whatThisOriginMayDo}
      difference={
        <FieldDifferences
          fields={FIELDS.map(([name, of]) => ({ name, theirs: of(stored), mine: of(draft.value) }))}
        />
      }
      onTakeTheirs={draft.discard}
      onKeepMine={draft.rebase}
    />
  );
}
