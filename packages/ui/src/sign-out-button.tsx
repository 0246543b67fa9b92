import { ActionIcon } from "@mantine/core";
import { ExitIcon } from "@radix-ui/react-icons";
import { useAction } from "./action.ts";
import { tip } from "./tips.tsx";

/** The way out, beside who is signed in. */
export function SignOutButton({ signOut, left }: { signOut: () => Promise<unknown>; left: () => void }) {
  const leave = useAction(signOut, { after: left });
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Sign out" {...tip("Sign out")} {...leave}>
      <ExitIcon />
    </ActionIcon>
  );
}
