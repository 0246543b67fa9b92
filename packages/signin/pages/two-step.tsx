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

const ABOUT = "After the code from the mail you are also asked for one from an app on your phone.";

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
      title="Two-step sign-in"
      about={ABOUT}
      actions={
        mfa.data && (
          <Badge color={mfa.data.enabled ? "pine" : "gray"}>{mfa.data.enabled ? "On" : "Off"}</Badge>
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
                  Turn it on
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
        <QRCodeSVG value={props.uri} size={180} marginSize={2} title="QR code for the authenticator app" />
      </div>
      <Stack gap="md" miw={0}>
        <Text size="sm">
          Scan this with an authenticator app (any will do), then type the code that it shows. Cannot scan?
          Give the app this key:
        </Text>
        <CopyField value={props.secret} what="the key" />
        <ActionForm
          action="Turn it on"
          onSubmit={confirm}
          disabled={totp.length < 6}
          beside={
            <Button variant="subtle" color="gray" onClick={props.onCancel}>
              Cancel
            </Button>
          }
        >
          <CodeInput label="Code from the app" value={totp} onChange={setTotp} />
        </ActionForm>
      </Stack>
    </div>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join("\n");
  useLeaveGuard({
    title: "Leave without the recovery codes?",
    body: "They are shown only now. Without them and without your phone you cannot sign in.",
    action: "Leave",
    danger: true,
  });
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Frontdesk recovery codes, each good once:\n\n${text}\n`)}`;
  return (
    <Stack gap="md">
      <Alert icon={<ExclamationTriangleIcon />} color="clay" title="Keep these recovery codes">
        Without your phone, one of these lets you in. Each works once. They are shown only now.
      </Alert>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <CopyButton value={text} what="the recovery codes" words="Copy" />
        <Button
          component="a"
          href={file}
          download="frontdesk-recovery-codes.txt"
          variant="default"
          leftSection={<DownloadIcon />}
        >
          Download
        </Button>
        <Button onClick={onDone}>I have kept them</Button>
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
    tellDone("Two-step sign-in is off.");
  };
  return (
    <Stack gap="md">
      <Text size="sm">
        {codesLeft === 0
          ? "No recovery codes are left. Turn it off and on again to get new ones."
          : count(codesLeft, { one: "# recovery code is left.", other: "# recovery codes are left." })}
      </Text>
      {open ? (
        <ActionForm
          action="Turn it off"
          danger
          onSubmit={turnOff}
          disabled={totp.trim().length < 6}
          beside={
            <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
              Keep it on
            </Button>
          }
        >
          <Stack maw="24rem">
            <CodeInput label="Authenticator or recovery code" value={totp} onChange={setTotp} anyText />
          </Stack>
        </ActionForm>
      ) : (
        <Group>
          <Button variant="default" onClick={() => setOpen(true)}>
            Turn it off
          </Button>
        </Group>
      )}
    </Stack>
  );
}
