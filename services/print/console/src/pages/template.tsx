import { ActionForm, EmptyState, Loaded, Page, Section, tellDone, useAction } from "@frontdesk/ui";
import { Anchor, Button, Group, NativeSelect, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { orders, questions, type TemplateBody } from "../api.ts";
import { changed } from "../session.ts";
import { PreviewPane } from "../template-preview.tsx";
import { LANGUAGES } from "../words.ts";
import classes from "./template.module.css";

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
  if (id === "~new") return <Editor template={FIRST} samples={SAMPLES} />;
  return (
    <Loaded query={templates}>
      {(list) => {
        const found = list.find((each) => each.id === id);
        if (!found) return <Gone />;
        const { placeholders: _places, rfid: _rfid, version, ...template } = found;
        return <Editor template={template} version={version} samples={[]} />;
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

function Editor(props: { template: TemplateBody; version?: number; samples: readonly string[] }) {
  const isNew = props.version === undefined;
  const [template, setTemplate] = useState(props.template);
  const [values, setValues] = useState<readonly string[]>(props.samples);
  const [size, setSize] = useState({ widthMm: 101.6, heightMm: 50.8 });
  const [, navigate] = useLocation();
  const change = (part: Partial<TemplateBody>) => setTemplate((before) => ({ ...before, ...part }));
  const dirty = JSON.stringify(template) !== JSON.stringify(props.template);
  const save = async () => {
    const { version } = await orders.saveTemplate({ ...template, name: template.name.trim() });
    await changed(questions.templates);
    tellDone(`Saved as version ${version}. Pages print it from now on.`);
    if (isNew) navigate(`/templates/${encodeURIComponent(template.id)}`, { replace: true });
  };
  return (
    <Page
      title={isNew ? "New template" : props.template.name}
      intro={
        isNew
          ? "Write the label in the printer's language; {{1}}, {{2}} … are filled in by whoever prints."
          : `Version ${props.version}. Saving makes the next one; jobs already accepted stay as they are.`
      }
    >
      <div className={classes.bench}>
        <Section title="Template">
          <ActionForm
            action="Save"
            onSubmit={save}
            disabled={!template.id || !template.name.trim() || !template.body || (!isNew && !dirty)}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label="Name"
                value={template.name}
                maxLength={120}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <TextInput
                label="Short name"
                value={template.id}
                disabled={!isNew}
                maxLength={64}
                onChange={(event) =>
                  change({ id: event.currentTarget.value.replace(/[^A-Za-z0-9._-]/g, "") })
                }
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
            <Textarea
              label="Label"
              classNames={{ input: classes.code ?? "" }}
              value={template.body}
              autosize
              minRows={12}
              maxRows={28}
              spellCheck={false}
              autoCapitalize="off"
              onChange={(event) => change({ body: event.currentTarget.value })}
            />
          </ActionForm>
        </Section>
        <PreviewPane
          template={template}
          values={values}
          setValues={setValues}
          size={size}
          setSize={setSize}
        />
      </div>
      {!isNew && <TryIt id={template.id} language={template.language} values={values} dirty={dirty} />}
      {!isNew && <Remove id={template.id} name={props.template.name} />}
    </Page>
  );
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
  const printer = chosen || fitting[0]?.id || "";
  const print = useAction(() => orders.printTemplate(props.id, printer, [...props.values]), {
    changes: [questions.jobs],
    done: "One label with the test values is on its way.",
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
