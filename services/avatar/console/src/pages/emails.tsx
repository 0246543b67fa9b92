import { CodeInput } from "@frontdesk/signin/pages";
import {
  ActionForm,
  ApiError,
  type Column,
  CopyButton,
  DataTable,
  Page,
  Section,
  tellDone,
  useAction,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { Face, useFaceUrl } from "../faces.tsx";
import { changed } from "../session.ts";
import type { Email, Me } from "../shapes.ts";

export function EmailsPage({ me }: { me: Me }) {
  const [confirming, setConfirming] = useState<string>();
  const pending = me.emails.find(({ email, verified }) => email === confirming && !verified);
  return (
    <Page
      title="E-mail addresses"
      intro="Every confirmed address of yours shows the same face. You can sign in with any of them."
    >
      <Section title="Your addresses">
        <Addresses emails={me.emails} onConfirm={setConfirming} />
      </Section>
      {pending ? (
        <ConfirmAddress key={pending.email} email={pending.email} onDone={() => setConfirming(undefined)} />
      ) : (
        <AddAddress onAdded={setConfirming} />
      )}
    </Page>
  );
}

function Addresses({ emails, onConfirm }: { emails: readonly Email[]; onConfirm: (email: string) => void }) {
  const faceUrl = useFaceUrl();
  const columns: Column<Email>[] = [
    {
      title: "Address",
      cell: ({ email, hash, verified, primary }) => (
        <Group gap="sm" wrap="nowrap">
          <Face src={faceUrl({ hash, verified }, 80)} size={36} round />
          <Stack gap={2} miw={0}>
            <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
              {email}
            </Text>
            <Group gap={6}>
              {primary && <Badge size="sm">Primary</Badge>}
              {verified ? (
                !primary && (
                  <Badge size="sm" color="gray">
                    Confirmed
                  </Badge>
                )
              ) : (
                <Badge size="sm" color="clay">
                  Not confirmed yet
                </Badge>
              )}
            </Group>
          </Stack>
        </Group>
      ),
    },
    {
      title: "Hash",
      cell: ({ email, hash }) => (
        <Group gap={4} wrap="nowrap">
          <Code title={hash}>{hash.slice(0, 12)}…</Code>
          <CopyButton value={hash} what={`the hash of ${email}`} />
        </Group>
      ),
    },
    {
      title: "Actions",
      actions: true,
      cell: (email) => <AddressActions email={email} onConfirm={() => onConfirm(email.email)} />,
    },
  ];
  return <DataTable caption="Your addresses" columns={columns} rows={emails} rowKey={({ email }) => email} />;
}

function AddressActions(props: { email: Email; onConfirm: () => void }) {
  const { email, verified, primary } = props.email;
  const makePrimary = useAction(() => orders.makePrimary(email), {
    changes: [questions.me],
    done: `${email} is your primary address now.`,
  });
  const remove = useAction(() => orders.removeEmail(email), {
    ask: {
      title: `Remove ${email}?`,
      body: verified
        ? "It no longer shows your face and you can no longer sign in with it. You can add it again later."
        : "It was not confirmed yet. You can add it again later.",
      action: "Remove it",
      danger: true,
    },
    changes: [questions.me],
    done: `${email} is removed.`,
  });
  if (primary) return null;
  return (
    <Group gap="xs">
      {verified ? (
        <Button size="xs" variant="default" aria-label={`Make primary: ${email}`} {...makePrimary}>
          Make primary
        </Button>
      ) : (
        <Button size="xs" aria-label={`Confirm ${email}`} onClick={props.onConfirm}>
          Confirm
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" aria-label={`Remove ${email}`} {...remove}>
        Remove
      </Button>
    </Group>
  );
}

function AddAddress({ onAdded }: { onAdded: (email: string) => void }) {
  const [typed, setTyped] = useState("");
  const add = async () => {
    const { email } = await orders.addEmail(typed.trim());
    await changed(questions.me);
    if (email.verified) tellDone(`${email.email} is already yours.`);
    else onAdded(email.email);
    setTyped("");
  };
  return (
    <Section title="Add an address" about="We mail a code to it, to be sure that it is yours.">
      <ActionForm action="Mail me a code" onSubmit={add} disabled={!typed.trim()}>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="email"
          maw="24rem"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ActionForm>
    </Section>
  );
}

function ConfirmAddress({ email, onDone }: { email: string; onDone: () => void }) {
  const [code, setCode] = useState("");
  const [totp, setTotp] = useState("");
  const [needsTotp, setNeedsTotp] = useState(false);
  const verify = async () => {
    try {
      await orders.verifyEmail({ email, code, ...(needsTotp ? { totp: totp.trim() } : {}) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "mfa_required" || needsTotp) throw error;
      setNeedsTotp(true);
      return;
    }
    await changed(questions.me);
    tellDone(`${email} is confirmed and shows your face now.`);
    onDone();
  };
  const again = useAction(() => orders.addEmail(email), { done: "A new code is on its way." });
  return (
    <Section
      title={`Confirm ${email}`}
      about={
        needsTotp
          ? "Two-step sign-in is on, so this needs a code from your authenticator app as well."
          : "Type the six-digit code from the mail we sent there. It is good for ten minutes."
      }
    >
      <ActionForm
        action="Confirm"
        onSubmit={verify}
        disabled={code.length < 6 || (needsTotp && totp.trim().length < 6)}
        beside={
          <>
            <Button variant="default" {...again}>
              Send a new code
            </Button>
            <Button variant="subtle" color="gray" onClick={onDone}>
              Later
            </Button>
          </>
        }
      >
        <Stack gap="md" maw="24rem">
          {needsTotp ? (
            <CodeInput
              key="totp"
              label="Authenticator or recovery code"
              value={totp}
              onChange={setTotp}
              anyText
            />
          ) : (
            <CodeInput key="code" label="Code from the mail" value={code} onChange={setCode} />
          )}
        </Stack>
      </ActionForm>
    </Section>
  );
}
