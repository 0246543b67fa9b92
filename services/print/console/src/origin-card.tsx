import {
  ActionForm,
  dropDraft,
  filled,
  Moment,
  peekDraft,
  RemovedElsewhere,
  type RemovedWork,
  tellDone,
  useAction,
  useUnsaved,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { type OriginRow, orders, questions } from "./api.ts";
import classes from "./origin-card.module.css";
import { OriginRights, RightsChanged, rightsInWords } from "./origin-rights.tsx";
import { areWritable, printersInWords, printsInWords, type Rights, rightsOf, written } from "./rights.ts";
import { changed } from "./session.ts";
import { t } from "./words/origins.ts";

/** What the drafts of rights are called, before the origin of each. */
export const ORIGIN_DRAFTS = "origin ";

export type OnToken = (token: { origin: string; token: string }) => void;

/** An origin that was let in or refused: what it may do, its tokens, and the ways to change that. */
export function Origin({ origin: row, onToken }: { origin: OriginRow; onToken: OnToken }) {
  const { origin, state, version } = row;
  // What was chosen in an earlier visit and not saved is in sight.
  const [editing, setEditing] = useState(
    () => state === "approved" && peekDraft(ORIGIN_DRAFTS + origin) !== undefined,
  );
  const forget = useAction(() => orders.forget(origin, version), {
    ask: {
      title: state === "denied" ? t.askToTakeBack(origin) : t.askToShutOut(origin),
      body: state === "denied" ? t.itMayAskAgainToBe : t.allItsTokensAreInvalidAt,
      action: state === "denied" ? t.takeItBack : t.shutItOut,
      danger: state !== "denied",
    },
    changes: [questions.origins],
    done: state === "denied" ? t.mayAskAgain(origin) : t.isShutOut(origin),
    after: () => dropDraft(ORIGIN_DRAFTS + origin),
  });
  const issue = useAction(() => orders.issueToken(origin), {
    changes: [questions.origins],
    after: ({ token }) => onToken({ origin, token }),
    secret: t.theToken,
  });
  return (
    <Paper component="article" aria-label={origin} withBorder p="md" className={classes.item}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={3} className={classes.origin}>
            {origin}
          </Title>
          <Badge color={state === "approved" ? "pine" : "red"} flex="none">
            {state === "approved" ? t.mayPrint : t.refused}
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
                aria-label={t.changeWhatMayDo(origin)}
                onClick={() => setEditing(true)}
              >
                {t.change}
              </Button>
              <Button size="xs" variant="default" aria-label={t.newTokenFor(origin)} {...issue}>
                {t.newToken}
              </Button>
            </>
          )}
          <Button
            size="xs"
            variant="light"
            color={state === "denied" ? "gray" : "red"}
            aria-label={state === "denied" ? t.takeBackNamed(origin) : t.shutOutNamed(origin)}
            {...forget}
          >
            {state === "denied" ? t.takeBack : t.shutOut}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function sentence(row: OriginRow): string {
  const rights = rightsOf(row);
  const printers = rights.every ? t.everyPrinter : t.onlyPrinters(printersInWords(rights));
  return `${printers} ${t.mayPrintThis(printsInWords(rights))}${rights.open ? ` ${t.needsNoToken}` : ""}`;
}

function Token({ origin, token }: { origin: string; token: OriginRow["tokens"][number] }) {
  const revoke = useAction(() => orders.revokeToken(token.id), {
    ask: {
      title: t.revokeThisToken,
      body: t.whoeverUsesItForCanNo(origin),
      action: t.revokeTheToken,
      danger: true,
    },
    changes: [questions.origins],
    done: t.theTokenIsRevoked,
  });
  return (
    <Group justify="space-between" className={classes.token}>
      <Text size="sm">
        {filled(token.last_used_at ? t.tokenUsed : t.tokenNotUsed, {
          id: <Code>{token.id.slice(0, 8)}</Code>,
          made: <Moment time={token.created_at} />,
          used: token.last_used_at && <Moment time={token.last_used_at} />,
        })}
      </Text>
      <Button
        size="xs"
        variant="light"
        color="red"
        aria-label={t.revokeToken(token.id.slice(0, 8))}
        {...revoke}
      >
        {t.revoke}
      </Button>
    </Group>
  );
}

function Edit({ row, onDone }: { row: OriginRow; onDone: () => void }) {
  const stored = rightsOf(row);
  const draft = useUnsaved<Rights>(ORIGIN_DRAFTS + row.origin, {
    value: stored,
    version: String(row.version),
  });
  const save = async () => {
    const rights = draft.value;
    const { version } = await orders.changeOrigin(
      { origin: row.origin, issueToken: false, ...written(rights) },
      draft.base,
    );
    draft.saved(rights, { version: String(version) });
    await changed(questions.origins);
    tellDone(t.saved);
    // What was chosen meanwhile is not saved, and stays in sight.
    if (!peekDraft(ORIGIN_DRAFTS + row.origin)) onDone();
  };
  const cancel = () => {
    draft.discard();
    onDone();
  };
  return (
    <ActionForm
      action={t.save}
      onSubmit={save}
      disabled={draft.isOutdated || !areWritable(draft.value)}
      beside={
        <Button variant="subtle" color="gray" onClick={cancel}>
          {t.cancel}
        </Button>
      }
    >
      <RightsChanged draft={draft} stored={stored} />
      <OriginRights rights={draft.value} onChange={draft.set} />
    </ActionForm>
  );
}

/** An origin that was shut out, or whose refusal was taken back, while somebody chose what it may do. */
export function RemovedOrigin({ work: { name: origin, from, base } }: { work: RemovedWork<Rights> }) {
  const draft = useUnsaved<Rights>(
    ORIGIN_DRAFTS + origin,
    { value: from, version: base },
    { isRemoved: true },
  );
  const save = async () => {
    const rights = draft.value;
    const { version } = await orders.addOrigin({ origin, issueToken: false, ...written(rights) });
    draft.saved(rights, { version: String(version) });
    await changed(questions.origins);
    tellDone(t.saved);
  };
  return (
    <Paper component="article" aria-label={origin} withBorder p="md" className={classes.item}>
      <ActionForm action={t.letItInAgain} onSubmit={save} disabled={!areWritable(draft.value)}>
        <RemovedElsewhere
          what={origin}
          typed={[origin, ...rightsInWords(draft.value)].join("\n")}
          onDiscard={draft.discard}
        />
        <OriginRights rights={draft.value} onChange={draft.set} />
      </ActionForm>
    </Paper>
  );
}
