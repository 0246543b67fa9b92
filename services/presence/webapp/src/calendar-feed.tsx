import { filled, Loaded, Moment, Section, ShownOnce, useAction } from "@frontdesk/ui";
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, questions } from "./api.ts";
import { useOrg } from "./org.ts";
import { t } from "./words/status.ts";

/** One's statuses for other programs: a secret address. */
export function CalendarSection() {
  const { org } = useOrg();
  const calendar = useQuery(questions.calendar(org));
  const [address, setAddress] = useState<string>();
  const has = calendar.data !== undefined && calendar.data.createdAt !== null;
  const make = useAction(() => call("POST /orgs/{org}/me/calendar", { path: { org } }), {
    ...(has ? { ask: { title: t.askToReplace, body: t.theOldStops, action: t.replaceFeed } } : {}),
    changes: [questions.calendar(org)],
    after: ({ url }) => setAddress(url),
    secret: t.theAddress,
  });
  const remove = useAction(() => call("DELETE /orgs/{org}/me/calendar", { path: { org } }), {
    ask: { title: t.askToRemoveFeed, body: t.calendarsStop, action: t.removeFeed, danger: true },
    changes: [questions.calendar(org)],
    done: t.feedRemoved,
  });
  return (
    <Section title={t.calendar} about={t.calendarAbout}>
      <ShownOnce
        title={t.theFeed}
        about={t.copyFeed}
        what={t.theAddress}
        secret={address}
        onClose={() => setAddress(undefined)}
      />
      <Loaded query={calendar}>
        {({ createdAt }) => (
          <Text size="sm" component="div">
            {createdAt === null ? t.noFeed : filled(t.feedMade, { when: <Moment time={createdAt} /> })}
          </Text>
        )}
      </Loaded>
      <Group gap="sm">
        <Button variant="default" {...make}>
          {has ? t.replaceFeed : t.makeFeed}
        </Button>
        {has && (
          <Button variant="light" color="red" {...remove}>
            {t.removeFeed}
          </Button>
        )}
      </Group>
    </Section>
  );
}
