import {
  clockTime,
  exactTime,
  isKnownZone,
  LateDialog,
  LoadingState,
  lazyPage,
  Moment,
  tellFailure,
  useNow,
} from "@frontdesk/ui";
import { Anchor, Group, Stack, Switch, Text, Title } from "@mantine/core";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { call } from "../api.ts";
import { mayActAs, statusOf, useOrg } from "../org.ts";
import { queryClient } from "../session.ts";
import type { Board, Member } from "../shapes.ts";
import { t } from "../words/board.ts";
import { t as statusWords } from "../words/status.ts";
import { ownZone, zoneName } from "../zones.ts";
import { Face } from "./face.tsx";
import { End } from "./people-list.tsx";
import { StatusLabel } from "./status-label.tsx";

const StatusForm = lazyPage(() => import("../status-form.tsx").then((part) => part.StatusForm));

/** All that a board knows of a person. */
export function PersonDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { board } = useOrg();
  const found = board.members.find((member) => member.id === id);
  // What was shown stays while the dialog closes.
  const [last, setLast] = useState(found);
  if (found && found !== last) setLast(found);
  const member = found ?? last;
  // An answer that comes late closes the opening that it was given in, and no later one.
  const opening = useMemo(() => ({ id }), [id]);
  const latest = useRef(opening);
  useEffect(() => {
    latest.current = opening;
  }, [opening]);
  const closeThis = () => {
    if (latest.current === opening) onClose();
  };
  return (
    <LateDialog opened={id !== ""} onClose={onClose} title={member?.name ?? t.people} size="lg">
      {member && (found || id === "") ? (
        <About member={member} board={board} onSet={closeThis} />
      ) : (
        <Text size="sm">{t.noSuchPerson}</Text>
      )}
    </LateDialog>
  );
}

function About({ member, board, onSet }: { member: Member; board: Board; onSet: () => void }) {
  const { status } = member;
  const now = useNow();
  const zone = member.timeZone ?? board.org.timeZone;
  const isMe = member.id === board.me.id;
  return (
    <Stack gap="lg">
      <Group gap="lg" wrap="nowrap" align="flex-start">
        <Face src={member.avatarUrl} name={member.name} size={72} />
        <Stack gap={4} miw={0}>
          <StatusLabel status={statusOf(board.statuses, status.status)} />
          {status.note !== null && (
            <Text size="sm" dir="auto">
              {status.note}
            </Text>
          )}
          {status.expiresAt !== null && <End at={status.expiresAt} />}
          {status.setAt !== null && (
            <Text size="xs" c="dimmed">
              {t.since} <Moment time={status.setAt} />
            </Text>
          )}
        </Stack>
      </Group>
      <Stack gap={4}>
        {member.group !== null && (
          <Text size="sm" dir="auto">
            {member.group}
          </Text>
        )}
        <Anchor href={`mailto:${encodeURIComponent(member.email).replace("%40", "@")}`} size="sm">
          <bdi>{member.email}</bdi>
        </Anchor>
        {zone !== ownZone() && isKnownZone(zone) && (
          <Text size="sm" c="dimmed" title={exactTime(now, zone)}>
            {t.localTime(clockTime(now, zone), zoneName(zone))}
          </Text>
        )}
      </Stack>
      {!isMe && <Follow member={member} />}
      {!isMe && mayActAs(board.me.role, "reception") && (
        <Stack gap="sm">
          <Title order={3} dir="auto">
            {statusWords.setFor(member.name)}
          </Title>
          <Suspense fallback={<LoadingState />}>
            <StatusForm key={member.id} member={member} onSet={onSet} />
          </Suspense>
        </Stack>
      )}
    </Stack>
  );
}

function Follow({ member: { id } }: { member: Member }) {
  const { org, board } = useOrg();
  const follow = async (wanted: boolean) => {
    try {
      // This one alone: whom else one follows may have changed in another window.
      const operation = wanted ? "PUT /orgs/{org}/me/follows/{id}" : "DELETE /orgs/{org}/me/follows/{id}";
      const { members } = await call(operation, { path: { org, id } });
      queryClient.setQueryData<Board>(["board", org], (before) =>
        before ? { ...before, me: { ...before.me, follows: members } } : before,
      );
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Switch
      label={t.follow}
      description={t.followAbout}
      checked={board.me.follows.includes(id)}
      onChange={(event) => void follow(event.currentTarget.checked)}
    />
  );
}
