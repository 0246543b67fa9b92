import {
  ActionForm,
  addressProblem,
  ChangedElsewhere,
  type FieldDifference,
  FieldDifferences,
  shortName,
  useUnsaved,
} from "@frontdesk/ui";
import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import type { PrinterWritten } from "./api.ts";
import { sizeProblem } from "./label-size.ts";
import { LANGUAGES, TRANSPORTS } from "./words.ts";

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
  tcp: { label: "Address", about: "Its name or number on the network, like 10.0.0.20 or zebra.local:9100." },
  usb: {
    label: "Device",
    about: "On Linux /dev/usb/lp0; or usb://0a5f:0166, its numbers as lsusb shows them.",
  },
  serial: { label: "Serial port", about: "Like /dev/ttyS0?baud=9600 or COM3?baud=9600." },
  spooler: {
    label: "Queue",
    about: "The name of the CUPS queue (a raw one passes labels on untouched), or of the printer in Windows.",
  },
  ipp: { label: "IPP address", about: "Like ipp://10.0.0.20/ipp/print." },
};

const DENSITIES = [
  { value: "6", label: "6 dots per mm (152 dpi)" },
  { value: "8", label: "8 dots per mm (203 dpi)" },
  { value: "12", label: "12 dots per mm (300 dpi)" },
  { value: "24", label: "24 dots per mm (600 dpi)" },
];

const FEEDBACK = [
  { value: "printer", label: "Ask the printer (ZPL printers answer)" },
  { value: "spooler", label: "Ask the spooler" },
  { value: "none", label: "Nothing: it does not answer" },
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

/** How a printer is called and reached, and what it can do. */
export function PrinterForm(props: {
  printer: PrinterWritten;
  /** Of a printer that is there already. */
  version?: number;
  /** Short names that are in use; given only for a printer that is new. */
  taken?: readonly string[];
  action: string;
  /** `version` is the one that the edit is based on. */
  onSave: (printer: PrinterWritten, version: string) => Promise<unknown>;
  /** What follows when it is saved and nothing is left to lose. */
  onSaved: (printer: PrinterWritten) => void;
}) {
  const { taken, action, onSave, onSaved } = props;
  const isNew = taken !== undefined;
  const draft = useUnsaved<PrinterWritten>(
    isNew ? `printer ~new ${props.printer.address}` : `printer ${props.printer.id}`,
    {
      value: props.printer,
      version: String(props.version ?? 0),
    },
  );
  const printer = draft.value;
  const [ownId, setOwnId] = useState(!isNew);
  const change = (part: Partial<PrinterWritten>) => draft.set((before) => ({ ...before, ...part }));
  const reached = (transport: Transport, languages: Language[]) =>
    change({
      transport,
      languages,
      feedback: usualFeedback(transport, languages),
      ...(transport === "virtual" ? { address: "" } : {}),
    });
  const clash = isNew && taken.includes(printer.id);
  const address = printer.transport === "virtual" ? undefined : ADDRESSES[printer.transport];
  const missing = [
    !printer.name.trim() && "a name",
    !printer.id && "a short name",
    printer.languages.length === 0 && "a language",
    isNew && address && !printer.address.trim() && `the ${address.label.toLowerCase()}`,
  ].filter(Boolean);
  const sizes = {
    widthMm: sizeProblem(printer.widthMm, 500),
    heightMm: sizeProblem(printer.heightMm, 1_000),
  };
  const complete =
    !addressProblemOf(printer) && missing.length === 0 && !clash && !sizes.widthMm && !sizes.heightMm;
  const save = async () => {
    const written = { ...printer, name: printer.name.trim(), address: printer.address.trim() };
    await onSave(written, draft.base);
    draft.saved(printer);
    onSaved(written);
  };
  return (
    <ActionForm
      action={action}
      onSubmit={save}
      disabled={!complete}
      hint={missing.length > 0 ? `Still missing: ${missing.join(", ")}.` : undefined}
      beside={
        draft.isDirty &&
        !isNew && (
          <Button variant="default" onClick={draft.discard}>
            Discard my changes
          </Button>
        )
      }
    >
      {(problem) => (
        <>
          {draft.isOutdated && (
            <ChangedElsewhere
              what="This printer"
              difference={<FieldDifferences fields={differences(props.printer, printer)} />}
              onTakeTheirs={draft.discard}
              onKeepMine={draft.rebase}
            />
          )}
          {draft.wasRestored && !draft.isOutdated && (
            <Text size="sm" c="dimmed" role="status">
              These are changes that you had not saved yet.
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Name"
              dir="auto"
              description="For people: where it stands, for instance."
              value={printer.name}
              maxLength={120}
              onChange={({ currentTarget: { value } }) =>
                change({
                  name: value,
                  ...(isNew && !ownId
                    ? {
                        id: value.trim()
                          ? shortName(value, { taken: taken ?? [], fallback: "printer", max: 64 })
                          : "",
                      }
                    : {}),
                })
              }
            />
            <TextInput
              label="Short name"
              description={isNew ? "For pages and scripts. It stays as it is." : "It cannot be changed."}
              value={printer.id}
              maxLength={64}
              disabled={!isNew}
              error={clash && "Another printer has this one."}
              onChange={({ currentTarget: { value } }) => {
                setOwnId(true);
                change({ id: value.replace(/[^A-Za-z0-9._-]/g, "") });
              }}
            />
            <NativeSelect
              label="How it is reached"
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
            label="Languages it speaks"
            description="The first one is used for the test label. Most Zebra printers speak ZPL."
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
              label="Resolution"
              value={String(printer.dpmm)}
              data={DENSITIES}
              onChange={({ currentTarget: { value } }) => change({ dpmm: Number(value) })}
            />
            <NativeSelect
              label="How the bridge learns what became of a job"
              value={printer.feedback}
              data={FEEDBACK}
              onChange={({ currentTarget: { value } }) =>
                change({ feedback: value as PrinterWritten["feedback"] })
              }
            />
            <NumberInput
              label="Label width in mm"
              value={printer.widthMm}
              clampBehavior="none"
              decimalScale={1}
              hideControls
              error={problem("widthMm") ?? sizes.widthMm}
              onChange={(value) => change({ widthMm: Number(value) || 0 })}
            />
            <NumberInput
              label="Label height in mm"
              value={printer.heightMm}
              clampBehavior="none"
              decimalScale={1}
              hideControls
              error={problem("heightMm") ?? sizes.heightMm}
              onChange={(value) => change({ heightMm: Number(value) || 0 })}
            />
          </SimpleGrid>
          <Stack gap={4}>
            <Checkbox
              label="It encodes RFID tags"
              checked={printer.rfid}
              onChange={({ currentTarget: { checked } }) => change({ rfid: checked })}
            />
            {printer.rfid && (
              <Text size="xs" c="dimmed">
                Every tag is read back; a label whose tag cannot be written is voided and tried again.
              </Text>
            )}
          </Stack>
        </>
      )}
    </ActionForm>
  );
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
    ["Name", ({ name }) => name],
    ["How it is reached", ({ transport }) => TRANSPORTS[transport] ?? transport],
    ["Address", ({ address }) => address],
    ["Languages", ({ languages }) => languages.map((each) => LANGUAGES[each] ?? each).join(", ")],
    ["Resolution", ({ dpmm }) => DENSITIES.find(({ value }) => value === String(dpmm))?.label ?? ""],
    ["Feedback", ({ feedback }) => FEEDBACK.find(({ value }) => value === feedback)?.label ?? feedback],
    ["Label", ({ widthMm, heightMm }) => `${widthMm} × ${heightMm} mm`],
    ["RFID tags", ({ rfid }) => (rfid ? "encoded" : "not encoded")],
  ];
  return fields.map(([name, of]) => ({ name, theirs: of(theirs), mine: of(mine) }));
}
