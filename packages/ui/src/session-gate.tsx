import { Center, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { IsShown } from "./is-shown.ts";
import { LateDialog } from "./late-dialog.tsx";
import { ErrorState, LoadingState } from "./states.tsx";
import { t } from "./words/frame.ts";

/**
 * Shows a console to whoever is signed in, and the way in to whoever is not. When a session ends while somebody works,
 * the way in comes over the page: what was typed is still there afterwards, if the same person signs in again.
 */
export function SessionGate(props: {
  /** Who is signed in; null: nobody; undefined: not known yet. */
  identity: string | null | undefined;
  /** Whether the person signed out themselves, so that nothing is to be kept for them. */
  left: boolean;
  error: unknown;
  retry: () => void;
  signInPage: ReactNode;
  /** The same without the frame around it. */
  signInForm: ReactNode;
  children: ReactNode;
}) {
  const { identity, left, error, retry } = props;
  const [known, setKnown] = useState<string>();
  if (identity && identity !== known) setKnown(identity);
  if (identity === null && left && known !== undefined) setKnown(undefined);
  if (identity === undefined && known === undefined) {
    return (
      <Center mih="100vh" p="md" component="main">
        {error ? <ErrorState error={error} retry={retry} /> : <LoadingState />}
      </Center>
    );
  }
  if (known === undefined || (identity === null && left)) return props.signInPage;
  return (
    <>
      {/* Kept, so that nothing typed is lost, but seen by nobody who has not signed in again. */}
      <div key={known} hidden={identity === null}>
        <IsShown value={identity !== null}>{props.children}</IsShown>
      </div>
      <LateDialog
        opened={identity === null}
        onClose={() => {}}
        closeOnEscape={false}
        closeOnClickOutside={false}
        withCloseButton={false}
        title={t.signInAgain}
        overlayProps={{ backgroundOpacity: 0.6, blur: 12 }}
      >
        <Text size="sm" mb="lg">
          {t.yourSessionHasEndedWhatYou}
        </Text>
        {props.signInForm}
      </LateDialog>
    </>
  );
}
