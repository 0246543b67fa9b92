import {
  ApiError,
  busyProps,
  ChangedElsewhere,
  DiscardButton,
  idleProps,
  Loaded,
  Page,
  type Question,
  Section,
  tellDone,
  tellFailure,
  tip,
  useConfirm,
} from "@frontdesk/ui";
import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { ResetIcon, ShuffleIcon } from "@radix-ui/react-icons";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { ChoiceCards } from "../editor/choice-cards.tsx";
import { change, type Design, type History, newSeed, redo, undo } from "../editor/design.ts";
import { PartControls } from "../editor/option-controls.tsx";
import { inWords, partsOf } from "../editor/parts.ts";
import { usePreview } from "../editor/preview.ts";
import { isSame } from "../editor/unsaved-design.ts";
import { designOf, useWorkbench } from "../editor/workbench.tsx";
import { Face, FaceSizes } from "../faces.tsx";
import { changed, queryClient } from "../session.ts";
import type { Avatar, Style } from "../shapes.ts";
import { t } from "../words/editor.ts";
import classes from "./editor.module.css";

export function EditorPage() {
  const styles = useQuery(questions.styles);
  const { history } = useWorkbench();
  return (
    <Page title={t.design} intro={t.chooseAStyleChangeWhatYou}>
      <Loaded query={styles}>
        {(known) => (history ? <Editor styles={known} history={history} /> : null)}
      </Loaded>
    </Page>
  );
}

function Editor({ styles, history }: { styles: readonly Style[]; history: History }) {
  const { setHistory, isBehind, saved, rebase, discard } = useWorkbench();
  const design = history.present;
  const style = styles.find(({ collection }) => collection === design.collection) ?? styles[0];
  const edit = (next: Design, control?: string) => setHistory((now) => change(now, next, control));
  // In every field too: what is typed there is part of the design, and taken back with it.
  useHotkeys(
    [
      ["mod+Z", () => setHistory(undo)],
      ["mod+shift+Z", () => setHistory(redo)],
      ["mod+Y", () => setHistory(redo)],
    ],
    [],
  );
  return (
    <div className={classes.bench}>
      {isBehind && saved && (
        <div className={classes.elsewhere}>
          <ChangedElsewhere
            what={t.yourFace}
            difference={<SavedAndMine saved={saved} mine={design} />}
            onTakeTheirs={discard}
            onKeepMine={() => rebase(saved)}
          />
        </div>
      )}
      <Preview history={history} onChange={edit} />
      <Stack gap="lg" miw={0}>
        <Section title={t.style}>
          <ChoiceCards
            legend={t.style}
            hideLegend
            value={design.collection}
            onChange={(collection) =>
              edit({ collection, seed: design.seed, options: optionsOf(history, collection) })
            }
            choices={styles.map(({ collection }) => ({
              value: collection,
              words: inWords(collection),
              picture: <StyleSample collection={collection} seed={design.seed} />,
            }))}
          />
          <TextInput
            label={t.drawnFrom}
            description={t.anyTextGivesAFaceOf}
            value={design.seed}
            maxLength={256}
            onChange={(event) => edit({ ...design, seed: event.currentTarget.value }, "seed")}
          />
        </Section>
        {style && <Options key={style.collection} style={style} design={design} onChange={edit} />}
      </Stack>
    </div>
  );
}

/** The details that were last chosen for a style, so that a look at another style loses nothing. */
function optionsOf({ past }: History, collection: string): Design["options"] {
  return past.findLast((design) => design.collection === collection)?.options ?? {};
}

/** Both faces, as only a look tells them apart. */
function SavedAndMine({ saved, mine }: { saved: Design; mine: Design }) {
  const faces = [
    { words: t.savedElsewhere, design: saved },
    { words: t.yourDesign, design: mine },
  ];
  return (
    <Group gap="lg">
      {faces.map(({ words, design }) => (
        <Stack key={words} gap={4} align="center">
          <Sample design={design} words={words} />
          <Text size="xs">{words}</Text>
        </Stack>
      ))}
    </Group>
  );
}

function Sample({ design, words }: { design: Design; words: string }) {
  return <Face src={usePreview(design).data} size={72} alt={words} />;
}

function StyleSample({ collection, seed }: { collection: string; seed: string }) {
  const { data } = usePreview({ collection, seed, options: {} });
  return data ? <img src={data} alt="" /> : null;
}

function Options(props: {
  style: Style;
  design: Design;
  onChange: (next: Design, control?: string) => void;
}) {
  const { style, design, onChange } = props;
  const parts = partsOf(style);
  const [open, setOpen] = useState(parts[0]?.key);
  const part = parts.find(({ key }) => key === open) ?? parts[0];
  if (!part) return null;
  return (
    <Section
      title={t.details}
      about={t.randomOptionsAreDerivedFrom}
      actions={
        Object.keys(design.options).length > 0 && (
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            onClick={() => onChange({ ...design, options: {} })}
          >
            {t.makeAllRandom}
          </Button>
        )
      }
    >
      <div className={classes.tabs} role="tablist" aria-label={t.partsOfTheFace}>
        {parts.map(({ key, title }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`tab-${key}`}
            aria-selected={key === part.key}
            aria-controls="part"
            tabIndex={key === part.key ? 0 : -1}
            onClick={() => setOpen(key)}
            onKeyDown={(event) => moveAlong(event)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="part" aria-labelledby={`tab-${part.key}`}>
        <PartControls part={part} design={design} onChange={onChange} />
      </div>
      <p className={classes.credits}>{style.credits}</p>
    </Section>
  );
}

/** Arrows go from tab to tab, as in every other row of tabs. */
function moveAlong(event: React.KeyboardEvent<HTMLButtonElement>): void {
  const tab = event.currentTarget;
  const tabs = [...(tab.parentElement?.querySelectorAll<HTMLButtonElement>('[role="tab"]') ?? [])];
  const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
  next?.focus();
  next?.click();
}

function Preview({ history, onChange }: { history: History; onChange: (next: Design) => void }) {
  const { setHistory, saved, base, rebase, discard } = useWorkbench();
  const design = history.present;
  const preview = usePreview(design);
  const unsaved = !isSame(saved, design);
  const confirm = useConfirm();
  const save = useMutation({
    mutationFn: async () => {
      let isSaved = false;
      while (!isSaved) {
        // Asked anew: it may have been saved on another device.
        const now = await queryClient.fetchQuery({ ...questions.avatar, staleTime: 0 });
        const question = whatIsLost(now, base);
        if (question && !(await confirm(question))) return;
        isSaved = await replaces(now, design);
      }
      await changed(questions.avatar);
      rebase(design);
      tellDone(t.savedAllYourConfirmedAddresses);
    },
    onError: tellFailure,
  });
  return (
    <Section title={t.preview} className={classes.preview ?? ""}>
      <div className={classes.faces} aria-busy={preview.isFetching}>
        <Face src={preview.data} size={224} alt={t.yourDesign} />
        <FaceSizes srcOf={() => preview.data} />
      </div>
      {preview.error && (
        <p role="alert" className={classes.problem}>
          {preview.error.message}
        </p>
      )}
      <div className={classes.actions}>
        {" "}
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            flex={1}
            leftSection={<ShuffleIcon />}
            onClick={() => onChange({ ...design, seed: newSeed() })}
          >
            {t.shuffle}
          </Button>
          <Step words={t.undo} disabled={history.past.length === 0} onClick={() => setHistory(undo)}>
            <ResetIcon />
          </Step>
          <Step words={t.redo} disabled={history.future.length === 0} onClick={() => setHistory(redo)}>
            <ResetIcon className={classes.mirrored} />
          </Step>
        </Group>
        <Button
          fullWidth
          {...idleProps(!unsaved)}
          {...busyProps(save.isPending)}
          onClick={() => unsaved && !save.isPending && save.mutate()}
        >
          {unsaved ? t.save : t.saved}
        </Button>
        {saved && unsaved && (
          <DiscardButton variant="subtle" color="gray" fullWidth onDiscard={discard}>
            {t.discardChanges}
          </DiscardButton>
        )}
      </div>{" "}
    </Section>
  );
}

/** False where something else was saved since `now`, of which the person has not been asked. */
async function replaces(now: Avatar | null, design: Design): Promise<boolean> {
  try {
    await orders.saveDesign(design, now?.version ?? null);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return false;
    throw error;
  }
}

/** What saving a design takes the place of, where the person may not know of it. */
function whatIsLost(now: Avatar | null, base: Design | null | undefined): Question | undefined {
  if (now?.kind === "uploaded") {
    return { title: t.replaceYourPicture, body: t.yourAddressesShowThePicture, action: t.replaceIt };
  }
  const design = designOf(now);
  if (design && base !== undefined && !isSame(design, base)) {
    return { title: t.yourFaceWasChangedElsewhere, body: t.savingReplacesIt, action: t.replaceIt };
  }
  return undefined;
}

function Step(props: { words: string; disabled: boolean; onClick: () => void; children: React.ReactNode }) {
  return (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={props.words}
      {...idleProps(props.disabled)}
      onClick={() => !props.disabled && props.onClick()}
      {...tip(props.words)}
    >
      {props.children}
    </ActionIcon>
  );
}
