import { ActionForm, ApiError, SignInFrame, tellDone, tellFailure } from "@frontdesk/ui";
import { Anchor, Button, Code, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CodeInput } from "./code-input.tsx";
import type { SigninApi } from "./signin-api.ts";

type Step = "address" | "code" | "totp";

interface Question {
  readonly title: string;
  readonly about: ReactNode;
  readonly form: ReactNode;
}

export interface SignInProps {
  readonly api: SigninApi;
  /** Where mails lie, if the server sends none. */
  readonly outbox: string | undefined;
  /** A session has begun: asks anew who that is. */
  readonly onSignedIn: () => Promise<unknown>;
}

/** The page before all others. */
export function SignInPage({ service, ...props }: SignInProps & { service: string }) {
  const { title, about, form } = useSignIn(props);
  return (
    <SignInFrame service={service} title={title} about={about}>
      {form}
    </SignInFrame>
  );
}

/** The same questions over a page whose session has ended. */
export function SignInForm(props: SignInProps) {
  const { about, form } = useSignIn(props);
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {about}
      </Text>
      {form}
    </Stack>
  );
}

/** Three short questions at most: who, the code from the mail, the code from the authenticator. */
function useSignIn({ api, outbox, onSignedIn }: SignInProps): Question {
  const [step, setStep] = useState<Step>("address");
  const [email, setEmail] = useState("");
  const [code, setCode] = useState("");
  const [totp, setTotp] = useState("");

  const sendCode = async () => {
    await api.sendCode(email.trim());
    setCode("");
    setStep("code");
  };
  const verify = async () => {
    try {
      await api.signIn({
        email: email.trim(),
        code: code.trim(),
        ...(step === "totp" ? { totp: totp.trim() } : {}),
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "mfa_required" || step === "totp") throw error;
      setStep("totp");
      return;
    }
    await onSignedIn();
  };
  const startOver = (
    <Button variant="subtle" color="gray" onClick={() => setStep("address")}>
      Use another address
    </Button>
  );

  switch (step) {
    case "address":
      return {
        title: "Sign in",
        about: "Type your e-mail address and we will mail you a code. There is no password.",
        form: (
          <ActionForm action="Mail me a code" onSubmit={sendCode} disabled={!email.trim()} fullWidth>
            <TextInput
              key="email"
              label="E-mail address"
              type="email"
              name="email"
              autoComplete="email"
              placeholder="you@example.org"
              size="md"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              data-autofocus
              autoFocus
            />
          </ActionForm>
        ),
      };
    case "code":
      return {
        title: "Check your mail",
        about:
          outbox !== undefined ? (
            <>
              This server sends no mail. The six-digit code for <strong>{email.trim()}</strong> lies as a file
              in its outbox folder, <Code>{outbox}</Code> under FRONTDESK_HOME: whoever runs it can read it to
              you. It is good for ten minutes.
            </>
          ) : (
            <>
              We sent a six-digit code to <strong>{email.trim()}</strong>. It is good for ten minutes.
            </>
          ),
        form: (
          <>
            <ActionForm
              action="Sign in"
              onSubmit={verify}
              disabled={code.trim().length < 6}
              beside={startOver}
            >
              <CodeInput key="code" label="Code from the mail" value={code} onChange={setCode} />
            </ActionForm>
            <Text size="sm" c="dimmed">
              {outbox !== undefined ? "Expired? You can " : "Nothing there? Look in the spam folder, or "}
              <Anchor
                component="button"
                type="button"
                size="sm"
                onClick={() => void sendCode().then(() => tellDone("A new code is on its way."), tellFailure)}
              >
                send a new code
              </Anchor>
              .
            </Text>
          </>
        ),
      };
    case "totp":
      return {
        title: "One more step",
        about:
          "Open your authenticator app and type the code it shows for this site. Without the phone, a recovery code will do.",
        form: (
          <ActionForm action="Sign in" onSubmit={verify} disabled={totp.trim().length < 6} beside={startOver}>
            <CodeInput
              key="totp"
              label="Authenticator or recovery code"
              value={totp}
              onChange={setTotp}
              anyText
            />
          </ActionForm>
        ),
      };
  }
}
