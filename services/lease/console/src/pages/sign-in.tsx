import { ActionForm, CopyField, filled, SignInFrame, useLeaveGuard, useSoonFocused } from "@frontdesk/ui";
import { Code, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { firstPassword } from "../first-password.ts";
import { queryClient } from "../session.ts";
import { t } from "../words/frame.ts";

export function SignInPage() {
  return (
    <SignInFrame
      service={t.lease}
      title={t.signIn}
      about={filled(firstPassword.shown ? t.firstUser : t.whoYouAre, { user: <Code>admin</Code> })}
    >
      {firstPassword.shown && (
        <Stack gap={4} mb="md">
          <Text size="sm">{t.newPassword}</Text>
          <CopyField value={firstPassword.shown} what={t.thePassword} />
          <PasswordGuard />
        </Stack>
      )}
      <SignInForm />
    </SignInFrame>
  );
}

/** It is told nowhere else, and a reload would take it along. */
function PasswordGuard() {
  useLeaveGuard({ title: t.leaveWithoutIt, body: t.itIsShownOnlyNow, action: t.leave, danger: true });
  return null;
}

export function SignInForm() {
  const [username, setUsername] = useState("");
  const field = useSoonFocused<HTMLInputElement>();
  const [password, setPassword] = useState("");
  const signIn = async () => {
    await orders.signIn(username.trim(), password);
    await queryClient.refetchQueries(questions.me);
    await queryClient.invalidateQueries();
  };
  return (
    <ActionForm action={t.signIn} onSubmit={signIn} disabled={!username.trim() || !password} fullWidth>
      <Stack>
        <TextInput
          label={t.userName}
          name="username"
          size="md"
          autoComplete="username"
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          ref={field}
          data-autofocus
        />
        <PasswordInput
          label={t.password}
          name="password"
          size="md"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": t.showThePassword }}
        />
      </Stack>
    </ActionForm>
  );
}
