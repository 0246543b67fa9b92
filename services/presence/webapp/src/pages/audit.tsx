import {
  type Column,
  DataTable,
  EmptyState,
  Loaded,
  Moment,
  Page,
  Section,
  useUrlState,
} from "@frontdesk/ui";
import { Button, Code, Group, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { call } from "../api.ts";
import { useOrg } from "../org.ts";
import type { AuditEntry } from "../shapes.ts";
import { t } from "../words/admin.ts";

/** Broken into lines, so that nothing has to be scrolled. */
const WHOLE = { overflow: "visible", overflowWrap: "anywhere", whiteSpace: "normal" } as const;

const columns: Column<AuditEntry>[] = [
  { title: t.when, cell: ({ at }) => <Moment time={at} /> },
  { title: t.who, cell: ({ actor, actorName }) => <bdi>{actorName ?? actor}</bdi> },
  {
    title: t.what,
    cell: ({ action, subject, subjectName }) => (
      <span>
        <Code style={WHOLE}>{action}</Code> <bdi>{subjectName ?? subject}</bdi>
      </span>
    ),
  },
  {
    title: t.details,
    cell: ({ detail }) =>
      Object.keys(detail).length > 0 && <Code style={WHOLE}>{JSON.stringify(detail)}</Code>,
  },
];

export function AuditPage() {
  const { org } = useOrg();
  const [by, setBy] = useUrlState("by");
  const isOthers = by === "others";
  const [actor, setActor] = useUrlState("actor");
  const [action, setAction] = useUrlState("action");
  const filter = useDeferredValue(`${by}\n${actor}\n${action}`);
  const entries = useInfiniteQuery({
    queryKey: ["audit", org, filter],
    queryFn: ({ pageParam, signal }) =>
      call("GET /orgs/{org}/audit", {
        path: { org },
        query: {
          ...(isOthers ? { by: "others" as const } : {}),
          ...(actor.trim() ? { actor: actor.trim() } : {}),
          ...(action.trim() ? { action: action.trim() } : {}),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t.audit} intro={t.auditIntro} wide>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NativeSelect
          label={t.changesBy}
          value={isOthers ? "others" : ""}
          onChange={(event) => setBy(event.currentTarget.value)}
          data={[
            { value: "", label: t.byPeople },
            { value: "others", label: t.byOthers },
          ]}
        />
        <TextInput
          type="search"
          label={t.actor}
          placeholder={t.actorHint}
          value={actor}
          onChange={(event) => setActor(event.currentTarget.value)}
        />
        <TextInput
          type="search"
          label={t.action}
          placeholder={t.actionHint}
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
      </SimpleGrid>
      <Section title={t.audit} {...(isOthers ? { about: t.othersAreKept } : {})}>
        <Loaded query={entries}>
          {({ pages }) => (
            <DataTable
              caption={t.audit}
              columns={columns}
              rows={pages.flatMap(({ data }) => data)}
              rowKey={({ id }) => id}
              empty={<EmptyState title={actor || action ? t.nothingFits : t.nothingYet} />}
            />
          )}
        </Loaded>
        {entries.hasNextPage && (
          <Group>
            <Button
              variant="default"
              size="xs"
              aria-busy={entries.isFetchingNextPage}
              onClick={() => void entries.fetchNextPage()}
            >
              {t.showOlder}
            </Button>
          </Group>
        )}
      </Section>
    </Page>
  );
}
