import { SignInForm, SignInPage } from "@frontdesk/signin/pages";
import { behindSignIn, SessionGate } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import { questions, signin } from "./api.ts";
import { session, startSession } from "./session.ts";
import { t } from "./words/frame.ts";

const SignedIn = behindSignIn(() => import("./signed-in.tsx").then((part) => part.SignedIn));

export function App() {
  const { data: config } = useQuery(questions.config);
  const outbox = config?.mail === "outbox" ? "avatar/outbox" : undefined;
  const signIn = { api: signin, outbox, onSignedIn: startSession };
  return (
    <SessionGate
      session={session}
      signInPage={<SignInPage service={t.avatar} {...signIn} />}
      signInForm={<SignInForm {...signIn} />}
    >
      {(me) => <SignedIn me={me} />}
    </SessionGate>
  );
}
