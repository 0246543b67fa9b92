import { behindSignIn, LoadingState, SessionGate } from "@frontdesk/ui";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { questions } from "./api.ts";
import { SignInForm, SignInPage } from "./pages/sign-in.tsx";
import { session } from "./session.ts";

const SignedIn = behindSignIn(() => import("./signed-in.tsx").then((part) => part.SignedIn));

export function App() {
  const identity = useQuery(questions.session);
  return (
    <SessionGate
      identity={identity.data}
      left={session.useHasLeft()}
      error={identity.error}
      retry={() => void identity.refetch()}
      signInPage={<SignInPage />}
      signInForm={<SignInForm />}
    >
      <Suspense fallback={<LoadingState />}>
        <SignedIn />
      </Suspense>
    </SessionGate>
  );
}
