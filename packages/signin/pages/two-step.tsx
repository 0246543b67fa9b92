import {
  ActionForm,
  busyProps,
  CopyButton,
  CopyField,
  count,
  Loaded,
  Section,
  tellDone,
  tellFailure,
  useLeaveGuard,
} from "@frontdesk/ui";
import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { DownloadIcon, ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import { useState } from "react";
import { CodeInput } from "./code-input.tsx";
import type { SigninApi } from "./signin-api.ts";
import classes from "./two-step.module.css";
import { t } from "./words/two-step.ts";

const ABOUT = t.afterTheCodeFromTheMail;

/** Two-step sign-in: off, being set up, just turned on, or on. */
export function TwoStepSection({ api }: { api: SigninApi }) {
  const mfa = useQuery(api.mfa);
  const queryClient = useQueryClient();
  const changed = () => queryClient.invalidateQueries({ queryKey: api.mfa.queryKey });
  const [secret, setSecret] = useState<{ secret: string; uri: string }>();
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>();
  const start = useMutation({ mutationFn: api.beginTotp, onSuccess: setSecret, onError: tellFailure });
  return (
    <Section
      title={t.twoStepSignIn}
      about={ABOUT}
      actions={
        mfa.data && (
          <Badge color={mfa.data.enabled ? "pine" : "gray"}>{mfa.data.enabled ? t.on : t.off}</Badge>
        )
      }
    >
      {recoveryCodes ? (
        <RecoveryCodes codes={recoveryCodes} onDone={() => setRecoveryCodes(undefined)} />
      ) : secret ? (
        <SetUp
          {...secret}
          api={api}
          onCancel={() => setSecret(undefined)}
          onDone={async (codes) => {
            setSecret(undefined);
            setRecoveryCodes(codes);
            await changed();
          }}
        />
      ) : (
        <Loaded query={mfa}>
          {({ enabled, recovery_codes_left }) =>
            enabled ? (
              <TurnOff api={api} codesLeft={recovery_codes_left} onDone={changed} />
            ) : (
              <Group>
                <Button onClick={() => !start.isPending && start.mutate()} {...busyProps(start.isPending)}>
                  {t.turnItOn}
                </Button>
              </Group>
            )
          }
        </Loaded>
      )}
    </Section>
  );
}

function SetUp(props: {
  api: SigninApi;
  secret: string;
  uri: string;
  onCancel: () => void;
  onDone: (codes: string[]) => Promise<void>;
}) {
  const [totp, setTotp] = useState("");
  const confirm = async () => {
    const { recovery_codes } = await props.api.confirmTotp(totp);
    await props.onDone(recovery_codes);
  };
  return (
    <div className={classes.setup}>
      <div className={classes.qr}>
        <QRCodeSVG value={props.uri} size={180} marginSize={2} title={t.qrCodeForTheAuthenticator} />
      </div>
      <Stack gap="md" miw={0}>
        <Text size="sm">{t.scanThisWithAnAuthenticator}</Text>
        <CopyField value={props.secret} what={t.theKey} />
        <ActionForm
          action={t.turnItOn}
          onSubmit={confirm}
          secret={t.theRecoveryCodes}
          disabled={totp.length < 6}
          beside={
            <Button variant="subtle" color="gray" onClick={props.onCancel}>
              {t.cancel}
            </Button>
          }
        >
          <CodeInput label={t.codeFromTheApp} value={totp} onChange={setTotp} />
        </ActionForm>
      </Stack>
    </div>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join("\n");
  useLeaveGuard({
    title: t.leaveWithoutTheRecoveryCodes,
    body: t.theyAreShownOnlyNowWithout,
    action: t.leave,
    danger: true,
  });
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(t.frontdeskRecoveryCodesEach(text))}`;
  return (
    <Stack gap="md">
      <Alert icon={<ExclamationTriangleIcon />} color="clay" title={t.keepTheseRecoveryCodes}>
        {t.withoutYourPhoneOneOfThese}
      </Alert>
      <ul className={classes.codes} aria-label={t.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton value={text} what={t.theRecoveryCodes} words={t.copy} />
        <Button
          component="a"
          href={file}
          download="frontdesk-recovery-codes.txt"
          variant="default"
          leftSection={<DownloadIcon />}
        >
          {t.download}
        </Button>
        <Button onClick={onDone}>{t.iHaveKeptThem}</Button>
      </Group>
    </Stack>
  );
}

function TurnOff(props: { api: SigninApi; codesLeft: number; onDone: () => Promise<void> }) {
  const { api, codesLeft, onDone } = props;
  const [open, setOpen] = useState(false);
  const [totp, setTotp] = useState("");
  const turnOff = async () => {
    await api.endTotp(totp.trim());
    await onDone();
    tellDone(t.twoStepSignInIsOff);
  };
  return (
    <Stack gap="md">
      <Text size="sm">
        {codesLeft === 0 ? t.noRecoveryCodesAreLeftTurn : count(codesLeft, t.recoveryCodesAreLeft)}
      </Text>
      {open ? (
        <ActionForm
          action={t.turnItOff}
          danger
          onSubmit={turnOff}
          disabled={totp.trim().length < 6}
          beside={
            <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
              {t.keepItOn}
            </Button>
          }
        >
          <Stack maw="24rem">
            <CodeInput label={t.authenticatorOrRecoveryCode} value={totp} onChange={setTotp} anyText />
          </Stack>
        </ActionForm>
      ) : (
        <Group>
          <Button variant="default" onClick={() => setOpen(true)}>
            {t.turnItOff}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
