import {
  ActionForm,
  addressProblem,
  ChangedElsewhere,
  DiscardButton,
  type FieldDifference,
  FieldDifferences,
  listed,
  RemovedElsewhere,
  shortName,
  useUnsaved,
} from "@frontdesk/ui";
import { Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type PrinterWritten, questions } from "./api.ts";
import { sizeProblem } from "./label-size.ts";
import { MillimetreInput } from "./millimetre-input.tsx";
import { changed } from "./session.ts";
import { LANGUAGES, TRANSPORTS } from "./words/codes.ts";
import { t } from "./words/printer.ts";

type Transport = PrinterWritten["transport"];
type Language = PrinterWritten["languages"][number];

export const blankPrinter: PrinterWritten = {
  id: "",
  name: "",
  transport: "tcp",
  address: "",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 101.6,
  heightMm: 152.4,
};

const ADDRESSES: Readonly<Record<Exclude<Transport, "virtual">, { label: string; about: string }>> = {
  tcp: { label: t.address, about: t.itsNameOrNumberOnThe },
  usb: {
    label: t.device,
    about: t.onLinuxDevUsbLp0Or,
  },
  serial: { label: t.serialPort, about: t.likeDevTtys0Baud9600Or },
  spooler: {
    label: t.queue,
    about: t.theNameOfTheCupsQueue,
  },
  ipp: { label: t.ippAddress, about: t.likeIpp100020 },
};

const FEEDBACK = [
  { value: "printer", label: t.askThePrinterZplPrintersAnswer },
  { value: "spooler", label: t.askTheSpooler },
  { value: "none", label: t.nothingItDoesNotAnswer },
];

/** What such a printer can usually be asked. */
export function usualFeedback(
  transport: Transport,
  languages: readonly Language[],
): PrinterWritten["feedback"] {
  if (transport === "spooler" || transport === "ipp") return "spooler";
  if (transport === "virtual") return "printer";
  return languages.includes("zpl") ? "printer" : "none";
}

/** What the drafts of printers are called, before the short name of each. */
export const PRINTER_DRAFTS = "printer ";

/** How a printer is called and reached, and what it can do. */
export function PrinterForm(props: {
  printer: PrinterWritten;
  /** Of a printer that is there already. */
  version?: number;
  /** Removed while it was edited. */
  isRemoved?: boolean;
  /** Short names that are in use; given only for a printer that is new. */
  taken?: readonly string[];
  action: string;
  /** `version` is the one that the edit is based on. */
  onSave: (printer: PrinterWritten, version: string) => Promise<{ readonly version: number }>;
  /** What follows when it is saved and nothing is left to lose. */
  onSaved: (printer: PrinterWritten) => void;
}) {
  const { isRemoved = false, taken, action, onSave, onSaved } = props;
  const isNew = taken !== undefined;
  const draft = useUnsaved<PrinterWritten>(
    PRINTER_DRAFTS + (isNew ? `~new ${props.printer.address}` : props.printer.id),
    {
      value: props.printer,
      version: String(props.version ?? 0),
    },
    { isRemoved },
  );
  const printer = draft.value;
  const usualId = (name: string) =>
    name.trim() ? shortName(name, { taken: taken ?? [], fallback: "printer", max: 64 }) : "";
  // Written by hand, in this visit or in the one that the draft is of.
  const [ownId, setOwnId] = useState(!isNew || (printer.id !== "" && printer.id !== usualId(printer.name)));
  const change = (part: Partial<PrinterWritten>) => draft.set((before) => ({ ...before, ...part }));
  const reached = (transport: Transport, languages: Language[]) =>
    change({
      transport,
      languages,
      // What was chosen by hand stays where it can be.
      ...(printer.feedback === usualFeedback(printer.transport, printer.languages) ||
      transport !== printer.transport
        ? { feedback: usualFeedback(transport, languages) }
        : {}),
    });
  const idProblem =
    isNew &&
    ((taken.includes(printer.id) && t.anotherPrinterHasThisOne) ||
      (/^[^A-Za-z0-9]/.test(printer.id) && t.itBeginsWithALetterOr));
  const address = printer.transport === "virtual" ? undefined : ADDRESSES[printer.transport];
  // A name that was never bound to a device may stay one.
  const isUnbound = !isNew && props.printer.transport !== "virtual" && props.printer.address === "";
  const missing = [
    !printer.name.trim() && t.aName,
    !printer.id && t.aShortName,
    printer.languages.length === 0 && t.aLanguage,
    address && !isUnbound && !printer.address.trim() && t.the(address.label.toLowerCase()),
  ].flatMap((each) => each || []);
  const sizes = {
    widthMm: sizeProblem(printer.widthMm, 500),
    heightMm: sizeProblem(printer.heightMm, 1_000),
  };
  const complete =
    !addressProblemOf(printer) && missing.length === 0 && !idProblem && !sizes.widthMm && !sizes.heightMm;
  const save = async () => {
    const written = { ...printer, name: printer.name.trim(), address: address ? printer.address.trim() : "" };
    const { version } = await onSave(written, draft.base);
    // What was removed is on the page until the list has it again.
    if (isRemoved) await changed(questions.printers);
    draft.saved(printer, { version: String(version) });
    await changed(questions.printers);
    if (isNew) draft.moveTo(PRINTER_DRAFTS + printer.id, (typed) => ({ ...typed, id: printer.id }));
    onSaved(written);
  };
  return (
    <ActionForm
      action={action}
      onSubmit={save}
      disabled={!complete}
      hint={missing.length > 0 ? t.stillMissing(listed(missing)) : undefined}
      beside={
        draft.isDirty &&
        !isNew &&
        !isRemoved && <DiscardButton onDiscard={draft.discard}>{t.discardMyChanges}</DiscardButton>
      }
    >
      {(problem) => (
        <>
          {isRemoved && (
            <RemovedElsewhere
              what={t.thisPrinter}
              typed={differences(printer, printer)
                .map(({ name, mine }) => `${name}: ${mine}`)
                .join("\n")}
              onDiscard={draft.discard}
            />
          )}
          {draft.isOutdated && (
            <ChangedElsewhere
              what={t.thisPrinter}
              difference={<FieldDifferences fields={differences(props.printer, printer)} />}
              onTakeTheirs={draft.discard}
              onKeepMine={draft.rebase}
            />
          )}
          {draft.wasRestored && !draft.isOutdated && !isRemoved && (
            <Text size="sm" c="dimmed" role="status">
              {t.theseAreChangesThatYouHad}
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={t.name}
              dir="auto"
              description={t.forPeopleWhereItStandsFor}
              value={printer.name}
              maxLength={120}
              error={problem("name")}
              onChange={({ currentTarget: { value } }) =>
                change({
                  name: value,
                  ...(isNew && !ownId ? { id: usualId(value) } : {}),
                })
              }
            />
            <TextInput
              label={t.shortName}
              description={isNew ? t.forPagesAndScriptsItStays : t.itCannotBeChanged}
              value={printer.id}
              maxLength={64}
              disabled={!isNew}
              error={problem("id") ?? idProblem}
              onChange={({ currentTarget: { value } }) => {
                setOwnId(true);
                change({ id: value.replace(/[^A-Za-z0-9._-]/g, "") });
              }}
            />
            <NativeSelect
              label={t.howItIsReached}
              value={printer.transport}
              data={Object.entries(TRANSPORTS).map(([value, label]) => ({ value, label }))}
              onChange={({ currentTarget: { value } }) => reached(value as Transport, printer.languages)}
            />
            {address && (
              <TextInput
                label={address.label}
                description={address.about}
                value={printer.address}
                maxLength={400}
                autoCapitalize="off"
                spellCheck={false}
                error={problem("address") ?? addressProblemOf(printer)}
                onChange={({ currentTarget: { value } }) => change({ address: value })}
              />
            )}
          </SimpleGrid>
          <Checkbox.Group
            label={t.languagesItSpeaks}
            description={t.theFirstOneIsUsedFor}
            value={printer.languages}
            onChange={(languages) => reached(printer.transport, languages as Language[])}
          >
            <Group mt="xs">
              {Object.entries(LANGUAGES).map(([value, label]) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </Group>
          </Checkbox.Group>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NativeSelect
              label={t.resolution}
              value={String(printer.dpmm)}
              data={densitiesWith(printer.dpmm)}
              onChange={({ currentTarget: { value } }) => change({ dpmm: Number(value) })}
            />
            <NativeSelect
              label={t.howTheBridgeLearnsWhatBecame}
              value={printer.feedback}
              data={FEEDBACK}
              onChange={({ currentTarget: { value } }) =>
                change({ feedback: value as PrinterWritten["feedback"] })
              }
            />
            <MillimetreInput
              label={t.labelWidthInMm}
              value={printer.widthMm}
              error={problem("widthMm") ?? sizes.widthMm}
              onChange={(widthMm) => change({ widthMm })}
            />
            <MillimetreInput
              label={t.labelHeightInMm}
              value={printer.heightMm}
              error={problem("heightMm") ?? sizes.heightMm}
              onChange={(heightMm) => change({ heightMm })}
            />
          </SimpleGrid>
          <Stack gap={4}>
            <Checkbox
              label={t.itEncodesRfidTags}
              checked={printer.rfid}
              onChange={({ currentTarget: { checked } }) => change({ rfid: checked })}
            />
            {printer.rfid && (
              <Text size="xs" c="dimmed">
                {t.everyTagIsReadBackA}
              </Text>
            )}
          </Stack>
        </>
      )}
    </ActionForm>
  );
}

/** The usual densities, and a printer's own where it is another: the command line and files may name any. */
function densitiesWith(dpmm: number): Array<{ value: string; label: string }> {
  const isUsual = t.densities.some(({ value }) => value === String(dpmm));
  return [...t.densities, ...(isUsual ? [] : [{ value: String(dpmm), label: t.dotsPerMm(dpmm) }])];
}

/** An address of numbers and dots alone is meant as an IP address, and told when it is none. */
function addressProblemOf({ transport, address }: PrinterWritten): string | undefined {
  const host = address.trim().replace(/:\d+$/, "");
  if (transport !== "tcp" || !/^\d[\d.]*$/.test(host)) return undefined;
  return addressProblem(host, "v4");
}

/** What somebody else has saved, field by field beside what is typed here. */
function differences(theirs: PrinterWritten, mine: PrinterWritten): FieldDifference[] {
  const fields: ReadonlyArray<[name: string, of: (printer: PrinterWritten) => string]> = [
    [t.name, ({ name }) => name],
    [t.howItIsReached, ({ transport }) => TRANSPORTS[transport] ?? transport],
    [t.address, ({ address }) => address],
    [t.languages, ({ languages }) => languages.map((each) => LANGUAGES[each] ?? each).join(", ")],
    [
      t.resolution,
      ({ dpmm }) => densitiesWith(dpmm).find(({ value }) => value === String(dpmm))?.label ?? "",
    ],
    [t.feedback, ({ feedback }) => FEEDBACK.find(({ value }) => value === feedback)?.label ?? feedback],
    [t.labelSize, ({ widthMm, heightMm }) => t.mm(widthMm, heightMm)],
    [t.rfidTags, ({ rfid }) => (rfid ? t.encoded : t.notEncoded)],
  ];
  return fields.map(([name, of]) => ({ name, theirs: of(theirs), mine: of(mine) }));
}
