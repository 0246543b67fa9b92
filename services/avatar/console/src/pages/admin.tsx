import {
  ActionForm,
  BarChart,
  type Column,
  count,
  DataTable,
  DonutChart,
  EmptyState,
  emptied,
  filled,
  Loaded,
  Moment,
  Page,
  percentage,
  Section,
  tellDone,
  useAction,
  wholeNumber,
} from "@frontdesk/ui";
import { Badge, Button, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { inWords } from "../editor/parts.ts";
import { changed } from "../session.ts";
import type { Admin, Me, Metrics } from "../shapes.ts";
import { t } from "../words/admin.ts";
import classes from "./admin.module.css";

export function AdminPage({ me }: { me: Me }) {
  const metrics = useQuery(questions.metrics);
  const admins = useQuery(questions.admins);
  return (
    <Page help="running-it" title={t.administration} intro={t.howTheServiceIsUsedIn}>
      <Loaded query={metrics}>{(figures) => <Figures metrics={figures} />}</Loaded>
      <Section title={t.administrators} about={t.theySeeThisPageAndCan}>
        <Loaded query={admins}>{(list) => <Admins admins={list} me={me} />}</Loaded>
        <Grant />
      </Section>
    </Page>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  designed: t.designed,
  uploaded: t.uploaded,
  generated: t.drawnFromTheAddress,
};

function Figures({ metrics: { totals, by_kind, by_style, generated_at } }: { metrics: Metrics }) {
  const tiles: Array<[name: string, value: string]> = [
    [t.accountsTitle, wholeNumber(totals.accounts)],
    [t.confirmedAddresses, wholeNumber(totals.verified_emails)],
    [
      t.accountsWithAFaceOfTheir,
      t.share(wholeNumber(totals.accounts_with_avatar), percentage(totals.adoption_pct / 100)),
    ],
    [t.accountsWithSeveralAddresses, wholeNumber(totals.multi_email_accounts)],
  ];
  const without = totals.accounts - totals.accounts_with_avatar;
  const kinds = [
    ...by_kind.map(({ kind, accounts }) => ({ name: KINDS[kind] ?? inWords(kind), value: accounts })),
    ...(by_kind.some(({ kind }) => kind === "generated")
      ? []
      : [{ name: KINDS.generated ?? "", value: Math.max(0, without) }]),
  ];
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }} component="dl" className={classes.tiles ?? ""}>
        {tiles.map(([name, value]) => (
          <Paper key={name} withBorder p="md" className={classes.tile}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Paper>
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t.whereFacesComeFrom}>
          <DonutChart
            label={t.accountsByWhereTheirFaceComes}
            slices={kinds}
            whole={count(totals.accounts, t.accounts)}
          />
        </Section>
        <Section title={t.designedFacesByStyle}>
          {by_style.length ? (
            <BarChart
              label={t.accountsByStyle}
              slices={by_style.map(({ style, accounts }) => ({ name: inWords(style), value: accounts }))}
            />
          ) : (
            <EmptyState title={t.noDesignsYet}>{t.theFirstSavedDesignShowsUp}</EmptyState>
          )}
        </Section>
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {filled(t.counted, { when: <Moment time={generated_at} /> })}
      </Text>
    </Stack>
  );
}

function Admins({ admins, me }: { admins: readonly Admin[]; me: Me }) {
  const columns: Column<Admin>[] = [
    {
      title: t.person,
      cell: ({ name, email }) => (
        <Stack gap={0}>
          <Text size="sm" fw={550}>
            <bdi>{name || email}</bdi>
          </Text>
          {name && name !== email && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {email}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      title: t.named,
      cell: ({ source, granted_at }) =>
        source === "setting" ? (
          <Badge size="sm" color="gray">
            {t.inTheServersSettings}
          </Badge>
        ) : granted_at ? (
          <Moment time={granted_at} />
        ) : (
          t.here
        ),
    },
    {
      title: t.actions,
      actions: true,
      cell: (admin) =>
        admin.source === "setting" || admin.id === me.user.id ? null : <RevokeButton admin={admin} />,
    },
  ];
  return (
    <DataTable
      caption={t.administrators}
      columns={columns}
      rows={admins}
      rowKey={({ id, email, source }) => `${source} ${id} ${email}`}
    />
  );
}

function RevokeButton({ admin: { id, email } }: { admin: Admin }) {
  const revoke = useAction(() => orders.revokeAdmin(id), {
    ask: {
      title: t.askToTakeAway(email),
      body: t.theyCanStillSignInAnd,
      action: t.takeThemAway,
      danger: true,
    },
    changes: [questions.admins],
    done: t.isNoLongerAnAdministrator(email),
  });
  return (
    <Button size="xs" variant="subtle" color="gray" aria-label={t.takeAwayNamed(email)} {...revoke}>
      {t.takeAway}
    </Button>
  );
}

function Grant() {
  const [email, setEmail] = useState("");
  const grant = async () => {
    await orders.grantAdmin(email.trim());
    setEmail(emptied(email));
    await changed(questions.admins);
    tellDone(t.isAnAdministratorNow(email.trim()));
  };
  return (
    <ActionForm action={t.makeAdministrator} onSubmit={grant} disabled={!email.trim()}>
      <TextInput
        label={t.nameAnotherAdministrator}
        description={t.theEMailAddressOfSomebody}
        type="email"
        autoComplete="off"
        maw="24rem"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </ActionForm>
  );
}
