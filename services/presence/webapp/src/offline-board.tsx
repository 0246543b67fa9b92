import { ConnectionBanner, connection, ErrorState, exactTime, LoadingState, Page } from "@frontdesk/ui";
import { Alert, Center, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { asRows, findPeople, searchable } from "./board/find-people.ts";
import { PeopleList } from "./board/people-list.tsx";
import { type KeptBoard, keptBoard } from "./kept-board.ts";
import { lastOrg } from "./last-org.ts";
import { t as board } from "./words/board.ts";
import { t } from "./words/frame.ts";

/** The board as it was when the server was last heard, to be read and searched. */
export function OfflineBoard({ error, retry }: { error: unknown; retry: () => void }) {
  const [location] = useLocation();
  const org = location.split("/")[1] || lastOrg.get() || "";
  const { data: kept, isPending } = useQuery({
    queryKey: ["kept-board", org],
    queryFn: async () => (await keptBoard(org)) ?? null,
  });
  // Until it is back, which is asked for now and then.
  useEffect(() => connection.lost(), []);
  if (kept) return <Kept kept={kept} />;
  return (
    <Center mih="100vh" p="md" component="main">
      {isPending || !error ? (
        // A server that hangs has not failed yet.
        <div>
          <ConnectionBanner />
          <LoadingState />
        </div>
      ) : (
        <ErrorState error={error} retry={retry} />
      )}
    </Center>
  );
}

function Kept({ kept }: { kept: KeptBoard }) {
  const { members, statuses, org } = kept.board;
  const [q, setQ] = useState("");
  const wanted = useDeferredValue(q);
  const people = useMemo(() => searchable(members, statuses), [members, statuses]);
  const rows = useMemo(
    () => asRows(findPeople(people, { q: wanted, kind: "", group: "", status: "" })),
    [people, wanted],
  );
  return (
    <main style={{ padding: 16 }}>
      <Page title={org.name} wide>
        <Alert color="clay" role="status">
          {t.asOf(exactTime(kept.at))}
        </Alert>
        <TextInput
          type="search"
          aria-label={board.search}
          placeholder={board.searchHint}
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
        />
        <PeopleList rows={rows} board={kept.board} onOpen={nothing} />
      </Page>
    </main>
  );
}

const nothing = () => {};
