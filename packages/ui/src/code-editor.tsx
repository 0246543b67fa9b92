import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  StreamLanguage,
  type StreamParser,
  syntaxHighlighting,
} from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useId, useRef } from "react";
import classes from "./code-editor.module.css";
import { CodeEditorFrame } from "./editor-frame.tsx";
import { unixLines, withLineEnds } from "./line-ends.ts";
import { t } from "./words/editors.ts";
import { zplLanguage } from "./zpl-language.ts";

/** A mistake and where it is; lines and columns count from 1, as every message tells them. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity?: "error" | "warning";
}

const LANGUAGES: Readonly<Record<string, StreamParser<unknown>>> = {
  toml: toml as StreamParser<unknown>,
  zpl: zplLanguage as StreamParser<unknown>,
};

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.atom, tags.bool], color: "var(--fd-code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--fd-code-string)" },
  { tag: [tags.number, tags.literal], color: "var(--fd-code-number)" },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: "var(--fd-code-name)" },
]);

/** Marks a change that came from outside: whoever made it needs not be told of it. */
const isGiven = Annotation.define<boolean>();

/** A text with syntax colours, line numbers, search (Ctrl-F), undo, and marks where something is wrong. Ctrl-S sends its form. */
export function CodeEditor(props: {
  label: string;
  language: "toml" | "zpl" | "text";
  value: string;
  onChange?: (value: string) => void;
  marks?: readonly Mark[];
  readOnly?: boolean;
  minLines?: number;
}) {
  const { label, language, value, marks = [], readOnly = false, minLines } = props;
  const id = useId();
  const hintId = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const editing = new Compartment();
    const editor = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...extensions(language, id, hintId, latest),
          editing.of(EditorState.readOnly.of(readOnly)),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, id, hintId, readOnly]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === unixLines(value)) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: isGiven.of(true),
    });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor)
      editor.dispatch(
        setDiagnostics(
          editor.state,
          marks.map((mark) => diagnosticOf(editor.state, mark)),
        ),
      );
  }, [marks]);
  return (
    <div>
      <CodeEditorFrame label={label} minLines={minLines} labelId={id} hintId={hintId}>
        <div ref={place} className={classes.editor} />
      </CodeEditorFrame>
      {marks.length > 0 && (
        <div role={marks.every(({ severity }) => severity === "warning") ? "status" : "alert"}>
          <ul className={classes.marks}>
            {marks.map(({ line, column, message }) => (
              <li key={`${line}:${column}:${message}`}>
                <button
                  type="button"
                  className={classes.jump}
                  onClick={() => view.current && jump(view.current, line, column)}
                >
                  {t.lineColumn(line, column)}
                </button>{" "}
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function extensions(
  language: "toml" | "zpl" | "text",
  labelId: string,
  hintId: string,
  latest: { readonly current: { value: string; onChange?: (value: string) => void } },
): Extension[] {
  const parser = LANGUAGES[language];
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    highlightSelectionMatches(),
    lintGutter(),
    syntaxHighlighting(COLORS),
    parser ? StreamLanguage.define(parser) : [],
    EditorView.lineWrapping,
    // Tab leaves the editor after Escape, so that nobody is caught in it.
    keymap.of([
      { key: "Mod-s", run: submitForm, preventDefault: true },
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ "aria-labelledby": labelId, "aria-describedby": hintId }),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const given = transactions.some((transaction) => transaction.annotation(isGiven));
      if (!docChanged || given) return;
      // Lines end in the editor as they end on Unix; in the text they end as they did.
      latest.current.onChange?.(withLineEnds(state.doc.toString(), latest.current.value));
    }),
  ];
}

/** As the button of the form that it is in does it, which waits and says what went wrong. */
function submitForm({ dom }: EditorView): boolean {
  const form = dom.closest("form");
  form?.requestSubmit();
  return form !== null;
}

function diagnosticOf(state: EditorState, { line, column, message, severity = "error" }: Mark): Diagnostic {
  const at = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  const from = Math.min(at.from + Math.max(0, column - 1), at.to);
  const word = /^[\w.-]+/.exec(state.doc.sliceString(from, at.to))?.[0] ?? "";
  return { from, to: Math.min(at.to, from + Math.max(1, word.length)), severity, message };
}

function jump(view: EditorView, line: number, column: number): void {
  const { from } = diagnosticOf(view.state, { line, column, message: "" });
  view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
  view.focus();
}
