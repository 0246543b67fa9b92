import { ActionForm, filled, SignInFrame } from "@frontdesk/ui";
import { Code, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { queryClient } from "../session.ts";
import { t } from "../words/frame.ts";

export function SignInPage() {
  return (
    <SignInFrame service={t.lease} title={t.signIn} about={filled(t.whoYouAre, { user: <Code>admin</Code> })}>
      <SignInForm />
    </SignInFrame>
  );
}

export function SignInForm() {
  const [username, setUsername] = useState("");
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
          data-autofocus
          autoFocus
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
