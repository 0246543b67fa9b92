import { LoadingState, lazyPage, NotFoundPage, Shell, SignOutButton } from "@frontdesk/ui";
import { GuidePage } from "@frontdesk/ui/guide-page";
import { Group, Stack, Text } from "@mantine/core";
import {
  ActivityLogIcon,
  BookmarkIcon,
  DashboardIcon,
  FileTextIcon,
  GearIcon,
  LayersIcon,
  MixerHorizontalIcon,
  PersonIcon,
  QuestionMarkCircledIcon,
  TableIcon,
} from "@radix-ui/react-icons";
import { type ReactNode, Suspense, useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { type Me, orders, type Role } from "./api.ts";
import { firstPassword } from "./first-password.ts";
import { useLiveEngine } from "./live.ts";
import { OwnPassword } from "./own-password.tsx";
import { DashboardPage } from "./pages/dashboard.tsx";
import { session } from "./session.ts";
import { TypedConfirm } from "./typed-confirm.tsx";
import { t } from "./words/frame.ts";

const LeasesPage = lazyPage(() => import("./pages/leases.tsx").then((page) => page.LeasesPage));
const ActivityPage = lazyPage(() => import("./pages/activity.tsx").then((page) => page.ActivityPage));
const DevicePage = lazyPage(() => import("./pages/device.tsx").then((page) => page.DevicePage));
const SubnetsPage = lazyPage(() => import("./pages/subnets.tsx").then((page) => page.SubnetsPage));
const ReservationsPage = lazyPage(() =>
  import("./pages/reservations.tsx").then((page) => page.ReservationsPage),
);
const LogsPage = lazyPage(() => import("./pages/logs.tsx").then((page) => page.LogsPage));
const UsersPage = lazyPage(() => import("./pages/users.tsx").then((page) => page.UsersPage));
const SettingsPage = lazyPage(() => import("./pages/settings.tsx").then((page) => page.SettingsPage));
const SystemPage = lazyPage(() => import("./pages/system.tsx").then((page) => page.SystemPage));

const DESTINATIONS: ReadonlyArray<{ path: string; name: string; icon: ReactNode; role: Role }> = [
  { path: "/dashboard", name: t.dashboard, icon: <DashboardIcon />, role: "viewer" },
  { path: "/leases", name: t.leases, icon: <TableIcon />, role: "viewer" },
  { path: "/activity", name: t.activity, icon: <ActivityLogIcon />, role: "viewer" },
  { path: "/subnets", name: t.subnets, icon: <LayersIcon />, role: "viewer" },
  { path: "/reservations", name: t.reservations, icon: <BookmarkIcon />, role: "viewer" },
  { path: "/logs", name: t.logs, icon: <FileTextIcon />, role: "viewer" },
  { path: "/users", name: t.users, icon: <PersonIcon />, role: "admin" },
  { path: "/settings", name: t.settings, icon: <MixerHorizontalIcon />, role: "admin" },
  { path: "/system", name: t.system, icon: <GearIcon />, role: "admin" },
  { path: "/help", name: t.help, icon: <QuestionMarkCircledIcon />, role: "viewer" },
];

/** All of the console that is behind the page to sign in. */
export function SignedIn({ me }: { me: Me }) {
  useLiveEngine();
  // Also where they signed in in another tab.
  useEffect(() => {
    firstPassword.shown = null;
  }, []);
  const destinations = DESTINATIONS.filter(({ role }) => role === "viewer" || me.role === "admin");
  return (
    <Shell service={t.lease} destinations={destinations} person={<Person me={me} />}>
      <TypedConfirm />
      <Suspense fallback={<LoadingState />}>
        <Switch>
          <Route path="/dashboard" component={DashboardPage} />
          <Route path="/leases" component={LeasesPage} />
          <Route path="/activity" component={ActivityPage} />
          <Route path="/device" component={DevicePage} />
          <Route path="/subnets" component={SubnetsPage} />
          <Route path="/reservations" component={ReservationsPage} />
          <Route path="/logs" component={LogsPage} />
          {me.role === "admin" && <Route path="/users" component={UsersPage} />}
          {me.role === "admin" && <Route path="/settings" component={SettingsPage} />}
          {me.role === "admin" && <Route path="/system" component={SystemPage} />}
          {/* Whoever signs in where an administrator left has other pages. */}
          {DESTINATIONS.filter((each) => !destinations.includes(each)).map(({ path }) => (
            <Route key={path} path={path}>
              <Redirect to="/dashboard" replace />
            </Route>
          ))}
          <Route path="/help" component={GuidePage} />
          <Route path="/">
            <Redirect to="/dashboard" replace />
          </Route>
          <Route>
            <NotFoundPage home={{ name: t.toTheDashboard, path: "/dashboard" }} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}

function Person({ me }: { me: Me }) {
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Stack gap={0}>
        <Text size="sm" fw={550}>
          <bdi>{me.username}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {t.roles[me.role]}
        </Text>
        <OwnPassword />
      </Stack>
      <SignOutButton signOut={() => session.signOut(orders.signOut)} />
    </Group>
  );
}
