import {
  type Destination,
  ErrorState,
  LoadingState,
  lazyPage,
  NewRelease,
  NotFoundPage,
  Shell,
  tellDone,
  usePageKey,
} from "@frontdesk/ui";
import { GuidePage } from "@frontdesk/ui/guide-page";
import { Anchor, Center } from "@mantine/core";
import {
  ClockIcon,
  CubeIcon,
  DashboardIcon,
  GearIcon,
  ListBulletIcon,
  LockClosedIcon,
  MixerHorizontalIcon,
  PaperPlaneIcon,
  PersonIcon,
  PlusIcon,
  QuestionMarkCircledIcon,
  ReaderIcon,
  Share1Icon,
  TokensIcon,
} from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { questions } from "./api.ts";
import type { BoardEvent } from "./board-events.ts";
import { createFollowedNews } from "./followed-news.ts";
import { keepBoard } from "./kept-board.ts";
import { keepPages } from "./kept-pages.ts";
import { lastOrg } from "./last-org.ts";
import { useLiveBoard } from "./live-board.ts";
import { mayActAs, OrgContext, SlugContext, statusOf } from "./org.ts";
import { BoardPage } from "./pages/board.tsx";
import { PersonMenu } from "./person-menu.tsx";
import type { Board, Me, Role } from "./shapes.ts";
import { useKeptLines } from "./todos/not-added.tsx";
import { t as board } from "./words/board.ts";
import { t } from "./words/frame.ts";

const WallPage = lazyPage(() => import("./pages/wall.tsx").then((page) => page.WallPage));
const MyStatusPage = lazyPage(() => import("./pages/my-status.tsx").then((page) => page.MyStatusPage));
const TodosPage = lazyPage(() => import("./pages/todos.tsx").then((page) => page.TodosPage));
const ProjectsPage = lazyPage(() => import("./pages/projects.tsx").then((page) => page.ProjectsPage));
const ProjectPage = lazyPage(() => import("./pages/projects.tsx").then((page) => page.ProjectPage));
const ShareLinksPage = lazyPage(() => import("./pages/share-links.tsx").then((page) => page.ShareLinksPage));
const AccountPage = lazyPage(() => import("./pages/account.tsx").then((page) => page.AccountPage));
const AdminPages = lazyPage(() => import("./pages/admin.tsx").then((page) => page.AdminPages));
const AddDialog = lazyPage(() => import("./todos/add-dialog.tsx").then((part) => part.AddDialog));

interface OrgPage extends Destination {
  readonly role: Role;
}

const pagesOf = (org: string): readonly OrgPage[] => [
  { path: `/${org}/board`, name: t.board, icon: <DashboardIcon />, role: "member" },
  { path: `/${org}/me`, name: t.myStatus, icon: <ClockIcon />, role: "member" },
  { path: `/${org}/todos`, name: t.todos, icon: <ListBulletIcon />, role: "member" },
  { path: `/${org}/projects`, name: t.projects, icon: <CubeIcon />, role: "member" },
  { path: `/${org}/share-links`, name: t.shareLinks, icon: <Share1Icon />, role: "reception" },
  { path: `/${org}/admin/members`, name: t.members, icon: <PersonIcon />, role: "admin" },
  { path: `/${org}/admin/statuses`, name: t.statuses, icon: <MixerHorizontalIcon />, role: "admin" },
  { path: `/${org}/admin/integrations`, name: t.integrations, icon: <TokensIcon />, role: "admin" },
  { path: `/${org}/admin/webhooks`, name: t.webhooks, icon: <PaperPlaneIcon />, role: "admin" },
  { path: `/${org}/admin/audit`, name: t.audit, icon: <ReaderIcon />, role: "admin" },
  { path: `/${org}/admin/organisation`, name: t.settings, icon: <GearIcon />, role: "admin" },
  { path: `/${org}/account`, name: t.account, icon: <LockClosedIcon />, role: "member" },
  { path: `/${org}/help`, name: t.help, icon: <QuestionMarkCircledIcon />, role: "member" },
];

/** The pages of one organisation, and what keeps them live. */
export function OrgFrame({ me, org }: { me: Me; org: string }) {
  const query = useQuery(questions.board(org));
  const { data, dataUpdatedAt } = query;
  const keep = (at: number) => data && keepBoard(org, { at, me, board: data });
  const upgrade = useLiveBoard(org, data, { onEvent: tellOfFollowed, onHeard: () => keep(Date.now()) });
  useEffect(() => lastOrg.set(org), [org]);
  useEffect(keepPages, []);
  useEffect(() => {
    if (data) keepBoard(org, { at: dataUpdatedAt, me, board: data });
  }, [org, me, data, dataUpdatedAt]);
  if (!query.data) {
    return (
      <Center mih="100vh" p="md" component="main">
        {query.error ? (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        ) : (
          <LoadingState />
        )}
      </Center>
    );
  }
  return (
    <SlugContext value={org}>
      <OrgContext value={{ org, board: query.data }}>
        <Suspense fallback={<LoadingState />}>
          <Switch>
            <Route path="/:org/wall">
              <WallPage {...upgrade} />
            </Route>
            <Route>
              <Pages me={me} org={org} board={query.data} isUpgraded={upgrade.isUpgraded} />
            </Route>
          </Switch>
        </Suspense>
      </OrgContext>
    </SlugContext>
  );
}

function Pages(props: { me: Me; org: string; board: Board; isUpgraded: boolean }) {
  const { me, org, board: shown, isUpgraded } = props;
  const destinations = pagesOf(org).filter(({ role }) => mayActAs(shown.me.role, role));
  const [adding, setAdding] = useState(false);
  useKeptLines(org);
  usePageKey("n", () => setAdding(true));
  const myself = shown.members.find(({ id }) => id === shown.me.id);
  return (
    <Shell
      service={t.presence}
      destinations={destinations}
      person={
        <>
          <PersonMenu
            name={myself?.name ?? me.email}
            more={shown.org.name}
            {...(myself ? { face: myself.avatarUrl } : {})}
          />
          {me.orgs.length > 1 && (
            <Anchor component={Link} href="/organisations" size="sm">
              {t.otherOrganisations}
            </Anchor>
          )}
        </>
      }
      notices={isUpgraded && <NewRelease />}
      commands={[{ id: "add", name: t.addATodo, icon: <PlusIcon />, run: () => setAdding(true) }]}
    >
      <Suspense>
        <AddDialog opened={adding} onClose={() => setAdding(false)} />
      </Suspense>
      <Suspense fallback={<LoadingState />}>
        <Switch>
          <Route path="/:org">
            <Redirect to={`/${org}/board`} replace />
          </Route>
          <Route path="/:org/board" component={BoardPage} />
          <Route path="/:org/me" component={MyStatusPage} />
          <Route path="/:org/todos" component={TodosPage} />
          <Route path="/:org/projects" component={ProjectsPage} />
          <Route path="/:org/projects/:id">{({ id }) => <ProjectPage key={id} id={id} />}</Route>
          {mayActAs(shown.me.role, "reception") && (
            <Route path="/:org/share-links" component={ShareLinksPage} />
          )}
          <Route path="/:org/account" component={AccountPage} />
          {mayActAs(shown.me.role, "admin") && <Route path="/:org/admin/*" component={AdminPages} />}
          <Route path="/:org/help" component={GuidePage} />
          <Route>
            <NotFoundPage home={{ name: t.toTheBoard, path: `/${org}/board` }} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}

const hearOfFollowed = createFollowedNews();

/** A message about people whom the reader follows, in the tab that is looked at. */
function tellOfFollowed(event: BoardEvent, before: Board | undefined): void {
  if (event.kind !== "status" || !before || document.visibilityState !== "visible") return;
  const { memberId, status, previous } = event.data;
  if (!before.me.follows.includes(memberId) || status.status === previous) return;
  const member = before.members.find(({ id }) => id === memberId);
  if (!member) return;
  const { label } = statusOf(before.statuses, status.status);
  const tell = () => tellDone(board.changedTo(member.name, label));
  hearOfFollowed(memberId, { before: previous, now: status.status, tell });
}
