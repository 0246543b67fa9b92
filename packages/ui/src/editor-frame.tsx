import { Input, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./editor-frame.module.css";
import { t } from "./words/editors.ts";
import { t as frame } from "./words/frame.ts";

const MIN_LINES = 12;
const LINE_EM = 1.55;
/** Above the first line and below the last, with the border. */
const AROUND_PX = 10;

interface Frame {
  readonly label: string;
  /** How many lines there is room for at least. */
  readonly minLines?: number | undefined;
}

/** What is around the text of a code editor: its label, the room for its lines, and how the keyboard leaves it. */
export function CodeEditorFrame(
  props: Frame & {
    labelId?: string;
    hintId?: string;
    /** How high it is; else as high as `minLines`, or higher where its content is. */
    height?: string;
    children: ReactNode;
  },
) {
  const { label, minLines = MIN_LINES, labelId, hintId, height, children } = props;
  return (
    <>
      <Input.Label {...(labelId ? { id: labelId } : {})}>{label}</Input.Label>
      <div className={classes.room} style={{ minHeight: `${minLines * LINE_EM}em`, height }} dir="ltr">
        {children}
      </div>
      {/* Seen while the editor has the focus: whoever works by keyboard alone must know the way out. */}
      <p id={hintId} className={classes.hint}>
        {t.escapeThenTabLeaves}
      </p>
    </>
  );
}

/** A code editor whose files are on their way: as high as it will be with that text, so that the page does not jump. */
export function CodeEditorSkeleton({ value, ...shape }: Frame & { value: string }) {
  const lines = value.split("\n").length;
  return (
    <div role="status" aria-label={frame.loading}>
      <CodeEditorFrame {...shape} height={`calc(${lines * LINE_EM}em + ${AROUND_PX}px)`}>
        <Skeleton height="100%" radius="md" />
      </CodeEditorFrame>
    </div>
  );
}
