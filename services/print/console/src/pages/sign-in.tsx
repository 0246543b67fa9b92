import { ActionForm, Brand, ColorSchemeSwitch } from "@frontdesk/ui";
import { Code, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { orders, questions } from "../api.ts";
import { changed } from "../session.ts";
import classes from "./sign-in.module.css";

export function SignInPage() {
  const [token, setToken] = useState("");
  useEffect(() => {
    document.title = "Sign in · Frontdesk";
  }, []);
  const signIn = async () => {
    await orders.signIn(token.trim());
    await changed(questions.session);
  };
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <Brand service="Print" />
        <Paper withBorder p={{ base: "lg", xs: 32 }} className={classes.card} shadow="sm">
          <Stack gap="lg">
            <Stack gap={6}>
              <Title order={1} fz="1.5rem">
                Sign in
              </Title>
              <Text c="dimmed" size="sm">
                With the administrator's token. It is in the file <Code>admin-token</Code> in the bridge's
                folder, <Code>.frontdesk/print</Code> unless it was moved. You stay signed in for twelve
                hours.
              </Text>
            </Stack>
            <ActionForm action="Sign in" onSubmit={signIn} disabled={!token.trim()} fullWidth>
              <PasswordInput
                label="Administrator's token"
                name="token"
                size="md"
                autoComplete="current-password"
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
                autoFocus
              />
            </ActionForm>
          </Stack>
        </Paper>
        <div className={classes.scheme}>
          <ColorSchemeSwitch />
        </div>
      </div>
    </main>
  );
}
