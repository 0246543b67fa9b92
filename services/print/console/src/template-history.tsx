import { count, filled, lazyPage, Moment, Section, tellDone, useConfirm } from "@frontdesk/ui";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { questions, type TemplateBody, type TemplateVersionRow } from "./api.ts";
import classes from "./template-history.module.css";
import { t } from "./words/template.ts";

const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

/** What a template was before. Bringing a version back puts it into the editor; saving makes it the next version. */
export function TemplateHistory(props: {
  id: string;
  version: number;
  now: TemplateBody;
  /** Something in the editor is not saved, which an earlier version would replace. */
  isEdited: boolean;
  onBringBack: (template: TemplateBody) => void;
}) {
  const { data: versions = [] } = useQuery(questions.templateVersions(props.id));
  const earlier = versions.filter(({ version }) => version !== props.version);
  if (earlier.length === 0) return null;
  return (
    <Section title={t.earlierVersions} about={count(earlier.length, t.versionsAreKept)}>
      <Stack component="ul" gap="sm" className={classes.list ?? ""}>
        {earlier.map((version) => (
          <Version key={version.version} {...props} earlier={version} />
        ))}
      </Stack>
    </Section>
  );
}

function Version(props: {
  earlier: TemplateVersionRow;
  now: TemplateBody;
  /** Something in the editor is not saved, which an earlier version would replace. */
  isEdited: boolean;
  onBringBack: (template: TemplateBody) => void;
}) {
  const [shown, setShown] = useState(false);
  const { version, saved_at, ...template } = props.earlier;
  const confirm = useConfirm();
  const bringBack = async () => {
    const question = {
      title: t.replaceWhatYouChanged,
      body: t.youHaveChangesThatAreNot(version),
      action: t.replaceIt,
      danger: true,
    };
    if (props.isEdited && !(await confirm(question))) return;
    props.onBringBack(template);
    tellDone(t.versionIsInTheEditorNothing(version));
    document.getElementById("main")?.scrollIntoView();
  };
  return (
    <li>
      <Group justify="space-between">
        <Text size="sm">
          {saved_at
            ? filled(t.versionSaved, { version, when: <Moment time={saved_at} /> })
            : t.version(version)}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-expanded={shown}
            aria-label={t.compareVersion(version)}
            onClick={() => setShown(!shown)}
          >
            {t.compare}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={t.bringBackVersion(version)}
            onClick={() => void bringBack()}
          >
            {t.bringBack}
          </Button>
        </Group>
      </Group>
      {shown && (
        <Suspense>
          <DiffView
            label={t.whatBringingBackVersionChanges(version)}
            before={props.now.body}
            after={template.body}
          />
        </Suspense>
      )}
    </li>
  );
}
