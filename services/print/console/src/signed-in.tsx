import {
  type Command,
  count,
  decodedPart,
  LoadingState,
  lazyPage,
  NotFoundPage,
  Shell,
  SignOutButton,
  useActed,
} from "@frontdesk/ui";
import { GuidePage } from "@frontdesk/ui/guide-page";
import { Alert, Anchor, Group, Text } from "@mantine/core";
import {
  ActivityLogIcon,
  FileTextIcon,
  GearIcon,
  HomeIcon,
  LayersIcon,
  LockClosedIcon,
  PersonIcon,
  QuestionMarkCircledIcon,
  ReaderIcon,
} from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { orders, questions } from "./api.ts";
import { trouble } from "./badges.tsx";
import { useLiveBridge } from "./live.ts";
import { PrintersPage } from "./pages/printers.tsx";
import { session } from "./session.ts";
import { t } from "./words/frame.ts";

const PrinterPage = lazyPage(() => import("./pages/printer.tsx").then((page) => page.PrinterPage));
const FindPage = lazyPage(() => import("./pages/find.tsx").then((page) => page.FindPage));
const JobsPage = lazyPage(() => import("./pages/jobs.tsx").then((page) => page.JobsPage));
const JobPage = lazyPage(() => import("./pages/job.tsx").then((page) => page.JobPage));
const TemplatesPage = lazyPage(() => import("./pages/templates.tsx").then((page) => page.TemplatesPage));
const TemplatePage = lazyPage(() => import("./pages/template.tsx").then((page) => page.TemplatePage));
const OriginsPage = lazyPage(() => import("./pages/origins.tsx").then((page) => page.OriginsPage));
const CertificatePage = lazyPage(() =>
  import("./pages/certificate.tsx").then((page) => page.CertificatePage),
);
const SettingsPage = lazyPage(() => import("./pages/settings.tsx").then((page) => page.SettingsPage));
const AuditPage = lazyPage(() => import("./pages/audit.tsx").then((page) => page.AuditPage));
const LogPage = lazyPage(() => import("./pages/log.tsx").then((page) => page.LogPage));

const DESTINATIONS = [
  { path: "/printers", name: t.printers, icon: <HomeIcon /> },
  { path: "/jobs", name: t.jobs, icon: <LayersIcon /> },
  { path: "/templates", name: t.templates, icon: <FileTextIcon /> },
  { path: "/origins", name: t.whoMayPrint, icon: <PersonIcon /> },
  { path: "/certificate", name: t.certificate, icon: <LockClosedIcon /> },
  { path: "/settings", name: t.settingsAndLicense, icon: <GearIcon /> },
  { path: "/audit", name: t.auditLog, icon: <ReaderIcon /> },
  { path: "/log", name: t.log, icon: <ActivityLogIcon /> },
  { path: "/help", name: t.help, icon: <QuestionMarkCircledIcon /> },
];

const COMMANDS: Command[] = [
  { id: "add", name: t.addAPrinter, path: "/printers/~new" },
  { id: "find", name: t.findPrinters, path: "/printers/~find" },
  { id: "template", name: t.newTemplate, path: "/templates/~new" },
  { id: "held", name: t.jobsThatAreHeld, path: "/jobs?state=Held" },
  { id: "failed", name: t.jobsThatFailed, path: "/jobs?state=Failed" },
];

/** All of the console that is behind the page to sign in. */
export function SignedIn() {
  useLiveBridge();
  const { data: printers = [] } = useQuery(questions.printers);
  const { data: about } = useQuery(questions.about);
  const asking = useAsking();
  const stopped = printers.filter(({ status }) => trouble(status) !== "").length;
  const destinations = DESTINATIONS.map((destination) => {
    const troubles =
      destination.path === "/printers" ? stopped : destination.path === "/origins" ? asking : 0;
    return { ...destination, troubles };
  });
  return (
    <Shell
      service={t.print}
      destinations={destinations}
      person={<AdminMenu />}
      notices={<Asking count={asking} />}
      commands={useCommands()}
      {...(about ? { version: t.version(about.version) } : {})}
    >
      <Suspense fallback={<LoadingState />}>
        <Switch>
          <Route path="/printers" component={PrintersPage} />
          {/* No printer can have this for its short name. */}
          <Route path="/printers/~find" component={FindPage} />
          <Route path="/printers/:id">{({ id }) => <PrinterPage key={id} id={decodedPart(id)} />}</Route>
          <Route path="/jobs" component={JobsPage} />
          <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={decodedPart(id)} />}</Route>
          <Route path="/templates" component={TemplatesPage} />
          <Route path="/templates/:id">{({ id }) => <TemplatePage key={id} id={decodedPart(id)} />}</Route>
          <Route path="/origins" component={OriginsPage} />
          <Route path="/certificate" component={CertificatePage} />
          <Route path="/settings" component={SettingsPage} />
          <Route path="/audit" component={AuditPage} />
          <Route path="/log" component={LogPage} />
          <Route path="/help" component={GuidePage} />
          <Route path="/">
            <Redirect to="/printers" replace />
          </Route>
          <Route>
            <NotFoundPage home={{ name: t.toThePrinters, path: "/printers" }} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}

/** What an administrator looks for by its name: printers, templates, and what is done often. */
function useCommands(): Command[] {
  const { data: printers = [] } = useQuery(questions.printers);
  const { data: templates = [] } = useQuery({ ...questions.templates, enabled: useActed() });
  return [
    ...COMMANDS,
    ...printers.map(({ id, name, address }) => ({
      id: `printer ${id}`,
      name,
      about: t.printer(address || id),
      path: `/printers/${encodeURIComponent(id)}`,
    })),
    ...templates.map(({ id, name }) => ({
      id: `template ${id}`,
      name,
      about: t.template(id),
      path: `/templates/${encodeURIComponent(id)}`,
    })),
  ];
}

const useAsking = () => {
  const { data: { pairings = [] } = {} } = useQuery(questions.pairings);
  return pairings.filter(({ approved }) => !approved).length;
};

/** Pages that wait to be let in, told on whichever page the administrator is. */
function Asking({ count: asking }: { count: number }) {
  const [location] = useLocation();
  if (asking === 0 || location === "/origins") return null;
  return (
    <Alert color="pine" icon={<PersonIcon />} role="status" mb="lg">
      {count(asking, t.pagesAskToBeLetIn)}{" "}
      <Anchor component={Link} href="/origins" inherit underline="always">
        {t.decide}
      </Anchor>
    </Alert>
  );
}

function AdminMenu() {
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Text size="sm" fw={550}>
        {t.administrator}
      </Text>
      <SignOutButton signOut={() => session.signOut(orders.signOut)} />
    </Group>
  );
}
