import { Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type OriginBody, type OriginRow, questions } from "./api.ts";

/** What an origin may do, as it is edited: the printers that are ticked, each with the name it goes by. */
export interface Rights {
  readonly every: boolean;
  readonly names: Readonly<Record<string, string>>;
  readonly raw: boolean;
  readonly templates: boolean;
  readonly rfid: boolean;
  readonly open: boolean;
}

export function rightsOf(origin?: OriginRow): Rights {
  const { raw = true, templates = true, rfid = true } = origin?.rights ?? {};
  const names = Object.fromEntries(Object.entries(origin?.aliases ?? {}).map(([alias, id]) => [id, alias]));
  return { every: !origin?.aliases, names, raw, templates, rfid, open: origin?.open ?? false };
}

export function written({ every, names, raw, templates, rfid, open }: Rights): Omit<OriginBody, "origin"> {
  const printers = Object.fromEntries(Object.entries(names).map(([id, alias]) => [alias.trim() || id, id]));
  return { printers: every ? null : printers, rights: { raw, templates, rfid }, open };
}

export function OriginRights({ rights, onChange }: { rights: Rights; onChange: (rights: Rights) => void }) {
  const { data: printers = [] } = useQuery(questions.printers);
  const change = (part: Partial<Rights>) => onChange({ ...rights, ...part });
  const tick = (id: string, on: boolean) => {
    const { [id]: _before, ...others } = rights.names;
    change({ names: on ? { ...others, [id]: id } : others });
  };
  return (
    <Stack gap="md">
      <Checkbox
        label="Every printer, under its short name"
        checked={rights.every}
        onChange={(event) => change({ every: event.currentTarget.checked })}
      />
      {!rights.every && (
        <Stack gap="xs" pl="lg" role="group" aria-label="Printers">
          {printers.map(({ id, name }) => (
            <Group key={id} gap="sm">
              <Checkbox
                label={name}
                checked={id in rights.names}
                onChange={(event) => tick(id, event.currentTarget.checked)}
              />
              {id in rights.names && (
                <TextInput
                  size="xs"
                  aria-label={`What it calls ${name}`}
                  description="What it calls this printer"
                  value={rights.names[id] ?? ""}
                  maxLength={120}
                  onChange={(event) =>
                    change({ names: { ...rights.names, [id]: event.currentTarget.value } })
                  }
                />
              )}
            </Group>
          ))}
        </Stack>
      )}
      <Group role="group" aria-label="What it may print">
        {(
          [
            ["raw", "Raw data"],
            ["templates", "Templates"],
            ["rfid", "RFID tags"],
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
          label="It needs no token"
          checked={rights.open}
          onChange={(event) => change({ open: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed">
          For older applications that cannot keep one. Anybody who can open such a page on this machine can
          print.
        </Text>
      </Stack>
    </Stack>
  );
}
