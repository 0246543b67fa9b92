import { ActionForm, Moment, tellDone, useAction } from "@frontdesk/ui";
import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { type OriginRow, orders, questions } from "./api.ts";
import classes from "./origin-card.module.css";
import { OriginRights, type Rights, rightsOf, written } from "./origin-rights.tsx";
import { changed } from "./session.ts";

export type OnToken = (token: { origin: string; token: string }) => void;

/** An origin that was let in or refused: what it may do, its tokens, and the ways to change that. */
export function Origin({ origin: row, onToken }: { origin: OriginRow; onToken: OnToken }) {
  const { origin, state } = row;
  const [editing, setEditing] = useState(false);
  const forget = useAction(() => orders.forget(origin), {
    ask: {
      title: state === "denied" ? `Take back the refusal of ${origin}?` : `Shut ${origin} out?`,
      body:
        state === "denied"
          ? "It may ask again to be let in."
          : "All its tokens are invalid at once. It may ask again to be let in.",
      action: state === "denied" ? "Take it back" : "Shut it out",
      danger: state !== "denied",
    },
    changes: [questions.origins],
    done: state === "denied" ? `${origin} may ask again.` : `${origin} is shut out.`,
  });
  const issue = useAction(() => orders.issueToken(origin), {
    changes: [questions.origins],
    after: ({ token }) => onToken({ origin, token }),
  });
  return (
    <Paper withBorder p="md" className={classes.item}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={3} className={classes.origin}>
            {origin}
          </Title>
          <Badge color={state === "approved" ? "pine" : "red"} flex="none">
            {state === "approved" ? "May print" : "Refused"}
          </Badge>
        </Group>
        {state === "approved" && (
          <Text size="sm" c="dimmed">
            {sentence(row)}
          </Text>
        )}
        {row.tokens.map((token) => (
          <Token key={token.id} origin={origin} token={token} />
        ))}
        {editing && <Edit row={row} onDone={() => setEditing(false)} />}
        <Group gap="sm">
          {state === "approved" && !editing && (
            <>
              <Button
                size="xs"
                variant="default"
                aria-label={`Change what ${origin} may do`}
                onClick={() => setEditing(true)}
              >
                Change
              </Button>
              <Button size="xs" variant="default" aria-label={`New token for ${origin}`} {...issue}>
                New token
              </Button>
            </>
          )}
          <Button
            size="xs"
            variant="light"
            color={state === "denied" ? "gray" : "red"}
            aria-label={`${state === "denied" ? "Take back the refusal of" : "Shut out"} ${origin}`}
            {...forget}
          >
            {state === "denied" ? "Take back" : "Shut out"}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function sentence({ aliases, rights, open }: OriginRow): string {
  const printers = aliases
    ? `Printers: ${Object.entries(aliases)
        .map(([alias, id]) => (alias === id ? id : `${id} as ${alias}`))
        .join(", ")}.`
    : "Every printer.";
  const may = [rights.raw && "raw data", rights.templates && "templates", rights.rfid && "RFID tags"].filter(
    Boolean,
  );
  return `${printers} May print ${may.join(", ") || "nothing"}.${open ? " Needs no token." : ""}`;
}

function Token({ origin, token }: { origin: string; token: OriginRow["tokens"][number] }) {
  const revoke = useAction(() => orders.revokeToken(token.id), {
    ask: {
      title: "Revoke this token?",
      body: `Whoever uses it for ${origin} can no longer print with it.`,
      action: "Revoke the token",
      danger: true,
    },
    changes: [questions.origins],
    done: "The token is revoked.",
  });
  return (
    <Group justify="space-between" className={classes.token}>
      <Text size="sm">
        Token <Code>{token.id.slice(0, 8)}</Code> from <Moment time={token.created_at} />
        {token.last_used_at ? (
          <>
            , last used <Moment time={token.last_used_at} />
          </>
        ) : (
          ", not used yet"
        )}
      </Text>
      <Button
        size="xs"
        variant="light"
        color="red"
        aria-label={`Revoke token ${token.id.slice(0, 8)}`}
        {...revoke}
      >
        Revoke
      </Button>
    </Group>
  );
}

function Edit({ row, onDone }: { row: OriginRow; onDone: () => void }) {
  const [rights, setRights] = useState<Rights>(rightsOf(row));
  const save = async () => {
    await orders.allow({ origin: row.origin, issueToken: false, ...written(rights) });
    await changed(questions.origins);
    tellDone("Saved.");
    onDone();
  };
  return (
    <ActionForm
      action="Save"
      onSubmit={save}
      beside={
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      }
    >
      <OriginRights rights={rights} onChange={setRights} />
    </ActionForm>
  );
}
