import { type Column, DataTable, EmptyState, Loaded, Moment, Section } from "@frontdesk/ui";
import { Button, Group } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "./api.ts";
import { t } from "./words/users.ts";

const PAGE = 25;
type Page = Awaited<ReturnType<typeof page>>;
type Entry = Page["items"][number];

const page = (cursor: number | null) =>
  call("GET /audit", { query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } });

const FAILED = "_failed";
const isFailure = (action: string) => action.endsWith(FAILED);
/** Their details name a version; those of a failure say why. */
const isOfConfig = (action: string) => action.startsWith("config") || action.startsWith("reservation");

function wordsOf(action: string): string {
  if (isFailure(action)) return t.failed(wordsOf(action.slice(0, -FAILED.length)));
  return t.audited[action] ?? action;
}

const columns: Column<Entry>[] = [
  { title: t.when, cell: ({ at }) => <Moment time={at} /> },
  { title: t.who, cell: ({ actor }) => <bdi>{actor}</bdi> },
  {
    title: t.what,
    cell: ({ action, subject, details }) => (
      <>
        {wordsOf(action)}
        {subject && (
          <>
            {": "}
            <bdi>{subject}</bdi>
          </>
        )}
        {details && (isFailure(action) || !isOfConfig(action)) && (
          <>
            {" ("}
            <bdi>{details}</bdi>
            {")"}
          </>
        )}
      </>
    ),
  },
];

export function Audit() {
  const entries = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) => page(pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_cursor }: Page) => next_cursor,
  });
  return (
    <Section title={t.audit} about={t.aboutAudit}>
      <Loaded query={entries}>
        {({ pages }) => (
          <DataTable
            caption={t.audit}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => String(id)}
            empty={<EmptyState title={t.nothingYet} />}
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
  );
}
