import {
  ActionForm,
  ApiError,
  EmptyState,
  filled,
  Loaded,
  Page,
  Section,
  ShownOnce,
  useAction,
  useLeaveGuard,
  useRemovedWork,
  useUnsaved,
} from "@frontdesk/ui";
import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, type PairingRow, questions } from "../api.ts";
import classes from "../origin-card.module.css";
import { type OnToken, ORIGIN_DRAFTS, Origin, RemovedOrigin } from "../origin-card.tsx";
import { OriginRights } from "../origin-rights.tsx";
import { areWritable, type Rights, rightsOf, written } from "../rights.ts";
import { changed } from "../session.ts";
import { t } from "../words/origins.ts";

const CHANGES = [questions.origins, questions.pairings];
/** Nobody yet, with all rights. */
const BLANK = { origin: "", rights: rightsOf() };

/** Pages that ask, pages that were let in, and their tokens. */
export function OriginsPage() {
  const pairings = useQuery(questions.pairings);
  const origins = useQuery(questions.origins);
  const removed = useRemovedWork<Rights>(
    ORIGIN_DRAFTS,
    origins.data?.map(({ origin }) => origin),
  );
  const [token, setToken] = useState<{ origin: string; token: string }>();
  return (
    <Page help="who-may-print" title={t.whoMayPrint} intro={t.nobodyUntilYouLetThemIn}>
      <ShownOnce
        title={t.aTokenFor(token?.origin ?? "")}
        about={t.copyItNowItIsShown}
        what={t.theToken}
        secret={token?.token}
        onClose={() => setToken(undefined)}
      />
      <Section title={t.waitingForYou} about={t.compareTheCodeWithTheOne}>
        {pairings.data?.crowded.map(({ origin }) => (
          <Alert key={origin} color="clay" role="status" title={t.tooManyPagesAsk(origin)}>
            {t.eachKeepsItsPlaceFor}
          </Alert>
        ))}
        <Loaded query={pairings}>
          {({ pairings: list }) => {
            const asking = list.filter(({ approved }) => !approved);
            if (asking.length === 0)
              return <EmptyState title={t.nobodyAsks}>{t.aPageThatWantsToPrint}</EmptyState>;
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
      <Section title={t.letInOrRefused}>
        <Loaded query={origins}>
          {(list) =>
            list.length + removed.length === 0 ? (
              <EmptyState title={t.nobodyYet} />
            ) : (
              <>
                {removed.map((work) => (
                  <RemovedOrigin key={work.name} work={work} />
                ))}
                {list.map((origin) => (
                  <Origin key={origin.origin} origin={origin} onToken={setToken} />
                ))}
              </>
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
      title: t.letAnotherBrowserOfPrint(origin),
      body: filled(t.onlyWithTheCodeToo, { code: <strong>{code}</strong>, origin }),
      action: t.letItIn,
    },
    changes: CHANGES,
    done: t.itMayPrintThePageGoes,
  });
  const sendAway = useAction(() => orders.sendAway(origin, code), {
    changes: CHANGES,
    done: t.itIsSentAwayOtherBrowsers(origin),
  });
  return (
    <Paper withBorder p="md" className={classes.item}>
      <Request origin={origin} code={code} appName={appName} about={t.mayPrintAlreadyThisIsAnother} />
      <Group mt="md" gap="sm">
        <Button aria-label={t.letItInNamed(origin)} {...allow}>
          {t.letItIn}
        </Button>
        <Button variant="default" aria-label={t.sendItAwayNamed(origin)} {...sendAway}>
          {t.sendItAway}
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
            {filled(t.itCallsItself, { name: <bdi>{appName}</bdi> })}
          </Text>
        )}
      </Stack>
      <Text className={classes.code} aria-label={t.code(code)}>
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
      title: t.letPrint(origin),
      body: filled(t.onlyWithTheCode, {
        code: <strong>{code}</strong>,
        where: rights.every ? t.onEveryPrinter : t.onThePrintersThatYouTicked,
      }),
      action: t.letItIn,
    },
    changes: CHANGES,
    done: t.mayPrintThePageGoesOn(origin),
  });
  const deny = useAction(() => orders.deny(origin), {
    ask: {
      title: t.askToRefuse(origin),
      body: t.itIsNotAskedAboutAgain,
      action: t.refuseIt,
      danger: true,
    },
    changes: CHANGES,
    done: t.isRefused(origin),
  });
  return (
    <Paper withBorder p="md" className={classes.item}>
      {JSON.stringify(rights) !== JSON.stringify(rightsOf()) && <AskOnLeaving origin={origin} />}
      <Request origin={origin} code={code} appName={appName} />
      {choosing && (
        <Stack mt="md">
          <OriginRights rights={rights} onChange={setRights} />
        </Stack>
      )}
      <Group mt="md" gap="sm">
        <Button aria-label={t.letItInNamed(origin)} disabled={!areWritable(rights)} {...allow}>
          {t.letItIn}
        </Button>
        {!choosing && (
          <Button variant="default" aria-label={t.chooseNamed(origin)} onClick={() => setChoosing(true)}>
            {t.chooseWhatItMayDo}
          </Button>
        )}
        <Button variant="light" color="red" aria-label={t.refuseNamed(origin)} {...deny}>
          {t.refuse}
        </Button>
      </Group>
    </Paper>
  );
}

/** Rights for a page that waits are not kept: its code is another one the next time. */
function AskOnLeaving({ origin }: { origin: string }) {
  useLeaveGuard({
    title: t.leaveWithoutDeciding,
    body: t.whatYouChoseIsNotKept(origin),
    action: t.leave,
  });
  return null;
}

function LetIn({ onToken }: { onToken: OnToken }) {
  const draft = useUnsaved(`${ORIGIN_DRAFTS}~new`, { value: BLANK, version: "" });
  const { origin, rights } = draft.value;
  const change = (part: Partial<typeof BLANK>) => draft.set((before) => ({ ...before, ...part }));
  const save = async () => {
    const sent = draft.value;
    const { token = "" } = await orders
      .addOrigin({ origin: origin.trim(), ...written(rights) })
      .catch(toldAtTheField);
    onToken({ origin: origin.trim(), token });
    // What was typed meanwhile is the next one.
    draft.saved(sent, { value: BLANK });
    await changed(...CHANGES);
  };
  return (
    <Section title={t.letSomebodyInByHand} about={t.forAnApplicationWhoseOrigin}>
      <ActionForm
        action={t.letItInAndMakeA}
        onSubmit={save}
        secret={t.theToken}
        disabled={!origin.trim() || !areWritable(rights)}
      >
        {(problem) => (
          <>
            <TextInput
              label={t.origin}
              placeholder={t.exampleOrigin}
              value={origin}
              maw="28rem"
              maxLength={300}
              type="url"
              error={problem("origin")}
              onChange={(event) => change({ origin: event.currentTarget.value })}
            />
            <OriginRights rights={rights} onChange={(next) => change({ rights: next })} />
          </>
        )}
      </ActionForm>
    </Section>
  );
}

/** An origin that is known already is changed in the list, where one sees what it may do. */
function toldAtTheField(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 412) throw error;
  const message = t.thisOriginIsInTheList;
  throw new ApiError({
    status: error.status,
    code: error.code,
    message,
    fields: [{ pointer: "/origin", detail: message }],
  });
}
