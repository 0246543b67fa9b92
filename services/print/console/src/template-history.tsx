import { count, lazyPage, Moment, Section, tellDone, useConfirm } from "@frontdesk/ui";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { questions, type TemplateBody, type TemplateVersionRow } from "./api.ts";
import classes from "./template-history.module.css";

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
    <Section
      title="Earlier versions"
      about={count(earlier.length, { one: "# version is kept.", other: "# versions are kept." })}
    >
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
      title: "Replace what you changed?",
      body: `You have changes that are not saved. Version ${version} takes their place in the editor.`,
      action: "Replace it",
      danger: true,
    };
    if (props.isEdited && !(await confirm(question))) return;
    props.onBringBack(template);
    tellDone(`Version ${version} is in the editor. Nothing changes for anybody before you save it.`);
    document.getElementById("main")?.scrollIntoView();
  };
  return (
    <li>
      <Group justify="space-between">
        <Text size="sm">
          Version {version}
          {saved_at && (
            <>
              , saved <Moment time={saved_at} />
            </>
          )}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-expanded={shown}
            aria-label={`Compare version ${version}`}
            onClick={() => setShown(!shown)}
          >
            Compare
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`Bring back version ${version}`}
            onClick={() => void bringBack()}
          >
            Bring back
          </Button>
        </Group>
      </Group>
      {shown && (
        <Suspense>
          <DiffView
            label={`What bringing back version ${version} changes`}
            before={props.now.body}
            after={template.body}
          />
        </Suspense>
      )}
    </li>
  );
}
