import { type Column, DataTable, EmptyState, Loaded, Page, Section } from "@frontdesk/ui";
import { Anchor, Button, Code, Text } from "@mantine/core";
import { PlusIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { questions, type TemplateRow } from "../api.ts";
import { LANGUAGES } from "../words/codes.ts";
import { t } from "../words/templates.ts";

const columns: Column<TemplateRow>[] = [
  {
    title: t.template,
    cell: ({ id, name }) => (
      <Anchor component={Link} href={`/templates/${encodeURIComponent(id)}`} size="sm" fw={550}>
        <bdi>{name}</bdi>
      </Anchor>
    ),
  },
  { title: t.shortName, cell: ({ id }) => <Code>{id}</Code> },
  { title: t.madeFor, cell: ({ language, dpmm }) => t.madeForIt(LANGUAGES[language], dpmm) },
  {
    title: t.placeholders,
    cell: ({ placeholders }) =>
      placeholders.length ? placeholders.map((n) => `{{${n}}}`).join(" ") : <Text size="sm">{t.none}</Text>,
  },
  { title: t.version, cell: ({ version }) => version },
];

export function TemplatesPage() {
  const templates = useQuery(questions.templates);
  return (
    <Page
      help="from-a-page"
      title={t.templates}
      intro={t.labelsWithPlacesToFillIn}
      actions={
        <Button component={Link} href="/templates/~new" leftSection={<PlusIcon aria-hidden />}>
          {t.newTemplate}
        </Button>
      }
    >
      <Section title={t.storedTemplates}>
        <Loaded query={templates}>
          {(list) => (
            <DataTable
              caption={t.templates}
              columns={columns}
              rows={list}
              rowKey={({ id }) => id}
              empty={<EmptyState title={t.noTemplatesYet}>{t.startOneYouSeeWhatIt}</EmptyState>}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
