import type { VirtualColumn } from "@frontdesk/ui";
import { exactTime, NoRows, Page, Section, useServerRows, useUrlState, VirtualTable } from "@frontdesk/ui";
import { Anchor, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { type AuditFilter, type AuditRow, MAX_SEARCH, questions } from "../api.ts";
import { detailInWords } from "../audit-detail.ts";
import { jobPath } from "../job-columns.tsx";
import { ACTIONS, actorInWords, KINDS, t } from "../words/audit.ts";

const columns: VirtualColumn<AuditRow>[] = [
  {
    id: "at",
    title: t.when,
    width: "minmax(12rem, 0.8fr)",
    cell: ({ at }) => <time dateTime={at}>{exactTime(at)}</time>,
  },
  { id: "actor", title: t.who, cell: ({ actor }) => <bdi>{actorInWords(actor)}</bdi> },
  {
    id: "action",
    title: t.what,
    cell: ({ action, subject }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {ACTIONS[action] ?? action}
        {subject !== null && (
          <>
            {": "}
            <bdi>{subject}</bdi>
          </>
        )}
      </Text>
    ),
  },
  {
    id: "detail",
    title: t.detail,
    width: "minmax(10rem, 1.5fr)",
    cell: ({ detail }) => (
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        <bdi>{detailInWords(detail)}</bdi>
        {typeof detail.job === "string" && (
          <>
            {" "}
            <Anchor component={Link} href={jobPath({ job_id: detail.job })} inherit>
              {t.theJob}
            </Anchor>
          </>
        )}
      </Text>
    ),
  },
];

export function AuditPage() {
  const [kind, setKind] = useUrlState("kind");
  const [typed, setWords] = useUrlState("q");
  const words = typed.slice(0, MAX_SEARCH);
  const filter: AuditFilter = { kind: isKind(kind) ? kind : "", q: words.trim() };
  const rows = useServerRows(["audit", filter.kind, filter.q], ({ cursor, signal }) =>
    questions.auditPage(filter, cursor, signal),
  );
  return (
    <Page title={t.auditLog} intro={t.whoChangedWhatNewestFirst} help="the-audit-log" wide>
      <Section title={t.changes}>
        <Group grow maw="36rem" align="flex-start">
          <NativeSelect
            label={t.show}
            value={filter.kind}
            data={[
              { value: "", label: t.everything },
              ...Object.entries(KINDS).map(([value, label]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => setKind(value)}
          />
          <TextInput
            label={t.search}
            placeholder={t.whoOrWhat}
            value={words}
            maxLength={MAX_SEARCH}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        </Group>
        <VirtualTable
          caption={t.auditLog}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          empty={<NoRows filtered={Boolean(filter.kind || filter.q)}>{t.theFirstOneShowsUpHere}</NoRows>}
        />
      </Section>
    </Page>
  );
}

/** An address may carry anything; what is no kind shows everything. */
const isKind = (word: string): word is keyof typeof KINDS => Object.hasOwn(KINDS, word);
