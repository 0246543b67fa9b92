import { Section, useUnsaved } from "@frontdesk/ui";
import { NativeSelect, PasswordInput, SimpleGrid, TextInput } from "@mantine/core";
import { ClassesForm } from "./classes-form.tsx";
import { ConfigForm } from "./config-form.tsx";
import { type Kind, tableOf, textOf, typedValue, type Values, withKeys } from "./config-values.ts";
import { optionsInWords } from "./config-words.ts";
import { OptionRows } from "./option-rows.tsx";
import { areWritable, type OptionRow, optionRows, optionsOf, optionTypes } from "./option-values.ts";
import { t } from "./words/settings-fields.ts";

type SectionName = keyof typeof t.sections;
type Field = Exclude<Kind, "choice"> | readonly string[];

/** The keys of each section, in the order of the form; a list is what a key may be. */
const FIELDS: Readonly<Record<SectionName, Readonly<Record<string, Field>>>> = {
  server: {
    interfaces: "list",
    listen: "list",
    control_listen: "text",
    control_token: "secret",
    control_open: "boolean",
    metrics_listen: "text",
    authoritative: "boolean",
    identity: ["client_id", "mac"],
    bootp: "boolean",
    rapid_commit: "boolean",
    run_as: "text",
    relays: "list",
    relay_networks: "list",
    subnet_selection_relays: "list",
  },
  lease: {
    default_time: "number",
    min_time: "number",
    max_time: "number",
    offer_time: "number",
    decline_quarantine: "number",
    probe: "boolean",
    probe_wait_ms: "number",
    event_retention_days: "number",
    max_events: "number",
    per_port_limit: "number",
  },
  logging: {
    level: ["debug", "info", "warn", "error"],
    file_size_mb: "number",
    files: "number",
    ring_lines: "number",
  },
  ddns: {
    enabled: "boolean",
    server: "text",
    forward_zone: "text",
    reverse_zone: "text",
    tsig_name: "text",
    tsig_algorithm: ["hmac-sha256", "hmac-sha512"],
    tsig_secret: "secret",
    ttl: "number",
    name_policy: ["client", "server", "off"],
    collision: ["refuse", "suffix"],
    keep_for_reservations: "boolean",
    max_updates_per_second: "number",
  },
  dhcpv6: {
    enabled: "boolean",
    preference: "number",
    rapid_commit: "boolean",
    preferred_time: "number",
    valid_time: "number",
    address_registration: "boolean",
    new_leases_per_hour: "number",
  },
  ha: {
    enabled: "boolean",
    mode: ["hot-standby", "load-balancing"],
    primary: "text",
    secondary: "text",
    max_lead: "number",
    max_clock_skew: "number",
    contact_timeout: "number",
    partner_down_after: "number",
    share: "number",
  },
};

interface Part {
  readonly config: Values;
  readonly version: string;
}

export function SettingsForms(part: Part) {
  return (
    <>
      {(Object.keys(FIELDS) as SectionName[]).map((name) => (
        <SectionForm key={name} name={name} {...part} />
      ))}
      <GlobalOptions {...part} />
      <ClassesForm {...part} />
    </>
  );
}

function SectionForm({ name, config, version }: Part & { name: SectionName }) {
  const fields = Object.entries(FIELDS[name]);
  const before = tableOf(config[name]);
  const stored = Object.fromEntries(fields.map(([key]) => [key, textOf(before[key])]));
  const draft = useUnsaved<Readonly<Record<string, string>>>(
    `lease-settings:${name}`,
    { value: stored, version },
    { isSecret: fields.some(([, field]) => field === "secret") },
  );
  const wanted = () => {
    const touched = fields.filter(([key]) => draft.value[key] !== stored[key]);
    const changes = Object.fromEntries(
      touched.map(([key, field]) => [
        key,
        typedValue(draft.value[key] ?? "", typeof field === "string" ? field : "choice"),
      ]),
    );
    return { ...config, [name]: withKeys(before, changes) };
  };
  const labelOf = (key: string) => t.fields[`${name}.${key}`] ?? t.fields[key] ?? key;
  const inWords = (value: typeof stored) =>
    fields.map(
      ([key, field]) =>
        [
          labelOf(key),
          field === "secret" ? secretInWords(value[key], stored[key]) : (value[key] ?? ""),
        ] as const,
    );
  return (
    <Section title={t.sections[name]} about={t.about[name]}>
      <ConfigForm draft={draft} stored={stored} what={t.sections[name]} inWords={inWords} wanted={wanted}>
        {(problem) => (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {fields.map(([key, field]) => (
              <FieldInput
                key={key}
                label={labelOf(key)}
                field={field}
                value={draft.value[key] ?? ""}
                error={problem(name, key)}
                onChange={(value) => draft.set((all) => ({ ...all, [key]: value }))}
              />
            ))}
          </SimpleGrid>
        )}
      </ConfigForm>
    </Section>
  );
}

/** Of two versions of a secret only that they differ is shown. */
const secretInWords = (value = "", stored = "") =>
  value === "" ? "" : value === stored ? t.secretStored : t.secretTyped;

function FieldInput(props: {
  label: string;
  field: Field;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { label, field, value, error, onChange } = props;
  if (field === "boolean" || typeof field !== "string") {
    const choices =
      field === "boolean"
        ? [
            { value: "true", label: t.yes },
            { value: "false", label: t.no },
          ]
        : field.map((each) => ({ value: each, label: t.choices[each] ?? each }));
    return (
      <NativeSelect
        label={label}
        data={[{ value: "", label: t.engineDefault }, ...choices]}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const common = { label, value, error, autoComplete: "off", spellCheck: false, dir: "ltr" } as const;
  if (field === "secret") {
    return (
      <PasswordInput
        {...common}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": t.show }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={t.engineDefault}
      {...(field === "number" ? { inputMode: "numeric" as const } : {})}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function GlobalOptions({ config, version }: Part) {
  const typeOf = optionTypes(config);
  const stored = { options: optionRows(config.options, typeOf) };
  const draft = useUnsaved<{ options: readonly OptionRow[] }>("lease-settings:options", {
    value: stored,
    version,
  });
  const wanted = () => withKeys(config, { options: optionsOf(draft.value.options, typeOf) });
  return (
    <Section title={t.globalOptions} about={t.aboutGlobalOptions}>
      <ConfigForm
        draft={draft}
        stored={stored}
        what={t.globalOptions}
        inWords={({ options }) => optionsInWords(options)}
        wanted={wanted}
        isReady={areWritable(draft.value.options)}
      >
        {(problem) => (
          <OptionRows
            rows={draft.value.options}
            onChange={(options) => draft.set({ options })}
            problems={draft.value.options.map(({ name }) => problem("options", name.trim()))}
          />
        )}
      </ConfigForm>
    </Section>
  );
}
