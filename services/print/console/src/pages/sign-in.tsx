import { ActionForm, filled, SignInFrame, useSoonFocused } from "@frontdesk/ui";
import { Code, PasswordInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { queryClient } from "../session.ts";
import { t } from "../words/frame.ts";

export function SignInPage() {
  return (
    <SignInFrame
      service={t.print}
      title={t.signIn}
      about={filled(t.withTheAdministratorsToken, {
        file: <Code>admin-token</Code>,
        folder: <Code>.frontdesk/print</Code>,
      })}
    >
      <SignInForm />
    </SignInFrame>
  );
}

export function SignInForm() {
  const [token, setToken] = useState("");
  const field = useSoonFocused<HTMLInputElement>();
  const signIn = async () => {
    await orders.signIn(token.trim());
    await queryClient.refetchQueries(questions.session);
    await queryClient.invalidateQueries();
  };
  return (
    <ActionForm action={t.signIn} onSubmit={signIn} disabled={!token.trim()} fullWidth>
      <PasswordInput
        label={t.administratorsToken}
        name="token"
        size="md"
        autoComplete="current-password"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": t.showTheToken }}
        ref={field}
        data-autofocus
      />
    </ActionForm>
  );
}
