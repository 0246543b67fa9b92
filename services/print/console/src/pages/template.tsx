import {
  ActionForm,
  ChangedElsewhere,
  CodeEditorSkeleton,
  DiscardButton,
  EmptyState,
  Loaded,
  lazyPage,
  listed,
  Page,
  RemovedElsewhere,
  Section,
  shortName,
  tellDone,
  useAction,
  useNavigateIfMounted,
  useRemovedWork,
  useUnsaved,
  wholeNumber,
} from "@frontdesk/ui";
import { Anchor, Button, Group, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { Link } from "wouter";
import { orders, questions, type TemplateBody } from "../api.ts";
import { JOB_PAGES } from "../job-pages.ts";
import { changed } from "../session.ts";
import { TemplateDifferences } from "../template-differences.tsx";
import { TemplateHistory } from "../template-history.tsx";
import { MAX_TEMPLATE } from "../template-limits.ts";
import { PreviewPane, usePreview } from "../template-preview.tsx";
import { keepTestValues, useTestValues } from "../test-values.ts";
import { LANGUAGES } from "../words/codes.ts";
import { t } from "../words/template.ts";
import classes from "./template.module.css";

const CodeEditor = lazyPage(() => import("@frontdesk/ui/code-editor").then((part) => part.CodeEditor));

const FIRST_LABEL =
  "^XA\n^FO40,40^A0N,60,60^FD{{1}}^FS\n^FO40,120^A0N,36,36^FD{{2}}^FS\n^FO40,190^BY3^BCN,100,Y^FD{{3}}^FS\n^XZ\n";
const FIRST: TemplateBody = {
  id: "",
  name: "",
  language: "zpl",
  dpmm: 8,
  body: FIRST_LABEL,
};
const DRAFTS = "template ";
const DENSITIES: readonly number[] = [6, 8, 12, 24];
const SAMPLES = [t.adaLovelace, t.engineRoom, "FD-1843"];

export function TemplatePage({ id }: { id: string }) {
  const templates = useQuery(questions.templates);
  const removed = useRemovedWork<TemplateBody>(
    DRAFTS,
    templates.data?.map((each) => each.id),
  ).find(({ name }) => name === id);
  const navigate = useNavigateIfMounted();
  if (id === "~new") return <Editor template={FIRST} samples={SAMPLES} placeholders={[1, 2, 3]} />;
  return (
    <Loaded query={templates}>
      {(list) => {
        const found = list.find((each) => each.id === id);
        if (found) {
          const { placeholders, rfid: _rfid, version, ...template } = found;
          return (
            <Editor
              key={id}
              template={template}
              version={version}
              samples={[]}
              placeholders={placeholders}
              onRemoved={() => navigate("/templates")}
            />
          );
        }
        if (!removed) return <Gone />;
        const { from, base } = removed;
        return (
          <Editor key={id} template={from} version={Number(base)} isRemoved samples={[]} placeholders={[]} />
        );
      }}
    </Loaded>
  );
}

function Gone() {
  return (
    <Page title={t.template}>
      <EmptyState title={t.thisTemplateIsNotThereAny}>
        <Anchor component={Link} href="/templates">
          {t.toTheTemplates}
        </Anchor>
      </EmptyState>
    </Page>
  );
}

function Editor(props: {
  template: TemplateBody;
  version?: number;
  /** Removed while it was edited: what was typed can be saved as a new one. */
  isRemoved?: boolean;
  samples: readonly string[];
  placeholders: readonly number[];
  onRemoved?: () => void;
}) {
  const { isRemoved = false } = props;
  const isNew = props.version === undefined;
  const { data: stored = [] } = useQuery(questions.templates);
  const draft = useUnsaved<TemplateBody>(
    `${DRAFTS}${isNew ? "~new" : props.template.id}`,
    { value: props.template, version: String(props.version ?? 0) },
    { isRemoved },
  );
  const template = draft.value;
  const [values, setValues] = useTestValues(isNew ? "~new" : props.template.id, props.samples);
  const [size, setSize] = useState({ widthMm: 101.6, heightMm: 50.8 });
  const preview = usePreview(template, values, size);
  const marks = useMemo(
    () => (preview.data?.warnings ?? []).map((warning) => ({ ...warning, severity: "warning" as const })),
    [preview.data],
  );
  const navigate = useNavigateIfMounted();
  const change = (part: Partial<TemplateBody>) => draft.set((before) => ({ ...before, ...part }));
  const taken = stored.map(({ id }) => id);
  const usualId = (name: string) =>
    name.trim() ? shortName(name, { taken, fallback: "template", max: 64 }) : "";
  // Written by hand, in this visit or in the one that the draft is of.
  const [ownId, setOwnId] = useState(
    !isNew || (template.id !== "" && template.id !== usualId(template.name)),
  );
  const idProblem =
    isNew &&
    ((taken.includes(template.id) && t.anotherTemplateHasThisOne) ||
      (/^[^A-Za-z0-9]/.test(template.id) && t.itBeginsWithALetterOr));
  const { length } = template.body;
  const bodyProblem = length > MAX_TEMPLATE && t.theLabelIsTooLong(wholeNumber(length));
  const missing = [
    !template.name.trim() && t.aName,
    !template.id && t.aShortName,
    !template.body && t.theLabel,
  ].flatMap((each) => each || []);
  const save = async () => {
    const { version } = await orders.saveTemplate(
      { ...template, name: template.name.trim() },
      isNew || isRemoved ? undefined : draft.base,
    );
    keepTestValues(template.id, values);
    // What was removed is on the page until the list has it again.
    if (isRemoved) await changed(questions.templates);
    draft.saved(template, { version: String(version) });
    await changed(questions.templates);
    tellDone(t.savedAsVersionPagesPrintIt(version));
    if (!isNew) return;
    draft.moveTo(DRAFTS + template.id, (typed) => ({ ...typed, id: template.id }));
    navigate(`/templates/${encodeURIComponent(template.id)}`, { replace: true });
  };
  const isRight = missing.length === 0 && !idProblem && !bodyProblem;
  const ready = isRight && !draft.isOutdated && (isNew || isRemoved || draft.isDirty);
  return (
    <Page
      title={isNew ? t.newTemplate : props.template.name}
      above={[{ name: t.templates, path: "/templates" }]}
      wide
      intro={
        props.version === undefined || isRemoved
          ? t.writeTheLabelInThePrinters
          : t.versionSavingMakesTheNext(props.version)
      }
    >
      {isRemoved && (
        <RemovedElsewhere what={t.thisTemplate} typed={template.body} onDiscard={draft.discard} />
      )}
      {draft.isOutdated && (
        <ChangedElsewhere
          what={t.thisTemplate}
          difference={<TemplateDifferences theirs={props.template} mine={template} />}
          onTakeTheirs={draft.discard}
          onKeepMine={draft.rebase}
        />
      )}
      <div className={classes.bench}>
        <Section title={t.template}>
          <ActionForm
            action={isRemoved ? t.makeItAnew : t.save}
            onSubmit={save}
            disabled={!ready}
            hint={missing.length > 0 ? t.stillMissing(listed(missing)) : undefined}
            beside={
              draft.isDirty &&
              !isRemoved && <DiscardButton onDiscard={draft.discard}>{t.discardMyChanges}</DiscardButton>
            }
          >
            {(problem) => (
              <>
                <SimpleGrid cols={{ base: 1, xs: 2 }}>
                  <TextInput
                    label={t.name}
                    dir="auto"
                    value={template.name}
                    maxLength={120}
                    error={problem("name")}
                    onChange={({ currentTarget: { value } }) =>
                      change({
                        name: value,
                        ...(isNew && !ownId ? { id: usualId(value) } : {}),
                      })
                    }
                  />
                  <TextInput
                    label={t.shortName}
                    value={template.id}
                    disabled={!isNew}
                    maxLength={64}
                    error={problem("id") ?? idProblem}
                    onChange={({ currentTarget: { value } }) => {
                      setOwnId(true);
                      change({ id: value.replace(/[^A-Za-z0-9._-]/g, "") });
                    }}
                  />
                  <NativeSelect
                    label={t.language}
                    value={template.language}
                    data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
                    onChange={(event) =>
                      change({ language: event.currentTarget.value as TemplateBody["language"] })
                    }
                  />
                  <NativeSelect
                    label={t.dotsPerMm}
                    value={String(template.dpmm)}
                    data={
                      DENSITIES.includes(template.dpmm)
                        ? DENSITIES.map(String)
                        : [...DENSITIES, template.dpmm].map(String)
                    }
                    onChange={(event) => change({ dpmm: Number(event.currentTarget.value) })}
                  />
                </SimpleGrid>
                <Suspense fallback={<CodeEditorSkeleton label={t.label} value={template.body} />}>
                  <CodeEditor
                    label={t.label}
                    language={template.language === "zpl" ? "zpl" : "text"}
                    value={template.body}
                    marks={marks}
                    onChange={(body) => change({ body })}
                  />
                </Suspense>
                {(problem("body") || bodyProblem) && (
                  <Text size="sm" c="var(--mantine-color-error)" role="alert">
                    {problem("body") ?? bodyProblem}
                  </Text>
                )}
              </>
            )}
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
      {!isNew && !isRemoved && (
        <TryIt id={template.id} language={template.language} values={values} dirty={draft.isDirty} />
      )}
      {props.version !== undefined && !isRemoved && (
        <TemplateHistory
          id={template.id}
          version={props.version}
          now={props.template}
          isEdited={draft.isDirty}
          onBringBack={(earlier) => draft.set(earlier)}
        />
      )}
      {!isNew && !isRemoved && (
        <Remove
          id={template.id}
          version={props.version ?? 0}
          name={props.template.name}
          onRemoved={() => {
            draft.discard();
            props.onRemoved?.();
          }}
        />
      )}
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
  // The template may have got another language, or the printer may be gone, since it was chosen.
  const still = fitting.find(({ id }) => id === chosen);
  const printer = (still ?? fitting.find(({ status }) => status.online) ?? fitting[0])?.id ?? "";
  const print = useAction(() => orders.printTemplate(props.id, printer, [...props.values]), {
    changes: [JOB_PAGES],
    after: ({ jobId }) =>
      tellDone(t.oneLabelWithTheTestValues, {
        name: t.seeTheJob,
        path: `/jobs/${encodeURIComponent(jobId)}`,
      }),
  });
  return (
    <Section title={t.tryIt} about={t.printsOneLabelOfTheSaved}>
      <Group align="flex-end">
        <NativeSelect
          label={t.on}
          value={printer}
          data={fitting.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Button variant="default" disabled={!printer || props.dirty} {...print}>
          {t.printOne}
        </Button>
      </Group>
      {props.dirty && (
        <Text size="sm" c="dimmed">
          {t.saveYourChangesFirst}
        </Text>
      )}
    </Section>
  );
}

function Remove(props: { id: string; version: number; name: string; onRemoved: () => void }) {
  const { id, version, name, onRemoved } = props;
  const remove = useAction(() => orders.removeTemplate(id, version), {
    ask: {
      title: t.askToRemove(name),
      body: t.pagesThatPrintItAreRefused,
      action: t.removeTheTemplate,
      danger: true,
    },
    changes: [questions.templates],
    done: t.isRemoved(name),
    after: onRemoved,
  });
  return (
    <Section title={t.remove}>
      <Group>
        <Button variant="light" color="red" {...remove}>
          {t.removeThisTemplate}
        </Button>
      </Group>
    </Section>
  );
}
