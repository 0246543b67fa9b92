import { CodeInput } from "@frontdesk/signin/pages";
import {
  ActionForm,
  ApiError,
  type Column,
  CopyButton,
  DataTable,
  emptied,
  Page,
  Section,
  tellDone,
  useAction,
  useIsMounted,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { Face, useFaceUrl } from "../faces.tsx";
import { changed } from "../session.ts";
import type { Email, Me } from "../shapes.ts";
import { t } from "../words/emails.ts";

export function EmailsPage({ me }: { me: Me }) {
  const [confirming, setConfirming] = useState<string>();
  const pending = me.emails.find(({ email, verified }) => email === confirming && !verified);
  return (
    <Page title={t.eMailAddresses} intro={t.everyConfirmedAddressOfYours}>
      <Section title={t.yourAddresses}>
        <Addresses emails={me.emails} onConfirm={setConfirming} />
      </Section>
      {pending ? (
        <ConfirmAddress
          key={pending.email}
          email={pending.email}
          onDone={() => setConfirming((now) => (now === pending.email ? undefined : now))}
        />
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
      title: t.address,
      cell: ({ email, hash, verified, primary }) => (
        <Group gap="sm" wrap="nowrap">
          <Face src={faceUrl({ hash, verified }, 80)} size={36} round />
          <Stack gap={2} miw={0}>
            <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
              {email}
            </Text>
            <Group gap={6}>
              {primary && <Badge size="sm">{t.primary}</Badge>}
              {verified ? (
                !primary && (
                  <Badge size="sm" color="gray">
                    {t.confirmed}
                  </Badge>
                )
              ) : (
                <Badge size="sm" color="clay">
                  {t.notConfirmedYet}
                </Badge>
              )}
            </Group>
          </Stack>
        </Group>
      ),
    },
    {
      title: t.hash,
      cell: ({ email, hash }) => (
        <Group gap={4} wrap="nowrap">
          <Code title={hash}>{hash.slice(0, 12)}…</Code>
          <CopyButton value={hash} what={t.theHashOf(email)} />
        </Group>
      ),
    },
    {
      title: t.actions,
      actions: true,
      cell: (email) => <AddressActions email={email} onConfirm={() => onConfirm(email.email)} />,
    },
  ];
  return (
    <DataTable caption={t.yourAddresses} columns={columns} rows={emails} rowKey={({ email }) => email} />
  );
}

function AddressActions(props: { email: Email; onConfirm: () => void }) {
  const { email, verified, primary } = props.email;
  const makePrimary = useAction(() => orders.makePrimary(email), {
    changes: [questions.me],
    done: t.isYourPrimaryAddressNow(email),
  });
  const remove = useAction(() => orders.removeEmail(email), {
    ask: {
      title: t.askToRemove(email),
      body: verified ? t.itNoLongerShowsYourFace : t.itWasNotConfirmedYetYou,
      action: t.removeIt,
      danger: true,
    },
    changes: [questions.me],
    done: t.isRemoved(email),
  });
  if (primary) return null;
  return (
    <Group gap="xs">
      {verified ? (
        <Button size="xs" variant="default" aria-label={t.makePrimaryNamed(email)} {...makePrimary}>
          {t.makePrimary}
        </Button>
      ) : (
        <Button size="xs" aria-label={t.confirmNamed(email)} onClick={props.onConfirm}>
          {t.confirm}
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" aria-label={t.removeNamed(email)} {...remove}>
        {t.remove}
      </Button>
    </Group>
  );
}

function AddAddress({ onAdded }: { onAdded: (email: string) => void }) {
  const [typed, setTyped] = useState("");
  const isMounted = useIsMounted();
  const add = async () => {
    const { email } = await orders.addEmail(typed.trim());
    setTyped(emptied(typed));
    await changed(questions.me);
    if (email.verified) tellDone(t.isAlreadyYours(email.email));
    // Whoever confirms another address meanwhile goes on with that.
    else if (isMounted.current) onAdded(email.email);
  };
  return (
    <Section title={t.addAnAddress} about={t.weMailACodeToIt}>
      <ActionForm action={t.mailMeACode} onSubmit={add} disabled={!typed.trim()}>
        <TextInput
          label={t.eMailAddress}
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
  const askForCode = () => {
    setNeedsTotp(false);
    setCode("");
    setTotp("");
  };
  const verify = async () => {
    try {
      await orders.verifyEmail({ email, code, ...(needsTotp ? { totp: totp.trim() } : {}) });
    } catch (error) {
      const refused = error instanceof ApiError ? error.code : "";
      // After too many tries the code from the mail is void, and a new one is asked for.
      if (refused === "invalid_code") askForCode();
      if (refused !== "mfa_required" || needsTotp) throw error;
      setNeedsTotp(true);
      return;
    }
    await changed(questions.me);
    tellDone(t.isConfirmedAndShowsYourFace(email));
    onDone();
  };
  const again = useAction(() => orders.addEmail(email), {
    done: t.aNewCodeIsOnIts,
    after: askForCode,
  });
  return (
    <Section
      title={t.confirmNamed(email)}
      about={needsTotp ? t.twoStepSignInIsOn : t.typeTheSixDigitCodeFrom}
    >
      <ActionForm
        action={t.confirm}
        onSubmit={verify}
        disabled={code.length < 6 || (needsTotp && totp.trim().length < 6)}
        beside={
          <>
            <Button variant="default" {...again}>
              {t.sendANewCode}
            </Button>
            <Button variant="subtle" color="gray" onClick={onDone}>
              {t.later}
            </Button>
          </>
        }
      >
        <Stack gap="md" maw="24rem">
          {needsTotp ? (
            <CodeInput
              key="totp"
              label={t.authenticatorOrRecoveryCode}
              value={totp}
              onChange={setTotp}
              anyText
            />
          ) : (
            <CodeInput key="code" label={t.codeFromTheMail} value={code} onChange={setCode} />
          )}
        </Stack>
      </ActionForm>
    </Section>
  );
}
