import { SignInForm, SignInPage } from "@frontdesk/signin/pages";
import { behindSignIn, connection, LoadingState, lazyPage, SessionGate, SignInFrame } from "@frontdesk/ui";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useSyncExternalStore } from "react";
import { Route, Switch } from "wouter";
import { questions, signin } from "./api.ts";
import { forgetBoards } from "./kept-board.ts";
import { isServerAway } from "./server-away.ts";
import { session, startSession } from "./session.ts";
import { t } from "./words/frame.ts";

const SignedIn = behindSignIn(() => import("./signed-in.tsx").then((part) => part.SignedIn));
const OfflineBoard = behindSignIn(() => import("./signed-in.tsx").then((part) => part.OfflineBoard));
const FirstRunPage = lazyPage(() => import("./pages/first-run.tsx").then((page) => page.FirstRunPage));
const SharedPage = lazyPage(() => import("./pages/shared.tsx").then((page) => page.SharedPage));

export function App() {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        <Route path="/s/:token">{({ token }) => <SharedPage key={token} token={token} />}</Route>
        <Route path="/first-run" component={FirstRunPage} />
        <Route component={Members} />
      </Switch>
    </Suspense>
  );
}

/** All that is for people who belong to an organisation. */
function Members() {
  const me = session.useIdentity();
  const { data: config } = useQuery(questions.config);
  const isNobody = me.data === null;
  useEffect(() => {
    if (isNobody) void forgetBoards();
  }, [isNobody]);
  const isUnanswered = useSyncExternalStore(connection.subscribe, connection.isUnanswered);
  if (isServerAway(me, isUnanswered)) {
    return (
      <Suspense fallback={<LoadingState />}>
        <OfflineBoard error={me.error} retry={() => void me.refetch()} />
      </Suspense>
    );
  }
  const outbox = config?.mail === "outbox" ? "presence/outbox" : undefined;
  const signIn = { api: signin, outbox, onSignedIn: startSession };
  return (
    <SessionGate
      session={session}
      signInPage={config?.firstRun ? <NothingSetUp /> : <SignInPage service={t.presence} {...signIn} />}
      signInForm={<SignInForm {...signIn} />}
    >
      {(known) => <SignedIn me={known} />}
    </SessionGate>
  );
}

function NothingSetUp() {
  return (
    <SignInFrame service={t.presence} title={t.nothingIsSetUpYet} about={t.openTheOneTimeLink}>
      <Text size="sm">{t.iHaveTheLink}</Text>
      <Button variant="default" onClick={() => window.location.reload()}>
        {t.reload}
      </Button>
    </SignInFrame>
  );
}
