import { ActionForm, SignInFrame } from "@frontdesk/ui";
import { Code, PasswordInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { queryClient } from "../session.ts";

export function SignInPage() {
  return (
    <SignInFrame
      service="Print"
      title="Sign in"
      about={
        <>
          With the administrator's token. It is in the file <Code>admin-token</Code> in the bridge's folder,{" "}
          <Code>.frontdesk/print</Code> unless it was moved. You stay signed in for twelve hours.
        </>
      }
    >
      <SignInForm />
    </SignInFrame>
  );
}

export function SignInForm() {
  const [token, setToken] = useState("");
  const signIn = async () => {
    await orders.signIn(token.trim());
    await queryClient.refetchQueries(questions.session);
    await queryClient.invalidateQueries();
  };
  return (
    <ActionForm action="Sign in" onSubmit={signIn} disabled={!token.trim()} fullWidth>
      <PasswordInput
        label="Administrator's token"
        name="token"
        size="md"
        autoComplete="current-password"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
        data-autofocus
        autoFocus
      />
    </ActionForm>
  );
}
