import { ActionForm, ApiError, EmptyState, Loaded, Page, Section, ShownOnce, useAction } from "@frontdesk/ui";
import { Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, type PairingRow, questions } from "../api.ts";
import classes from "../origin-card.module.css";
import { type OnToken, Origin } from "../origin-card.tsx";
import { OriginRights } from "../origin-rights.tsx";
import { areWritable, type Rights, rightsOf, written } from "../rights.ts";
import { changed } from "../session.ts";

const CHANGES = [questions.origins, questions.pairings];

/** Pages that ask, pages that were let in, and their tokens. */
export function OriginsPage() {
  const pairings = useQuery(questions.pairings);
  const origins = useQuery(questions.origins);
  const [token, setToken] = useState<{ origin: string; token: string }>();
  return (
    <Page
      title="Who may print"
      intro="Nobody, until you let them in. Each web application is known by its origin: the part of its address up to the first slash."
    >
      <ShownOnce
        title={`A token for ${token?.origin ?? ""}`}
        about="Copy it now: it is shown this once, and only its hash is kept."
        what="the token"
        secret={token?.token}
        onClose={() => setToken(undefined)}
      />
      <Section
        title="Waiting for you"
        about="Compare the code with the one the page shows before you let it in."
      >
        <Loaded query={pairings}>
          {(list) => {
            const asking = list.filter(({ approved }) => !approved);
            if (asking.length === 0)
              return (
                <EmptyState title="Nobody asks">
                  A page that wants to print shows a code and appears here by itself.
                </EmptyState>
              );
            if (!origins.data) return null;
            const allowed = new Set(
              origins.data.filter(({ state }) => state === "approved").map(({ origin }) => origin),
            );
            return asking.map((pairing) => {
              const Card = allowed.has(pairing.origin) ? AskingToo : Asking;
              return <Card key={`${pairing.origin} ${pairing.code}`} pairing={pairing} />;
            });
          }}
        </Loaded>
      </Section>
      <Section title="Let in, or refused">
        <Loaded query={origins}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState title="Nobody yet" />
            ) : (
              list.map((origin) => <Origin key={origin.origin} origin={origin} onToken={setToken} />)
            )
          }
        </Loaded>
      </Section>
      <LetIn onToken={setToken} />
    </Page>
  );
}

/** A further browser of an origin that may print already: it gets what the origin has, and nothing changes for others. */
function AskingToo({ pairing: { origin, code, appName } }: { pairing: PairingRow }) {
  const allow = useAction(() => orders.admit(origin, code), {
    ask: {
      title: `Let another browser of ${origin} print?`,
      body: (
        <>
          Only if its page shows the code <strong>{code}</strong>. It may do what {origin} may do already.
        </>
      ),
      action: "Let it in",
    },
    changes: CHANGES,
    done: "It may print. The page goes on by itself.",
  });
  const sendAway = useAction(() => orders.sendAway(origin, code), {
    changes: CHANGES,
    done: `It is sent away. Other browsers of ${origin} print as before.`,
  });
  return (
    <Paper withBorder p="md" className={classes.item}>
      <Request
        origin={origin}
        code={code}
        appName={appName}
        about="May print already; this is another browser of it."
      />
      <Group mt="md" gap="sm">
        <Button aria-label={`Let it in: ${origin}`} {...allow}>
          Let it in
        </Button>
        <Button variant="default" aria-label={`Send it away: ${origin}`} {...sendAway}>
          Send it away
        </Button>
      </Group>
    </Paper>
  );
}

function Request(props: Pick<PairingRow, "origin" | "code" | "appName"> & { about?: string }) {
  const { origin, code, appName, about } = props;
  return (
    <Group justify="space-between">
      <Stack gap={2}>
        <Title order={3} className={classes.origin}>
          {origin}
        </Title>
        {about && <Text size="sm">{about}</Text>}
        {appName && (
          <Text size="sm" c="dimmed" className={classes.origin}>
            It calls itself “<bdi>{appName}</bdi>”.
          </Text>
        )}
      </Stack>
      <Text className={classes.code} aria-label={`Code ${code}`}>
        {code}
      </Text>
    </Group>
  );
}

function Asking({ pairing: { origin, code, appName } }: { pairing: PairingRow }) {
  const [rights, setRights] = useState<Rights>(rightsOf());
  const [choosing, setChoosing] = useState(false);
  const allow = useAction(() => orders.addOrigin({ origin, code, issueToken: false, ...written(rights) }), {
    ask: {
      title: `Let ${origin} print?`,
      body: (
        <>
          Only if its page shows the code <strong>{code}</strong>. It may then print{" "}
          {rights.every ? "on every printer" : "on the printers that you ticked"}; you can change that at any
          time.
        </>
      ),
      action: "Let it in",
    },
    changes: CHANGES,
    done: `${origin} may print. The page goes on by itself.`,
  });
  const deny = useAction(() => orders.deny(origin), {
    ask: {
      title: `Refuse ${origin}?`,
      body: "It is not asked about again until you take the refusal back here.",
      action: "Refuse it",
      danger: true,
    },
    changes: CHANGES,
    done: `${origin} is refused.`,
  });
  return (
    <Paper withBorder p="md" className={classes.item}>
      <Request origin={origin} code={code} appName={appName} />
      {choosing && (
        <Stack mt="md">
          <OriginRights rights={rights} onChange={setRights} />
        </Stack>
      )}
      <Group mt="md" gap="sm">
        <Button aria-label={`Let it in: ${origin}`} disabled={!areWritable(rights)} {...allow}>
          Let it in
        </Button>
        {!choosing && (
          <Button
            variant="default"
            aria-label={`Choose what it may do: ${origin}`}
            onClick={() => setChoosing(true)}
          >
            Choose what it may do
          </Button>
        )}
        <Button variant="light" color="red" aria-label={`Refuse ${origin}`} {...deny}>
          Refuse
        </Button>
      </Group>
    </Paper>
  );
}

function LetIn({ onToken }: { onToken: OnToken }) {
  const [origin, setOrigin] = useState("");
  const [rights, setRights] = useState<Rights>(rightsOf());
  const save = async () => {
    const { token = "" } = await orders
      .addOrigin({ origin: origin.trim(), ...written(rights) })
      .catch(toldAtTheField);
    await changed(...CHANGES);
    onToken({ origin: origin.trim(), token });
    setOrigin("");
    setRights(rightsOf());
  };
  return (
    <Section title="Let somebody in by hand" about="For an application whose origin you know, or a script.">
      <ActionForm
        action="Let it in and make a token"
        onSubmit={save}
        disabled={!origin.trim() || !areWritable(rights)}
      >
        {(problem) => (
          <>
            <TextInput
              label="Origin"
              placeholder="https://app.example.com"
              value={origin}
              maw="28rem"
              maxLength={300}
              type="url"
              error={problem("origin")}
              onChange={(event) => setOrigin(event.currentTarget.value)}
            />
            <OriginRights rights={rights} onChange={setRights} />
          </>
        )}
      </ActionForm>
    </Section>
  );
}

/** An origin that is known already is changed in the list, where one sees what it may do. */
function toldAtTheField(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 412) throw error;
  const message = "This origin is in the list already: change it there.";
  throw new ApiError({
    status: error.status,
    code: error.code,
    message,
    fields: [{ pointer: "/origin", detail: message }],
  });
}
