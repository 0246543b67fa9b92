import { Center, Text } from "@mantine/core";
import { type ReactNode, Suspense, useState } from "react";
import { ConfirmProvider } from "./confirm.tsx";
import { IsShown } from "./is-shown.ts";
import { LateDialog } from "./late-dialog.tsx";
import type { Session } from "./session.ts";
import { ErrorState, LoadingState } from "./states.tsx";
import { t } from "./words/frame.ts";

/**
 * Shows a console to whoever is signed in, and the way in to whoever is not. When a session ends while somebody works,
 * the way in comes over the page: what was typed is still there afterwards, if the same person signs in again.
 */
export function SessionGate<Identity>(props: {
  session: Session<Identity>;
  signInPage: ReactNode;
  /** The same without the frame around it. */
  signInForm: ReactNode;
  /** The console of whoever is signed in, or was until the session ended. */
  children: (identity: Identity) => ReactNode;
}) {
  const { session } = props;
  const { data, error, refetch } = session.useIdentity();
  // Signed out by themselves: nothing is to be kept for them.
  const left = session.useHasLeft();
  const [known, setKnown] = useState<Identity>();
  if (data && data !== known) setKnown(data);
  if (data === null && left && known !== undefined) setKnown(undefined);
  if (data === undefined && known === undefined) {
    return (
      <Center mih="100vh" p="md" component="main">
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <LoadingState />}
      </Center>
    );
  }
  if (known === undefined || (data === null && left)) return props.signInPage;
  return (
    <>
      {/* Kept, so that nothing typed is lost, but seen by nobody who has not signed in again. */}
      <div key={session.who(known)} hidden={data === null}>
        <IsShown value={data !== null}>
          {/* What the page asks is hidden with it. */}
          <ConfirmProvider>
            <Suspense fallback={<LoadingState />}>{props.children(known)}</Suspense>
          </ConfirmProvider>
        </IsShown>
      </div>
      <LateDialog
        opened={data === null}
        onClose={() => {}}
        closeOnEscape={false}
        closeOnClickOutside={false}
        withCloseButton={false}
        title={t.signInAgain}
        overlayProps={{ backgroundOpacity: 0.6 }}
      >
        <Text size="sm" mb="lg">
          {t.yourSessionHasEndedWhatYou}
        </Text>
        {props.signInForm}
      </LateDialog>
    </>
  );
}
