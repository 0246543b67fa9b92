import { ErrorState, Section } from "@frontdesk/ui";
import { Alert, SimpleGrid, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { questions, type TemplateBody } from "./api.ts";
import { LabelPictures, pngOf } from "./label-pictures.tsx";
import { sizeProblem } from "./label-size.ts";
import { MillimetreInput } from "./millimetre-input.tsx";
import { MAX_TEMPLATE } from "./template-limits.ts";
import classes from "./template-preview.module.css";
import { t } from "./words/template.ts";

/** Long enough that a fast typist is not drawn at every letter. */
const STILL_MS = 250;

const MAX_PREVIEW_MM = 500;

interface Size {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** The label as it comes out, asked for anew when whoever writes pauses. */
export function usePreview(template: TemplateBody, values: readonly string[], size: Size) {
  const { language, dpmm, body } = template;
  const [asked] = useDebouncedValue({ language, dpmm, body, values: [...values], ...size }, STILL_MS);
  const fits = [asked.widthMm, asked.heightMm].every((mm) => !sizeProblem(mm, MAX_PREVIEW_MM));
  const isShort = asked.body.length <= MAX_TEMPLATE;
  return useQuery({
    ...questions.preview(asked),
    enabled: fits && isShort,
    placeholderData: keepPreviousData,
  });
}

/** What comes out, drawn while it is written, with the test values in their places. */
export function PreviewPane(props: {
  preview: ReturnType<typeof usePreview>;
  language: TemplateBody["language"];
  values: readonly string[];
  setValues: (values: string[]) => void;
  size: Size;
  setSize: (size: Size) => void;
  /** The placeholders as they were last known, until the preview tells them. */
  placeholders: readonly number[];
}) {
  const { preview, language, values, setValues, size, setSize } = props;
  const put = (n: number, value: string) => {
    const next = Array.from({ length: Math.max(values.length, n) }, (_, at) => values[at] ?? "");
    next[n - 1] = value;
    setValues(next);
  };
  const { data } = preview;
  // A preview that failed tells none, and the fields must not go while somebody types into them.
  const [placeholders, setPlaceholders] = useState(props.placeholders);
  if (data && data.placeholders !== placeholders) setPlaceholders(data.placeholders);
  return (
    <Section title={t.preview}>
      {preview.error && !data && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
      {data?.problem && (
        <Alert color="clay" title={t.thisCannotBePrinted} role="status">
          {data.problem}
        </Alert>
      )}
      {!data && !preview.error && language === "zpl" && (
        <Skeleton
          className={classes.waiting ?? ""}
          style={{ aspectRatio: `${size.widthMm} / ${size.heightMm}` }}
        />
      )}
      {data && data.pictures.length > 0 && (
        <div className={classes.picture}>
          <LabelPictures pictures={data.pictures.slice(0, 4).map(pngOf)} what={t.preview} />
        </div>
      )}
      {data && !data.problem && language !== "zpl" && (
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            {t.onlyZplCanBeDrawnThis}
          </Text>
          <pre className={classes.sent}>{data.text}</pre>
        </Stack>
      )}
      {data?.rfid && <Text size="sm">{t.thisLabelEncodesAnRfidTag}</Text>}
      <SimpleGrid cols={2}>
        <MillimetreInput
          label={t.widthInMm}
          value={size.widthMm}
          error={sizeProblem(size.widthMm, MAX_PREVIEW_MM)}
          onChange={(widthMm) => setSize({ ...size, widthMm })}
        />
        <MillimetreInput
          label={t.heightInMm}
          value={size.heightMm}
          error={sizeProblem(size.heightMm, MAX_PREVIEW_MM)}
          onChange={(heightMm) => setSize({ ...size, heightMm })}
        />
      </SimpleGrid>
      {placeholders
        .filter((n) => n > 0)
        .map((n) => (
          <TextInput
            key={n}
            label={t.testValueFor(n)}
            value={values[n - 1] ?? ""}
            maxLength={4096}
            onChange={(event) => put(n, event.currentTarget.value)}
          />
        ))}
    </Section>
  );
}
