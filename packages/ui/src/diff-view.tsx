import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import classes from "./code-editor.module.css";
import { t } from "./words/editors.ts";

/** What changes between two texts, line by line; long stretches that are equal are folded away. */
export function DiffView({ label, before, after }: { label: string; before: string; after: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            gutter: true,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, before, after]);
  if (before === after) {
    return (
      <Text size="sm" c="dimmed">
        {t.nothingChanges}
      </Text>
    );
  }
  return <div ref={place} className={classes.editor} dir="ltr" />;
}
