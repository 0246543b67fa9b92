import { type Destination, ErrorState, LoadingState, Shell } from "@frontdesk/ui";
import { Center } from "@mantine/core";
import {
  BarChartIcon,
  CameraIcon,
  CodeIcon,
  EnvelopeClosedIcon,
  HomeIcon,
  LockClosedIcon,
  MagicWandIcon,
  UploadIcon,
} from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { questions } from "./api.ts";
import { WorkbenchProvider } from "./editor/workbench.tsx";
import { HomePage } from "./pages/home.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { PersonMenu } from "./person-menu.tsx";
import type { Me } from "./shapes.ts";

const EditorPage = lazy(() => import("./pages/editor.tsx").then((page) => ({ default: page.EditorPage })));
const UploadPage = lazy(() => import("./pages/upload.tsx").then((page) => ({ default: page.UploadPage })));
const PhotoPage = lazy(() => import("./pages/photo.tsx").then((page) => ({ default: page.PhotoPage })));
const EmailsPage = lazy(() => import("./pages/emails.tsx").then((page) => ({ default: page.EmailsPage })));
const SecurityPage = lazy(() =>
  import("./pages/security.tsx").then((page) => ({ default: page.SecurityPage })),
);
const UsePage = lazy(() => import("./pages/use.tsx").then((page) => ({ default: page.UsePage })));
const AdminPage = lazy(() => import("./pages/admin.tsx").then((page) => ({ default: page.AdminPage })));

export function App() {
  const me = useQuery(questions.me);
  if (me.data) return <SignedIn me={me.data} />;
  if (me.data === null) return <SignInPage />;
  return (
    <Center mih="100vh" p="md" component="main">
      {me.error ? <ErrorState error={me.error} retry={() => void me.refetch()} /> : <LoadingState />}
    </Center>
  );
}

function SignedIn({ me }: { me: Me }) {
  const { data: config } = useQuery(questions.config);
  return (
    <WorkbenchProvider me={me}>
      <Shell
        service="Avatar"
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
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </Suspense>
      </Shell>
    </WorkbenchProvider>
  );
}

function destinations({ vision, admin }: { vision: boolean; admin: boolean }): Destination[] {
  return [
    { path: "/", name: "Your face", icon: <HomeIcon /> },
    { path: "/editor", name: "Design", icon: <MagicWandIcon /> },
    { path: "/upload", name: "Upload a picture", icon: <UploadIcon /> },
    ...(vision ? [{ path: "/photo", name: "From a photo", icon: <CameraIcon /> }] : []),
    { path: "/use", name: "Use it", icon: <CodeIcon /> },
    { path: "/emails", name: "E-mail addresses", icon: <EnvelopeClosedIcon /> },
    { path: "/security", name: "Account and security", icon: <LockClosedIcon /> },
    ...(admin ? [{ path: "/admin", name: "Administration", icon: <BarChartIcon /> }] : []),
  ];
}
