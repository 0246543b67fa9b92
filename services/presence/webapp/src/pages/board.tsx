import {
  count,
  EmptyState,
  LateDialog,
  Page,
  useOpening,
  usePageKey,
  useUrlDialog,
  useUrlState,
  wholeNumber,
} from "@frontdesk/ui";
import {
  Anchor,
  Box,
  Button,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { DesktopIcon, MagnifyingGlassIcon } from "@radix-ui/react-icons";
import { useDeferredValue, useMemo, useRef } from "react";
import { Link } from "wouter";
import {
  asRows,
  findPeople,
  grouped,
  groupsOf,
  headCounts,
  knownFilter,
  searchable,
} from "../board/find-people.ts";
import { MyBar } from "../board/my-bar.tsx";
import { PeopleList } from "../board/people-list.tsx";
import { PersonDialog } from "../board/person-dialog.tsx";
import { StatusLabel } from "../board/status-label.tsx";
import { statusOf, useMyself, useOrg } from "../org.ts";
import type { Kind } from "../shapes.ts";
import { t } from "../words/board.ts";
import { t as statusWords } from "../words/status.ts";
import classes from "./board.module.css";

const KINDS: readonly Kind[] = ["in", "away", "out"];

export function BoardPage() {
  const { org, board } = useOrg();
  const [q, setQ] = useUrlState("q");
  const [kind, setKind] = useUrlState("kind");
  const [groupName, setGroup] = useUrlState("group");
  const [statusKey, setStatus] = useUrlState("status");
  const [view, setView] = useUrlState("view", "list");
  const [person, open, close] = useUrlDialog("person");
  const wanted = useDeferredValue(q);
  const people = useMemo(() => searchable(board.members, board.statuses), [board.members, board.statuses]);
  const { group, status } = knownFilter({ q: wanted, kind, group: groupName, status: statusKey }, board);
  const found = useMemo(
    () => findPeople(people, { q: wanted, kind, group, status }),
    [people, wanted, kind, group, status],
  );
  const rows = useMemo(() => (view === "groups" ? grouped(found) : asRows(found)), [found, view]);
  const counts = useMemo(() => headCounts(people), [people]);
  const groups = useMemo(() => groupsOf(board), [board]);
  const isFiltered = q !== "" || kind !== "" || group !== "" || status !== "";
  const clear = () => {
    setQ("");
    setKind("");
    setGroup("");
    setStatus("");
  };
  const isPhone = useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false });
  const search = useRef<HTMLInputElement>(null);
  usePageKey("/", () => search.current?.focus());
  const searchField = (
    <TextInput
      ref={search}
      type="search"
      className={classes.search ?? ""}
      size="md"
      aria-label={t.search}
      aria-keyshortcuts="/"
      placeholder={t.searchHint}
      leftSection={<MagnifyingGlassIcon aria-hidden />}
      dir="auto"
      value={q}
      onChange={(event) => setQ(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && q !== "") setQ("");
      }}
    />
  );
  return (
    <div className={classes.page}>
      <Page
        title={board.org.name}
        wide
        actions={
          <Anchor component={Link} href={`/${org}/wall`} size="sm">
            <DesktopIcon aria-hidden /> {t.openTheWall}
          </Anchor>
        }
      >
        <Stack gap="lg">
          <div className={classes.mine}>
            <MyBar />
          </div>
          <Box className={classes.counts} role="group" aria-label={t.onlyKind}>
            {KINDS.map((each) => (
              <UnstyledButton
                key={each}
                className={classes.count}
                aria-pressed={kind === each}
                onClick={() => setKind(kind === each ? "" : each)}
              >
                <span className={classes.number}>{wholeNumber(counts[each])}</span>
                <Text size="sm" component="span">
                  {t.kinds[each]}
                </Text>
              </UnstyledButton>
            ))}
          </Box>
          <div className={classes.filters}>
            {!isPhone && searchField}
            {groups.length > 0 && (
              <NativeSelect
                size="md"
                aria-label={t.group}
                data={[{ value: "", label: t.allGroups }, ...groups]}
                value={group}
                onChange={(event) => setGroup(event.currentTarget.value)}
              />
            )}
            <NativeSelect
              size="md"
              aria-label={t.status}
              data={[
                { value: "", label: t.allStatuses },
                ...board.statuses.map(({ key, label }) => ({ value: key, label })),
              ]}
              value={status}
              onChange={(event) => setStatus(event.currentTarget.value)}
            />
            <SegmentedControl
              size="md"
              aria-label={t.view}
              data={[
                { value: "list", label: t.list },
                { value: "groups", label: t.groups },
              ]}
              value={view}
              onChange={setView}
            />
          </div>
          <Text size="sm" c="dimmed" role="status">
            {isFiltered ? count(found.length, t.found) : count(found.length, t.peopleCount)}
          </Text>
          {found.length > 0 ? (
            <div className={classes.people}>
              <PeopleList rows={rows} board={board} onOpen={open} />
            </div>
          ) : (
            <EmptyState title={isFiltered ? t.nobodyFits : t.notAskedYet} order={2}>
              {isFiltered ? (
                <Button variant="default" size="xs" onClick={clear} mt="sm">
                  {t.clearTheSearch}
                </Button>
              ) : (
                t.inviteThem
              )}
            </EmptyState>
          )}
        </Stack>
      </Page>
      {isPhone && (
        <div className={classes.thumb}>
          <MyStatusButton />
          {searchField}
        </div>
      )}
      <PersonDialog id={person} onClose={close} />
    </div>
  );
}

/** Where the thumb is: what others see of me, and the way to change it. */
function MyStatusButton() {
  const { board } = useOrg();
  const myself = useMyself();
  const { opened, open, close } = useOpening();
  if (!myself) return null;
  return (
    <>
      <Button variant="default" size="md" px="sm" onClick={open} aria-haspopup="dialog">
        <StatusLabel status={statusOf(board.statuses, myself.status.status)} />
      </Button>
      <LateDialog opened={opened} onClose={close} title={statusWords.myStatus}>
        <MyBar onSet={close} />
      </LateDialog>
    </>
  );
}
