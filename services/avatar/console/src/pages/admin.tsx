import {
  ActionForm,
  BarChart,
  type Column,
  DataTable,
  DonutChart,
  EmptyState,
  Loaded,
  Moment,
  Page,
  Section,
  tellDone,
  useAction,
} from "@frontdesk/ui";
import { Badge, Button, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { inWords } from "../editor/parts.ts";
import { changed } from "../session.ts";
import type { Admin, Me, Metrics } from "../shapes.ts";
import classes from "./admin.module.css";

export function AdminPage({ me }: { me: Me }) {
  const metrics = useQuery(questions.metrics);
  const admins = useQuery(questions.admins);
  return (
    <Page title="Administration" intro="How the service is used, in sums only: nobody is counted by name.">
      <Loaded query={metrics}>{(figures) => <Figures metrics={figures} />}</Loaded>
      <Section
        title="Administrators"
        about="They see this page and can name others. They cannot change anybody's face."
      >
        <Loaded query={admins}>{(list) => <Admins admins={list} me={me} />}</Loaded>
        <Grant />
      </Section>
    </Page>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  designed: "Designed",
  uploaded: "Uploaded",
  generated: "Drawn from the address",
};

function Figures({ metrics: { totals, by_kind, by_style, generated_at } }: { metrics: Metrics }) {
  const tiles: Array<[name: string, value: string]> = [
    ["Accounts", totals.accounts.toLocaleString()],
    ["Confirmed addresses", totals.verified_emails.toLocaleString()],
    [
      "Accounts with a face of their own",
      `${totals.accounts_with_avatar.toLocaleString()} · ${totals.adoption_pct} %`,
    ],
    ["Accounts with several addresses", totals.multi_email_accounts.toLocaleString()],
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
        <Section title="Where faces come from">
          <DonutChart
            label="Accounts by where their face comes from"
            slices={kinds}
            whole={totals.accounts === 1 ? "account" : "accounts"}
          />
        </Section>
        <Section title="Designed faces by style">
          {by_style.length ? (
            <BarChart
              label="Accounts by style"
              slices={by_style.map(({ style, accounts }) => ({ name: inWords(style), value: accounts }))}
            />
          ) : (
            <EmptyState title="No designs yet">The first saved design shows up here.</EmptyState>
          )}
        </Section>
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        Counted <Moment time={generated_at} />.
      </Text>
    </Stack>
  );
}

function Admins({ admins, me }: { admins: readonly Admin[]; me: Me }) {
  const columns: Column<Admin>[] = [
    {
      title: "Person",
      cell: ({ name, email }) => (
        <Stack gap={0}>
          <Text size="sm" fw={550}>
            {name || email}
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
      title: "Named",
      cell: ({ source, granted_at }) =>
        source === "setting" ? (
          <Badge size="sm" color="gray">
            In the server's settings
          </Badge>
        ) : granted_at ? (
          <Moment time={granted_at} />
        ) : (
          "Here"
        ),
    },
    {
      title: "Actions",
      actions: true,
      cell: (admin) =>
        admin.source === "setting" || admin.id === me.user.id ? null : <RevokeButton admin={admin} />,
    },
  ];
  return (
    <DataTable
      caption="Administrators"
      columns={columns}
      rows={admins}
      rowKey={({ id, email, source }) => `${source} ${id} ${email}`}
    />
  );
}

function RevokeButton({ admin: { id, email } }: { admin: Admin }) {
  const revoke = useAction(() => orders.revokeAdmin(id), {
    ask: {
      title: `Take away the rights of ${email}?`,
      body: "They can still sign in and keep their face. You can name them again later.",
      action: "Take them away",
      danger: true,
    },
    changes: [questions.admins],
    done: `${email} is no longer an administrator.`,
  });
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      aria-label={`Take away the rights of ${email}`}
      {...revoke}
    >
      Take away
    </Button>
  );
}

function Grant() {
  const [email, setEmail] = useState("");
  const grant = async () => {
    await orders.grantAdmin(email.trim());
    await changed(questions.admins);
    tellDone(`${email.trim()} is an administrator now.`);
    setEmail("");
  };
  return (
    <ActionForm action="Make administrator" onSubmit={grant} disabled={!email.trim()}>
      <TextInput
        label="Name another administrator"
        description="The e-mail address of somebody who has signed in here before."
        type="email"
        autoComplete="off"
        maw="24rem"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </ActionForm>
  );
}
