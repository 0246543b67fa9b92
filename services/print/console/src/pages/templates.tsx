import { type Column, DataTable, EmptyState, Loaded, Page, Section } from "@frontdesk/ui";
import { Anchor, Button, Code, Text } from "@mantine/core";
import { PlusIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { questions, type TemplateRow } from "../api.ts";
import { LANGUAGES } from "../words.ts";

const columns: Column<TemplateRow>[] = [
  {
    title: "Template",
    cell: ({ id, name }) => (
      <Anchor component={Link} href={`/templates/${encodeURIComponent(id)}`} size="sm" fw={550}>
        {name}
      </Anchor>
    ),
  },
  { title: "Short name", cell: ({ id }) => <Code>{id}</Code> },
  { title: "Made for", cell: ({ language, dpmm }) => `${LANGUAGES[language]}, ${dpmm} dots per mm` },
  {
    title: "Placeholders",
    cell: ({ placeholders }) =>
      placeholders.length ? placeholders.map((n) => `{{${n}}}`).join(" ") : <Text size="sm">none</Text>,
  },
  { title: "Version", cell: ({ version }) => version },
];

export function TemplatesPage() {
  const templates = useQuery(questions.templates);
  return (
    <Page
      title="Templates"
      intro="Labels with places to fill in. A page names the template and the values; the bridge does the rest."
      actions={
        <Button component={Link} href="/templates/~new" leftSection={<PlusIcon aria-hidden />}>
          New template
        </Button>
      }
    >
      <Section title="Stored templates">
        <Loaded query={templates}>
          {(list) => (
            <DataTable
              caption="Templates"
              columns={columns}
              rows={list}
              rowKey={({ id }) => id}
              empty={
                <EmptyState title="No templates yet">
                  Start one; you see what it prints while you write it.
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
