import { type Destination, ErrorState, LoadingState, Shell } from "@frontdesk/ui";
import { ActionIcon, Alert, Anchor, Center, Group, Stack, Text, Tooltip } from "@mantine/core";
import {
  ActivityLogIcon,
  ExclamationTriangleIcon,
  ExitIcon,
  FileTextIcon,
  GearIcon,
  HomeIcon,
  LayersIcon,
  LockClosedIcon,
  PersonIcon,
} from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { orders, questions } from "./api.ts";
import classes from "./app.module.css";
import { useLive } from "./live.ts";
import { useOrder } from "./order.ts";
import { PrintersPage } from "./pages/printers.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { forgetSession } from "./session.ts";
import { count } from "./words.ts";

const PrinterPage = lazy(() => import("./pages/printer.tsx").then((page) => ({ default: page.PrinterPage })));
const FindPage = lazy(() => import("./pages/find.tsx").then((page) => ({ default: page.FindPage })));
const JobsPage = lazy(() => import("./pages/jobs.tsx").then((page) => ({ default: page.JobsPage })));
const JobPage = lazy(() => import("./pages/job.tsx").then((page) => ({ default: page.JobPage })));
const TemplatesPage = lazy(() =>
  import("./pages/templates.tsx").then((page) => ({ default: page.TemplatesPage })),
);
const TemplatePage = lazy(() =>
  import("./pages/template.tsx").then((page) => ({ default: page.TemplatePage })),
);
const OriginsPage = lazy(() => import("./pages/origins.tsx").then((page) => ({ default: page.OriginsPage })));
const CertificatePage = lazy(() =>
  import("./pages/certificate.tsx").then((page) => ({ default: page.CertificatePage })),
);
const SettingsPage = lazy(() =>
  import("./pages/settings.tsx").then((page) => ({ default: page.SettingsPage })),
);
const LogPage = lazy(() => import("./pages/log.tsx").then((page) => ({ default: page.LogPage })));

const DESTINATIONS: readonly Destination[] = [
  { path: "/printers", name: "Printers", icon: <HomeIcon /> },
  { path: "/jobs", name: "Jobs", icon: <LayersIcon /> },
  { path: "/templates", name: "Templates", icon: <FileTextIcon /> },
  { path: "/origins", name: "Who may print", icon: <PersonIcon /> },
  { path: "/certificate", name: "Certificate", icon: <LockClosedIcon /> },
  { path: "/settings", name: "Settings and license", icon: <GearIcon /> },
  { path: "/log", name: "Log", icon: <ActivityLogIcon /> },
];

export function App() {
  const session = useQuery(questions.session);
  if (session.data) return <SignedIn />;
  if (session.data === false) return <SignInPage />;
  return (
    <Center mih="100vh" p="md" component="main">
      {session.error ? (
        <ErrorState error={session.error} retry={() => void session.refetch()} />
      ) : (
        <LoadingState />
      )}
    </Center>
  );
}

function SignedIn() {
  const heard = useLive();
  return (
    <Shell service="Print" destinations={DESTINATIONS} person={<AdminMenu />}>
      <Notices heard={heard} />
      <Suspense fallback={<LoadingState />}>
        <Switch>
          <Route path="/printers" component={PrintersPage} />
          {/* No printer can have this for its short name. */}
          <Route path="/printers/~find" component={FindPage} />
          <Route path="/printers/:id">
            {({ id }) => <PrinterPage key={id} id={decodeURIComponent(id)} />}
          </Route>
          <Route path="/jobs" component={JobsPage} />
          <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={decodeURIComponent(id)} />}</Route>
          <Route path="/templates" component={TemplatesPage} />
          <Route path="/templates/:id">
            {({ id }) => <TemplatePage key={id} id={decodeURIComponent(id)} />}
          </Route>
          <Route path="/origins" component={OriginsPage} />
          <Route path="/certificate" component={CertificatePage} />
          <Route path="/settings" component={SettingsPage} />
          <Route path="/log" component={LogPage} />
          <Route>
            <Redirect to="/printers" replace />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}

/** What the administrator should know on whichever page they are. */
function Notices({ heard }: { heard: boolean }) {
  const [location] = useLocation();
  const { data: pairings = [] } = useQuery(questions.pairings);
  const asking = pairings.filter(({ approved }) => !approved).length;
  const isAsking = asking > 0 && location !== "/origins";
  if (heard && !isAsking) return null;
  return (
    <Stack className={classes.notices} gap="sm" mb="lg">
      {!heard && (
        <Alert color="clay" icon={<ExclamationTriangleIcon />} role="status">
          The bridge does not answer at the moment; what you see may be old. This page keeps trying.
        </Alert>
      )}
      {isAsking && (
        <Alert color="pine" icon={<PersonIcon />} role="status">
          {count(asking, "page")} {asking === 1 ? "asks" : "ask"} to be let in.{" "}
          <Anchor component={Link} href="/origins" inherit underline="always">
            Decide
          </Anchor>
        </Alert>
      )}
    </Stack>
  );
}

function AdminMenu() {
  const signOut = useOrder(orders.signOut, { after: forgetSession });
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Text size="sm" fw={550}>
        Administrator
      </Text>
      <Tooltip label="Sign out">
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Sign out" {...signOut}>
          <ExitIcon />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
