import { ColorInput, Group, SegmentedControl, Slider, Stack, Switch, Text } from "@mantine/core";
import { ShuffleIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { questions } from "../api.ts";
import type { StyleOption } from "../shapes.ts";
import { t } from "../words/editor.ts";
import { ChoiceCards } from "./choice-cards.tsx";
import { chosen, type Design, withOption } from "./design.ts";
import classes from "./option-controls.module.css";
import { drawingInWords, inWords, type Part, SEEN_ON } from "./parts.ts";

export interface PartProps {
  readonly part: Part;
  readonly design: Design;
  /** `control` names what was moved, so that one drag is one step to undo. */
  readonly onChange: (design: Design, control?: string) => void;
}

const BY_CHANCE = "";
const dice = <ShuffleIcon width={18} height={18} />;

/** Everything there is to decide about one part of the face. */
export function PartControls({ part, design, onChange }: PartProps) {
  const { choice, presence } = part;
  return (
    <Stack gap="lg">
      {presence && (
        <Presence
          option={presence}
          what={part.title}
          value={chosen(design, presence.name) as number | undefined}
          onChange={(value) => onChange(withOption(design, presence.name, value))}
        />
      )}
      {choice && (
        <ChoiceCards
          legend={part.title}
          hideLegend
          value={String(chosen(design, choice.name) ?? BY_CHANCE)}
          onChange={(value) => onChange(withVariant(design, part, value))}
          choices={[
            { value: BY_CHANCE, words: choice.default === null ? t.random : t.defaultWord, picture: dice },
            ...(choice.values ?? []).map((value) => ({
              value,
              words: drawingInWords(choice, value),
              picture: <Thumbnail design={withVariant(design, part, value)} />,
            })),
          ]}
        />
      )}
      {part.others.map((option) => (
        <OptionControl key={option.name} option={option} design={design} onChange={onChange} />
      ))}
    </Stack>
  );
}

/** Whoever chooses a pair of glasses, or what is printed on a shirt, wants to see it. */
function withVariant(design: Design, { choice, presence }: Part, value: string): Design {
  if (!choice) return design;
  if (value === BY_CHANCE) return withOption(design, choice.name, undefined);
  const next = Object.entries(SEEN_ON[choice.name] ?? {}).reduce(
    (on, [name, drawing]) => withOption(on, name, [drawing]),
    withOption(design, choice.name, listed(choice, value)),
  );
  return presence ? withOption(next, presence.name, isAlways(presence) ? undefined : 100) : next;
}

const isAlways = (presence: StyleOption) => presence.default === 100;
const listed = (option: StyleOption, value: string) => (option.multiple ? [value] : value);

function Thumbnail({ design }: { design: Design }) {
  const { data } = useQuery(questions.preview(design));
  return data ? <img src={data} alt="" /> : null;
}

/** Whether there is one at all: left to chance, or decided. */
function Presence(props: {
  option: StyleOption;
  what: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const { option, what, value, onChange } = props;
  const data = [
    ...(isAlways(option) ? [] : [{ value: BY_CHANCE, label: t.random }]),
    { value: "100", label: t.shown },
    { value: "0", label: t.leftOut },
  ];
  const preset = isAlways(option) ? "100" : BY_CHANCE;
  return (
    <SegmentedControl
      aria-label={t.shownOrLeftOut(what)}
      className={classes.fit}
      size="xs"
      value={value === undefined ? preset : value > 0 ? "100" : "0"}
      onChange={(next) => onChange(next === preset ? undefined : Number(next))}
      data={data}
    />
  );
}

function OptionControl(props: { option: StyleOption; design: Design; onChange: PartProps["onChange"] }) {
  const { option, design, onChange } = props;
  const value = chosen(design, option.name);
  const set = (next: unknown) => onChange(withOption(design, option.name, next), option.name);
  switch (option.kind) {
    case "color":
      return <ColorControl option={option} value={value as string | undefined} onChange={set} />;
    case "boolean":
      return (
        <Switch
          label={option.label}
          checked={Boolean(value ?? option.default)}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <Labelled words={option.label}>
          {(id) => (
            <SegmentedControl
              aria-labelledby={id}
              className={classes.fit}
              value={String(value ?? option.default ?? "")}
              onChange={(next) => set(next === option.default ? undefined : listed(option, next))}
              data={(option.values ?? []).map((each) => ({ value: each, label: inWords(each) }))}
            />
          )}
        </Labelled>
      );
    case "number":
    case "probability":
      return <NumberControl option={option} value={value as number | undefined} onChange={set} />;
  }
}

function NumberControl(props: {
  option: StyleOption;
  value: number | undefined;
  onChange: (value: unknown) => void;
}) {
  const { option, value, onChange } = props;
  const { min = 0, max = 100 } = option;
  const preset = typeof option.default === "number" ? option.default : min;
  const shown = value ?? preset;
  return (
    <Labelled words={option.label} beside={String(shown)}>
      {(id) => (
        <Slider
          thumbProps={{ "aria-labelledby": id }}
          min={min}
          max={max}
          step={max - min <= 10 ? 0.05 : 1}
          value={shown}
          startPointValue={preset}
          onChange={(next) => onChange(next === preset ? undefined : next)}
          label={null}
        />
      )}
    </Labelled>
  );
}

function ColorControl(props: {
  option: StyleOption;
  value: string | undefined;
  onChange: (value: unknown) => void;
}) {
  const { option, value, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const palette = (option.values ?? []).map((each) => (each.startsWith("#") ? each : `#${each}`));
  return (
    <Stack gap="xs">
      <ChoiceCards
        small
        legend={option.label}
        value={value ?? BY_CHANCE}
        onChange={(next) => onChange(next === BY_CHANCE ? undefined : listed(option, next))}
        choices={[
          { value: BY_CHANCE, words: t.random, picture: dice },
          ...palette.map((color) => ({
            value: color,
            words: color,
            picture: <span className={classes.swatch} style={{ background: color }} />,
          })),
        ]}
      />
      <ColorInput
        aria-label={t.aColourOfYourOwn(option.label)}
        placeholder={t.aColourOfYourOwnLike}
        size="xs"
        className={classes.own}
        format="hex"
        withEyeDropper={false}
        value={typed ?? value ?? ""}
        onChange={(next) => {
          // What is half typed is kept in the field; only a whole colour goes into the design.
          setTyped(next);
          if (/^#[0-9a-f]{6}$/i.test(next)) onChange(listed(option, next));
        }}
        onBlur={() => setTyped(undefined)}
      />
    </Stack>
  );
}

function Labelled(props: { words: string; beside?: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <Stack gap={8}>
      <Group justify="space-between">
        <Text id={id} size="sm" fw={550}>
          {props.words}
        </Text>
        {props.beside && (
          <Text size="sm" c="dimmed" className={classes.number}>
            {props.beside}
          </Text>
        )}
      </Group>
      {props.children(id)}
    </Stack>
  );
}
