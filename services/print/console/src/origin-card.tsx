import { ActionForm, Moment, tellDone, useAction, useUnsaved } from "@frontdesk/ui";
import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { type OriginRow, orders, questions } from "./api.ts";
import classes from "./origin-card.module.css";
import { OriginRights, RightsChanged } from "./origin-rights.tsx";
import { areWritable, printersInWords, printsInWords, type Rights, rightsOf, written } from "./rights.ts";
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

function sentence(row: OriginRow): string {
  const rights = rightsOf(row);
  const printers = rights.every ? "Every printer." : `Printers: ${printersInWords(rights)}.`;
  return `${printers} May print ${printsInWords(rights)}.${rights.open ? " Needs no token." : ""}`;
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
  const stored = rightsOf(row);
  const draft = useUnsaved<Rights>(`origin ${row.origin}`, { value: stored, version: String(row.version) });
  const save = async () => {
    const rights = draft.value;
    await orders.changeOrigin({ origin: row.origin, issueToken: false, ...written(rights) }, draft.base);
    await changed(questions.origins);
    draft.saved(rights);
    tellDone("Saved.");
    onDone();
  };
  const cancel = () => {
    draft.discard();
    onDone();
  };
  return (
    <ActionForm
      action="Save"
      onSubmit={save}
      disabled={draft.isOutdated || !areWritable(draft.value)}
      beside={
        <Button variant="subtle" color="gray" onClick={cancel}>
          Cancel
        </Button>
      }
    >
      <RightsChanged draft={draft} stored={stored} />
      <OriginRights rights={draft.value} onChange={draft.set} />
    </ActionForm>
  );
}
