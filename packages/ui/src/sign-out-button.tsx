import { ActionIcon } from "@mantine/core";
import { ExitIcon } from "@radix-ui/react-icons";
import { useAction } from "./action.ts";
import type { Ask } from "./confirm.tsx";
import { hasDrafts } from "./drafts.ts";
import { mayLeave } from "./leave-guard.ts";
import { tip } from "./tips.tsx";
import { t } from "./words/frame.ts";

/** The way out, beside who is signed in. Drafts are forgotten with the session, so where there are any it asks. */
export function SignOutButton({ signOut }: { signOut: () => Promise<unknown> }) {
  const ask = async (confirm: Ask) => {
    if (!(await mayLeave("session"))) return false;
    return (
      !hasDrafts() ||
      confirm({
        title: t.signOutAndDiscardWhatIs,
        body: t.thereAreChangesThatYouHave,
        action: t.signOut,
        danger: true,
      })
    );
  };
  const leave = useAction(signOut, { ask });
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.signOut} {...tip(t.signOut)} {...leave}>
      <ExitIcon />
    </ActionIcon>
  );
}
