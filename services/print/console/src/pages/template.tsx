import {
  ActionForm,
  ChangedElsewhere,
  EditorSkeleton,
  EmptyState,
  Loaded,
  lazyPage,
  Page,
  Section,
  shortName,
  tellDone,
  useAction,
  useUnsaved,
} from "@frontdesk/ui";
import { Anchor, Button, Group, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { orders, questions, type TemplateBody } from "../api.ts";
import { changed } from "../session.ts";
import { TemplateDifferences } from "../template-differences.tsx";
import { TemplateHistory } from "../template-history.tsx";
import { PreviewPane, usePreview } from "../template-preview.tsx";
import { LANGUAGES } from "../words.ts";
import classes from "./template.module.css";

const CodeEditor = lazyPage(() => import("@frontdesk/ui/code-editor").then((part) => part.CodeEditor));

const FIRST: TemplateBody = {
  id: "",
  name: "",
  language: "zpl",
  dpmm: 8,
  body: "^XA\n^FO40,40^A0N,60,60^FD{{1}}^FS\n^FO40,120^A0N,36,36^FD{{2}}^FS\n^FO40,190^BY3^BCN,100,Y^FD{{3}}^FS\n^XZ\n",
};
const SAMPLES = ["Ada Lovelace", "Engine room", "FD-1843"];

export function TemplatePage({ id }: { id: string }) {
  const templates = useQuery(questions.templates);
  if (id === "~new") return <Editor template={FIRST} samples={SAMPLES} placeholders={[1, 2, 3]} />;
  return (
    <Loaded query={templates}>
      {(list) => {
        const found = list.find((each) => each.id === id);
        if (!found) return <Gone />;
        const { placeholders, rfid: _rfid, version, ...template } = found;
        return (
          <Editor key={id} template={template} version={version} samples={[]} placeholders={placeholders} />
        );
      }}
    </Loaded>
  );
}

function Gone() {
  return (
    <Page title="Template">
      <EmptyState title="This template is not there any more">
        <Anchor component={Link} href="/templates">
          To the templates
        </Anchor>
      </EmptyState>
    </Page>
  );
}

function Editor(props: {
  template: TemplateBody;
  version?: number;
  samples: readonly string[];
  placeholders: readonly number[];
}) {
  const isNew = props.version === undefined;
  const { data: stored = [] } = useQuery(questions.templates);
  const draft = useUnsaved<TemplateBody>(`template ${isNew ? "~new" : props.template.id}`, {
    value: props.template,
    version: String(props.version ?? 0),
  });
  const template = draft.value;
  const [values, setValues] = useTestValues(isNew ? "~new" : props.template.id, props.samples);
  const [size, setSize] = useState({ widthMm: 101.6, heightMm: 50.8 });
  const preview = usePreview(template, values, size);
  const marks = useMemo(
    () => (preview.data?.warnings ?? []).map((warning) => ({ ...warning, severity: "warning" as const })),
    [preview.data],
  );
  const [ownId, setOwnId] = useState(!isNew);
  const [, navigate] = useLocation();
  const change = (part: Partial<TemplateBody>) => draft.set((before) => ({ ...before, ...part }));
  const taken = stored.map(({ id }) => id);
  const clash = isNew && taken.includes(template.id);
  const missing = [
    !template.name.trim() && "a name",
    !template.id && "a short name",
    !template.body && "the label",
  ].filter(Boolean);
  const save = async () => {
    const { version } = await orders.saveTemplate(
      { ...template, name: template.name.trim() },
      isNew ? undefined : draft.base,
    );
    keepTestValues(template.id, values);
    await changed(questions.templates);
    draft.saved(template);
    tellDone(`Saved as version ${version}. Pages print it from now on.`);
    if (isNew) navigate(`/templates/${encodeURIComponent(template.id)}`, { replace: true });
  };
  const ready = missing.length === 0 && !clash && !draft.isOutdated && (isNew || draft.isDirty);
  return (
    <Page
      title={isNew ? "New template" : props.template.name}
      above={[{ name: "Templates", path: "/templates" }]}
      wide
      intro={
        isNew
          ? "Write the label in the printer's language; {{1}}, {{2}} … are filled in by whoever prints."
          : `Version ${props.version}. Saving makes the next one; jobs already accepted stay as they are.`
      }
    >
      {draft.isOutdated && (
        <ChangedElsewhere
          what="This template"
          difference={<TemplateDifferences theirs={props.template} mine={template} />}
          onTakeTheirs={draft.discard}
          onKeepMine={draft.rebase}
        />
      )}
      <div className={classes.bench}>
        <Section title="Template">
          <ActionForm
            action="Save"
            onSubmit={save}
            disabled={!ready}
            hint={missing.length > 0 ? `Still missing: ${missing.join(", ")}.` : undefined}
            beside={
              draft.isDirty && (
                <Button variant="default" onClick={draft.discard}>
                  Discard my changes
                </Button>
              )
            }
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label="Name"
                dir="auto"
                value={template.name}
                maxLength={120}
                onChange={({ currentTarget: { value } }) =>
                  change({
                    name: value,
                    ...(isNew && !ownId
                      ? { id: value.trim() ? shortName(value, { taken, fallback: "template", max: 64 }) : "" }
                      : {}),
                  })
                }
              />
              <TextInput
                label="Short name"
                value={template.id}
                disabled={!isNew}
                maxLength={64}
                error={clash && "Another template has this one."}
                onChange={({ currentTarget: { value } }) => {
                  setOwnId(true);
                  change({ id: value.replace(/[^A-Za-z0-9._-]/g, "") });
                }}
              />
              <NativeSelect
                label="Language"
                value={template.language}
                data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
                onChange={(event) =>
                  change({ language: event.currentTarget.value as TemplateBody["language"] })
                }
              />
              <NativeSelect
                label="Dots per mm"
                value={String(template.dpmm)}
                data={["6", "8", "12", "24"]}
                onChange={(event) => change({ dpmm: Number(event.currentTarget.value) })}
              />
            </SimpleGrid>
            <Suspense fallback={<EditorSkeleton />}>
              <CodeEditor
                label="Label"
                language={template.language === "zpl" ? "zpl" : "text"}
                value={template.body}
                marks={marks}
                onChange={(body) => change({ body })}
              />
            </Suspense>
          </ActionForm>
        </Section>
        <PreviewPane
          placeholders={props.placeholders}
          preview={preview}
          language={template.language}
          values={values}
          setValues={setValues}
          size={size}
          setSize={setSize}
        />
      </div>
      {!isNew && (
        <TryIt id={template.id} language={template.language} values={values} dirty={draft.isDirty} />
      )}
      {props.version !== undefined && (
        <TemplateHistory
          id={template.id}
          version={props.version}
          now={props.template}
          isEdited={draft.isDirty}
          onBringBack={(earlier) => draft.set(earlier)}
        />
      )}
      {!isNew && <Remove id={template.id} name={props.template.name} />}
    </Page>
  );
}

/** Test values stay with their template, in this browser. */
function useTestValues(id: string, samples: readonly string[]) {
  const [values, setValues] = useState<readonly string[]>(() => {
    const kept = localStorage.getItem(`frontdesk-test-values:${id}`);
    return kept ? (JSON.parse(kept) as string[]) : samples;
  });
  const set = (next: readonly string[]) => {
    setValues(next);
    keepTestValues(id, next);
  };
  return [values, set] as const;
}

function keepTestValues(id: string, values: readonly string[]): void {
  if (id !== "~new") localStorage.setItem(`frontdesk-test-values:${id}`, JSON.stringify(values));
}

function TryIt(props: {
  id: string;
  language: TemplateBody["language"];
  values: readonly string[];
  dirty: boolean;
}) {
  const { data: printers = [] } = useQuery(questions.printers);
  const fitting = printers.filter(({ languages }) => languages.includes(props.language));
  const [chosen, setChosen] = useState("");
  const printer = chosen || fitting.find(({ status }) => status.online)?.id || fitting[0]?.id || "";
  const print = useAction(() => orders.printTemplate(props.id, printer, [...props.values]), {
    changes: [questions.jobs],
    after: ({ jobId }) =>
      tellDone("One label with the test values is on its way.", {
        name: "See the job",
        path: `/jobs/${encodeURIComponent(jobId)}`,
      }),
  });
  return (
    <Section title="Try it" about="Prints one label of the saved version with the test values.">
      <Group align="flex-end">
        <NativeSelect
          label="On"
          value={printer}
          data={fitting.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Button variant="default" disabled={!printer || props.dirty} {...print}>
          Print one
        </Button>
      </Group>
      {props.dirty && (
        <Text size="sm" c="dimmed">
          Save your changes first.
        </Text>
      )}
    </Section>
  );
}

function Remove({ id, name }: { id: string; name: string }) {
  const [, navigate] = useLocation();
  const remove = useAction(() => orders.removeTemplate(id), {
    ask: {
      title: `Remove ${name}?`,
      body: "Pages that print it are refused from then on. Jobs already accepted are still printed.",
      action: "Remove the template",
      danger: true,
    },
    changes: [questions.templates],
    done: `${name} is removed.`,
    after: () => navigate("/templates"),
  });
  return (
    <Section title="Remove">
      <Group>
        <Button variant="light" color="red" {...remove}>
          Remove this template
        </Button>
      </Group>
    </Section>
  );
}
