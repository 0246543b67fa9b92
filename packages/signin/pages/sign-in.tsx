import {
  ActionForm,
  ApiError,
  filled,
  SignInFrame,
  tellDone,
  tellFailure,
  useSoonFocused,
} from "@frontdesk/ui";
import { Anchor, Button, Code, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CodeInput } from "./code-input.tsx";
import type { SigninApi } from "./signin-api.ts";
import { t } from "./words/sign-in.ts";

type Step = "address" | "code" | "totp";

/** The form of both codes is one: what was refused at the second step is still said at the first. */
const VERIFY = "verify";

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

  const askForCode = () => {
    setCode("");
    setTotp("");
    setStep("code");
  };
  const sendCode = async () => {
    await api.sendCode(email.trim());
    askForCode();
  };
  const verify = async () => {
    try {
      await api.signIn({
        email: email.trim(),
        code: code.trim(),
        ...(step === "totp" ? { totp: totp.trim() } : {}),
      });
    } catch (error) {
      const refused = error instanceof ApiError ? error.code : "";
      // After too many tries the code from the mail is void, and a new one is asked for.
      if (refused === "invalid_code") askForCode();
      if (refused !== "mfa_required" || step === "totp") throw error;
      setStep("totp");
      return;
    }
    await onSignedIn();
  };
  const startOver = (
    <Button variant="subtle" color="gray" onClick={() => setStep("address")}>
      {t.useAnotherAddress}
    </Button>
  );

  switch (step) {
    case "address":
      return {
        title: t.signIn,
        about: t.typeYourEMailAddressAnd,
        form: (
          <ActionForm action={t.mailMeACode} onSubmit={sendCode} disabled={!email.trim()} fullWidth>
            <AddressField key="email" value={email} onChange={setEmail} />
          </ActionForm>
        ),
      };
    case "code":
      return {
        title: t.checkYourMail,
        about: filled(outbox === undefined ? t.weSentACode : t.theCodeIsInTheOutbox, {
          address: <strong>{email.trim()}</strong>,
          outbox: <Code>{outbox}</Code>,
        }),
        form: (
          <>
            <ActionForm
              key={VERIFY}
              action={t.signIn}
              onSubmit={verify}
              disabled={code.trim().length < 6}
              beside={startOver}
            >
              <CodeInput key="code" label={t.codeFromTheMail} value={code} onChange={setCode} />
            </ActionForm>
            <Text size="sm" c="dimmed">
              {outbox !== undefined ? t.expiredYouCan : t.nothingThereLookInTheSpam}
              <Anchor
                component="button"
                type="button"
                size="sm"
                onClick={() => void sendCode().then(() => tellDone(t.aNewCodeIsOnIts), tellFailure)}
              >
                {t.sendANewCode}
              </Anchor>
              .
            </Text>
          </>
        ),
      };
    case "totp":
      return {
        title: t.oneMoreStep,
        about: t.openYourAuthenticatorAppAnd,
        form: (
          <>
            <ActionForm
              key={VERIFY}
              action={t.signIn}
              onSubmit={verify}
              disabled={totp.trim().length < 6}
              beside={startOver}
            >
              <CodeInput
                key="totp"
                label={t.authenticatorOrRecoveryCode}
                value={totp}
                onChange={setTotp}
                anyText
              />
            </ActionForm>
          </>
        ),
      };
  }
}

function AddressField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      ref={useSoonFocused<HTMLInputElement>()}
      label={t.eMailAddress}
      type="email"
      name="email"
      autoComplete="email"
      placeholder={t.exampleAddress}
      size="md"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}
