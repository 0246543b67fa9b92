import {
  ActionForm,
  type Column,
  DataTable,
  EmptyState,
  emptied,
  Loaded,
  Moment,
  Page,
  Section,
  ShownOnce,
  shortDate,
  useAction,
} from "@frontdesk/ui";
import { Button, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, questions } from "../api.ts";
import { ChoiceSelect, stillThere } from "../choice-select.tsx";
import { useOrg } from "../org.ts";
import { useServerNow } from "../server-now.ts";
import { changed } from "../session.ts";
import type { ShareLink } from "../shapes.ts";
import { t } from "../words/share.ts";

const DAY_MS = 86_400_000;
const KINDS = Object.entries(t.kinds).map(([value, label]) => ({ value, label }));
const ENDS = Object.entries(t.ends).map(([value, label]) => ({ value, label }));

export function ShareLinksPage() {
  const { org, board } = useOrg();
  const links = useQuery(questions.shareLinks(org));
  const now = useServerNow();
  const { data: projects = [] } = useQuery(questions.projects(org));
  const projectName = (wanted: string | null) =>
    projects.find(({ project }) => project.id === wanted)?.project.name ?? "";
  const columns: Column<ShareLink>[] = [
    { title: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
    {
      title: t.kind,
      cell: ({ kind, projectId }) =>
        kind === "project" ? <bdi>{`${t.project}: ${projectName(projectId)}`}</bdi> : t.kinds[kind],
    },
    {
      title: t.madeBy,
      cell: ({ creator }) => <bdi>{board.members.find(({ id }) => id === creator)?.name ?? t.whoMade}</bdi>,
    },
    { title: t.expires, cell: ({ expiresAt }) => endOf(expiresAt, now) },
    {
      title: t.lastOpened,
      cell: ({ accessedAt }) => (accessedAt === null ? t.notYet : <Moment time={accessedAt} />),
    },
    { title: t.actions, actions: true, cell: (link) => <Revoke link={link} /> },
  ];
  return (
    <Page title={t.shareLinks} intro={t.intro} wide>
      <Section title={t.shareLinks}>
        <Loaded query={links}>
          {(rows) => (
            <DataTable
              caption={t.shareLinks}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<EmptyState title={t.noLinks}>{t.makeOneBelow}</EmptyState>}
            />
          )}
        </Loaded>
      </Section>
      <NewLink />
    </Page>
  );
}

/** By the clock of the server, which ends it. */
async function inDays(org: string, days: number): Promise<string> {
  const { now } = await call("GET /orgs/{org}/me/ends", { path: { org } });
  return new Date(Date.parse(now) + days * DAY_MS).toISOString();
}

function endOf(time: string | null, now: number): string {
  if (time === null) return t.never;
  return Date.parse(time) <= now ? t.hasEnded : shortDate(time);
}

function Revoke({ link: { id, name } }: { link: ShareLink }) {
  const { org } = useOrg();
  const revoke = useAction(() => call("DELETE /orgs/{org}/share-links/{id}", { path: { org, id } }), {
    ask: { title: t.askToRevoke(name), body: t.screensGoDark, action: t.revoke, danger: true },
    changes: [questions.shareLinks(org)],
    done: t.isRevoked(name),
  });
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.revokeNamed(name)} {...revoke}>
      {t.revoke}
    </Button>
  );
}

function NewLink() {
  const { org } = useOrg();
  const { data: projects = [] } = useQuery(questions.projects(org));
  const open = projects
    .filter(({ project }) => !project.archived)
    .map(({ project: { id, name } }) => ({ value: id, label: name }));
  const [name, setName] = useState("");
  const [kind, setKind] = useState<ShareLink["kind"]>("board");
  const [project, setProject] = useState("");
  const [ends, setEnds] = useState("30");
  const [made, setMade] = useState<{ name: string; url: string }>();
  const projectId = stillThere(open, project || open[0]?.value || "");
  const make = async () => {
    const expiresAt = ends === "never" ? null : await inDays(org, Number(ends));
    const { url, link } = await call("POST /orgs/{org}/share-links", {
      path: { org },
      json: { kind, name: name.trim(), expiresAt, ...(kind === "project" ? { projectId } : {}) },
    });
    setMade({ name: link.name, url });
    setName(emptied(name));
    await changed(questions.shareLinks(org));
  };
  return (
    <Section title={t.newLink}>
      <ShownOnce
        title={t.theLink(made?.name ?? "")}
        about={t.copyItNow}
        what={t.theAddress}
        secret={made?.url}
        onClose={() => setMade(undefined)}
      />
      <ActionForm
        action={t.make}
        onSubmit={make}
        secret={t.theAddress}
        disabled={!name.trim() || (kind === "project" && projectId === "")}
      >
        {(problem) => (
          <SimpleGrid cols={{ base: 1, sm: kind === "project" ? 4 : 3 }}>
            <TextInput
              label={t.name}
              placeholder={t.nameHint}
              dir="auto"
              maxLength={100}
              value={name}
              error={problem("name")}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={t.kind}
              data={KINDS}
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as ShareLink["kind"])}
            />
            {kind === "project" && (
              <ChoiceSelect
                label={t.project}
                choices={open}
                value={projectId}
                error={problem("projectId")}
                onChange={(event) => setProject(event.currentTarget.value)}
              />
            )}
            <NativeSelect
              label={t.endsAfter}
              data={ENDS}
              value={ends}
              error={problem("expiresAt")}
              onChange={(event) => setEnds(event.currentTarget.value)}
            />
          </SimpleGrid>
        )}
      </ActionForm>
    </Section>
  );
}
