import { behindSignIn, SessionGate } from "@frontdesk/ui";
import { SignInForm, SignInPage } from "./pages/sign-in.tsx";
import { session } from "./session.ts";

const SignedIn = behindSignIn(() => import("./signed-in.tsx").then((part) => part.SignedIn));

export function App() {
  return (
    <SessionGate session={session} signInPage={<SignInPage />} signInForm={<SignInForm />}>
      {(me) => <SignedIn me={me} />}
    </SessionGate>
  );
}
