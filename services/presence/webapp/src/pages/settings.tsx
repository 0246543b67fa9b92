import { ActionForm, Page, Section, tellDone } from "@frontdesk/ui";
import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import { useSendChanged } from "../send-changed.ts";
import { changed } from "../session.ts";
import { t } from "../words/admin.ts";
import { zoneChoices } from "../zones.ts";

export function SettingsPage() {
  const { org, board } = useOrg();
  const [name, setName] = useState(board.org.name);
  const [timeZone, setTimeZone] = useState(board.org.timeZone);
  const [closing, setClosing] = useState(board.org.closingTime ?? "");
  const now = { name: name.trim(), timeZone, closingTime: closing || null };
  const [shown, setShown] = useState(now);
  const sendChanged = useSendChanged<typeof now>();
  const save = async () => {
    await sendChanged(shown, now, (json) => call("PATCH /orgs/{org}", { path: { org }, json }));
    setShown(now);
    await changed(questions.board(org), { queryKey: ["ends"] }, questions.planned(org));
    tellDone(t.saved);
  };
  return (
    <Page title={t.organisation} intro={t.orgIntro}>
      <Section title={board.org.name}>
        <ActionForm action={t.save} onSubmit={save} disabled={!name.trim()}>
          {(problem) => (
            <>
              <TextInput
                label={t.name}
                dir="auto"
                maxLength={100}
                value={name}
                error={problem("name")}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <NativeSelect
                label={t.timeZone}
                description={t.zoneAbout}
                inputWrapperOrder={["label", "input", "description", "error"]}
                data={zoneChoices(board.org.timeZone)}
                value={timeZone}
                error={problem("timeZone")}
                onChange={(event) => setTimeZone(event.currentTarget.value)}
              />
              <TextInput
                label={t.closingTime}
                description={t.closingAbout}
                inputWrapperOrder={["label", "input", "description", "error"]}
                type="time"
                value={closing}
                error={problem("closingTime")}
                onChange={(event) => setClosing(event.currentTarget.value)}
              />
            </>
          )}
        </ActionForm>
      </Section>
    </Page>
  );
}
