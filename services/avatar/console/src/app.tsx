import { SignInForm, SignInPage } from "@frontdesk/signin/pages";
import { behindSignIn, LoadingState, SessionGate } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useRef } from "react";
import { questions, signin } from "./api.ts";
import { session, startSession } from "./session.ts";
import type { Me } from "./shapes.ts";
import { t } from "./words/frame.ts";

const SignedIn = behindSignIn(() => import("./signed-in.tsx").then((part) => part.SignedIn));

export function App() {
  const me = useQuery(questions.me);
  const lastMe = useRef<Me>(undefined);
  if (me.data) lastMe.current = me.data;
  const { data: config } = useQuery(questions.config);
  const outbox = config?.mail === "outbox" ? "avatar/outbox" : undefined;
  const signIn = { api: signin, outbox, onSignedIn: startSession };
  return (
    <SessionGate
      identity={me.data === undefined ? undefined : (me.data?.user.id ?? null)}
      left={session.useHasLeft()}
      error={me.error}
      retry={() => void me.refetch()}
      signInPage={<SignInPage service={t.avatar} {...signIn} />}
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
