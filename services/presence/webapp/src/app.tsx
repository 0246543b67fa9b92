import { SignInForm, SignInPage } from "@frontdesk/signin/pages";
import { ApiError, behindSignIn, LoadingState, lazyPage, SessionGate, SignInFrame } from "@frontdesk/ui";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { Route, Switch } from "wouter";
import { questions, signin } from "./api.ts";
import { forgetBoards } from "./kept-board.ts";
import { session, startSession } from "./session.ts";
import type { Me } from "./shapes.ts";
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
  const me = useQuery(questions.me);
  const lastMe = useRef<Me>(undefined);
  if (me.data) lastMe.current = me.data;
  const { data: config } = useQuery(questions.config);
  const left = session.useHasLeft();
  const isNobody = me.data === null;
  useEffect(() => {
    if (isNobody) void forgetBoards();
  }, [isNobody]);
  const isAway = me.data === undefined && me.error instanceof ApiError && me.error.status === 0;
  if (isAway && !lastMe.current) {
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
      identity={me.data === undefined ? undefined : (me.data?.email ?? null)}
      left={left}
      error={me.error}
      retry={() => void me.refetch()}
      signInPage={config?.firstRun ? <NothingSetUp /> : <SignInPage service={t.presence} {...signIn} />}
      signInForm={<SignInForm {...signIn} />}
    >
      {lastMe.current && (
        <Suspense fallback={<LoadingState />}>
          <SignedIn me={lastMe.current} />
        </Suspense>
      )}
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
