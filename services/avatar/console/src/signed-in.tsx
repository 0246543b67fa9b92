import { type Destination, LoadingState, lazyPage, NotFoundPage, Shell } from "@frontdesk/ui";
import { GuidePage } from "@frontdesk/ui/guide-page";
import {
  BarChartIcon,
  CameraIcon,
  CodeIcon,
  EnvelopeClosedIcon,
  HomeIcon,
  LockClosedIcon,
  MagicWandIcon,
  QuestionMarkCircledIcon,
  UploadIcon,
} from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { questions } from "./api.ts";
import { WorkbenchProvider } from "./editor/workbench.tsx";
import { HomePage } from "./pages/home.tsx";
import { PersonMenu } from "./person-menu.tsx";
import type { Me } from "./shapes.ts";
import { t } from "./words/frame.ts";

const EditorPage = lazyPage(() => import("./pages/editor.tsx").then((page) => page.EditorPage));
const UploadPage = lazyPage(() => import("./pages/upload.tsx").then((page) => page.UploadPage));
const PhotoPage = lazyPage(() => import("./pages/photo.tsx").then((page) => page.PhotoPage));
const EmailsPage = lazyPage(() => import("./pages/emails.tsx").then((page) => page.EmailsPage));
const SecurityPage = lazyPage(() => import("./pages/security.tsx").then((page) => page.SecurityPage));
const UsePage = lazyPage(() => import("./pages/use.tsx").then((page) => page.UsePage));
const AdminPage = lazyPage(() => import("./pages/admin.tsx").then((page) => page.AdminPage));

/** All of the console that is behind the page to sign in. */
export function SignedIn({ me }: { me: Me }) {
  const { data: config } = useQuery(questions.config);
  return (
    <WorkbenchProvider me={me}>
      <Shell
        service={t.avatar}
        destinations={destinations({ vision: config?.vision ?? false, admin: me.is_admin })}
        person={<PersonMenu me={me} />}
      >
        <Suspense fallback={<LoadingState />}>
          <Switch>
            <Route path="/">
              <HomePage me={me} />
            </Route>
            <Route path="/editor" component={EditorPage} />
            <Route path="/upload" component={UploadPage} />
            <Route path="/photo" component={PhotoPage} />
            <Route path="/emails">
              <EmailsPage me={me} />
            </Route>
            <Route path="/use">
              <UsePage me={me} />
            </Route>
            <Route path="/security">
              <SecurityPage me={me} />
            </Route>
            {me.is_admin && (
              <Route path="/admin">
                <AdminPage me={me} />
              </Route>
            )}
            <Route path="/help" component={GuidePage} />
            <Route path="/sign-in">
              <Redirect to="/" replace />
            </Route>
            <Route>
              <NotFoundPage home={{ name: t.toYourFace, path: "/" }} />
            </Route>
          </Switch>
        </Suspense>
      </Shell>
    </WorkbenchProvider>
  );
}

function destinations({ vision, admin }: { vision: boolean; admin: boolean }): Destination[] {
  return [
    { path: "/", name: t.yourFace, icon: <HomeIcon /> },
    { path: "/editor", name: t.design, icon: <MagicWandIcon /> },
    { path: "/upload", name: t.uploadAPicture, icon: <UploadIcon /> },
    ...(vision ? [{ path: "/photo", name: t.fromAPhoto, icon: <CameraIcon /> }] : []),
    { path: "/use", name: t.useIt, icon: <CodeIcon /> },
    { path: "/emails", name: t.eMailAddresses, icon: <EnvelopeClosedIcon /> },
    { path: "/security", name: t.accountAndSecurity, icon: <LockClosedIcon /> },
    ...(admin ? [{ path: "/admin", name: t.administration, icon: <BarChartIcon /> }] : []),
    { path: "/help", name: t.help, icon: <QuestionMarkCircledIcon /> },
  ];
}
