import { ActionForm, LateDialog, tellDone, useOpening } from "@frontdesk/ui";
import { Button, PasswordInput, Text } from "@mantine/core";
import { useState } from "react";
import { orders } from "./api.ts";
import { t } from "./words/users.ts";

const MIN_PASSWORD = 10;

/** Everybody's own password, beside their name. */
export function OwnPassword() {
  const { opened, open, close } = useOpening();
  return (
    <>
      <Button size="compact-xs" variant="subtle" px={0} onClick={open}>
        {t.ownPassword}
      </Button>
      <LateDialog opened={opened} onClose={close} title={t.ownPassword}>
        <PasswordForm done={close} />
      </LateDialog>
    </>
  );
}

function PasswordForm({ done }: { done: () => void }) {
  const [password, setPassword] = useState("");
  const [next, setNext] = useState("");
  const change = async () => {
    await orders.changePassword({ password, new_password: next });
    tellDone(t.yourPasswordIsChanged);
    done();
  };
  return (
    <ActionForm action={t.changeIt} onSubmit={change} disabled={!password || next.length < MIN_PASSWORD}>
      <Text size="sm">{t.otherSessionsEnd}</Text>
      <PasswordInput
        label={t.currentPassword}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": t.showThePassword }}
        data-autofocus
      />
      <PasswordInput
        label={t.newPassword}
        description={t.atLeast}
        autoComplete="new-password"
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": t.showThePassword }}
      />
    </ActionForm>
  );
}
