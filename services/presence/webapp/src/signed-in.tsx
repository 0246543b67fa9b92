import { NotFoundPage, Section, SignInFrame, useAction, useNavigateIfMounted } from "@frontdesk/ui";
import { Button, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { call, questions } from "./api.ts";
import { forgetOtherBoards } from "./kept-board.ts";
import { lastOrg } from "./last-org.ts";
import { OrgFrame } from "./org-frame.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { queryClient } from "./session.ts";
import type { Me } from "./shapes.ts";
import { t } from "./words/frame.ts";

export { OfflineBoard } from "./offline-board.tsx";

/** All that is behind the page to sign in: one organisation at a time, the first part of every address. */
export function SignedIn({ me }: { me: Me }) {
  useEffect(() => void forgetOtherBoards(me.orgs.map(({ slug }) => slug)).catch(() => {}), [me]);
  return (
    <Switch>
      <Route path="/">
        <Begin me={me} />
      </Route>
      <Route path="/sign-in">
        <Redirect to="/" replace />
      </Route>
      <Route path="/organisations">
        <Choose me={me} />
      </Route>
      <Route path="/:org/*?">
        {({ org }) => {
          const mine = me.orgs.find(({ slug }) => slug === org);
          return mine ? <OrgFrame key={mine.slug} me={me} org={mine.slug} /> : <NoSuchOrg />;
        }}
      </Route>
      <Route>
        <NoSuchOrg />
      </Route>
    </Switch>
  );
}

function Begin({ me }: { me: Me }) {
  const slugs = me.orgs.map(({ slug }) => slug);
  const last = lastOrg.get();
  const [only] = slugs.length === 1 && me.invitations.length === 0 ? slugs : [];
  const known = last !== undefined && slugs.includes(last) ? last : only;
  return known === undefined ? <Choose me={me} /> : <Redirect to={`/${known}/board`} replace />;
}

function Choose({ me }: { me: Me }) {
  const { orgs, invitations, email } = me;
  const [title, about] =
    orgs.length > 0
      ? [t.chooseAnOrganisation, orgs.length > 1 ? t.youBelongToSeveral : t.choiceIsRemembered]
      : invitations.length > 0
        ? [t.youAreInvited, t.acceptToJoin]
        : [t.youBelongToNone, t.askAnAdministratorToInvite(email)];
  return (
    <SignInFrame service={t.presence} title={title} about={about}>
      <Stack gap="sm">
        {orgs.map(({ slug, name, role }) => (
          <Button
            key={slug}
            component={Link}
            href={`/${slug}/board`}
            variant="default"
            size="md"
            h="auto"
            mih={42}
            py={8}
            justify="space-between"
            styles={{ label: { whiteSpace: "normal", overflowWrap: "anywhere", height: "auto" } }}
            rightSection={
              <Text size="xs" c="dimmed">
                {t.roles[role]}
              </Text>
            }
          >
            <bdi>{name}</bdi>
          </Button>
        ))}
      </Stack>
      {invitations.length > 0 && <Invitations me={me} />}
      <PersonMenu name={email} />
    </SignInFrame>
  );
}

function Invitations({ me }: { me: Me }) {
  const navigate = useNavigateIfMounted();
  const accept = useAction(() => call("POST /me/invitations/accept"), {
    done: t.accepted,
    after: (reply) => {
      queryClient.setQueryData(questions.me.queryKey, reply);
      const joined = reply.orgs.find(({ slug }) => !me.orgs.some((org) => org.slug === slug));
      if (joined) navigate(`/${joined.slug}/board`);
    },
  });
  return (
    <Section title={t.youAreInvited}>
      <Stack gap="xs">
        {me.invitations.map(({ org, role }) => (
          <Text key={org} size="sm" dir="auto">
            {t.invitedAs(org, t.roles[role])}
          </Text>
        ))}
      </Stack>
      <Button {...accept}>{t.accept}</Button>
    </Section>
  );
}

function NoSuchOrg() {
  return (
    <main style={{ padding: 32 }}>
      <NotFoundPage home={{ name: t.toYourOrganisations, path: "/organisations" }} what={t.organisation} />
    </main>
  );
}
