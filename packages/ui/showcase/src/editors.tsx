import { Page, Section, useUnsaved } from "@frontdesk/ui";
import { CodeEditor } from "@frontdesk/ui/code-editor";
import { DiffView } from "@frontdesk/ui/diff-view";
import { Button, Group, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { TOML, TOML_AFTER, ZPL } from "./content.ts";

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function EditorPage() {
  const [stored, setStored] = useState({ value: TOML, version: "1" });
  const config = useUnsaved("showcase", stored);
  // As slow as a real one: people go on typing meanwhile.
  const save = async () => {
    const written = config.value;
    await later(1_000);
    const version = String(Number(stored.version) + 1);
    config.saved(written, { version });
    await later(300);
    setStored({ value: written, version });
  };
  const marks = useMemo(
    () =>
      config.value.includes("eth0")
        ? []
        : [{ line: 3, column: 15, message: 'There is no interface "eth9" on this machine.' }],
    [config.value],
  );
  return (
    <Page title="Editors">
      <Section
        title="TOML"
        actions={
          <Group gap="sm">
            <Text size="sm" c="dimmed">
              {config.isDirty ? "Not saved" : "As stored"}
            </Text>
            <Text size="sm" c="dimmed">
              Version {stored.version}
            </Text>
            <Button size="xs" disabled={!config.isDirty} onClick={() => void save()}>
              Save
            </Button>
            <Button size="xs" variant="default" disabled={!config.isDirty} onClick={config.discard}>
              Discard
            </Button>
          </Group>
        }
      >
        <CodeEditor
          label="Configuration"
          language="toml"
          value={config.value}
          onChange={config.set}
          marks={marks}
        />
      </Section>
      <Section title="ZPL">
        <CodeEditor
          label="Label"
          language="zpl"
          value={ZPL}
          minLines={6}
          marks={[{ line: 4, column: 12, message: "The bar code lies off the label.", severity: "warning" }]}
        />
      </Section>
      <Section title="What changes">
        <DiffView label="What this save changes" before={TOML} after={TOML_AFTER} />
      </Section>
    </Page>
  );
}
