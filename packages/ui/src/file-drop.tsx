import { Button, Text } from "@mantine/core";
import { UploadIcon } from "@radix-ui/react-icons";
import { useEffect, useRef, useState } from "react";
import classes from "./file-drop.module.css";
import { fileSize } from "./formats.ts";
import { t } from "./words/inputs.ts";

/** Takes one file: dropped, pasted or chosen. What else is fit to be taken is the caller's to judge. */
export function FileDrop(props: {
  /** The words on the button. */
  action: string;
  hint: string;
  accept: string;
  /** Said beforehand; a larger file is refused. */
  maxBytes?: number;
  onFile: (file: File) => void;
}) {
  const { action, hint, accept, maxBytes = Number.POSITIVE_INFINITY, onFile } = props;
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState("");
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (!file) return;
    const wrong = problemOf(files.length, file, maxBytes);
    setProblem(wrong ?? "");
    if (!wrong) onFile(file);
  };
  useEffect(() => {
    // What is dropped beside it is not meant to take the page's place.
    const stay = (event: DragEvent) => event.preventDefault();
    const kinds = ["dragover", "drop"] as const;
    for (const kind of kinds) window.addEventListener(kind, stay);
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, stay);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // On the way over the button it has not left.
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
      onPaste={(event) => take(event.clipboardData.files)}
    >
      <UploadIcon width={28} height={28} aria-hidden className={classes.icon} />
      <Button onClick={() => input.current?.click()}>{action}</Button>
      <Text size="sm" c="dimmed" ta="center" className={classes.hint ?? ""}>
        {hint}
        {props.maxBytes !== undefined && ` ${t.atMost(fileSize(maxBytes))}`}
      </Text>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" ta="center" role="alert">
          {problem}
        </Text>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={action}
        onChange={(event) => {
          take(event.target.files);
          // The same file chosen again is a choice again.
          event.target.value = "";
        }}
      />
    </div>
  );
}

function problemOf(files: number, { name, size }: File, maxBytes: number): string | undefined {
  if (files > 1) return t.oneFileAtATime(files);
  if (size > maxBytes) return t.fileIsTooLarge(name, fileSize(size), fileSize(maxBytes));
  return undefined;
}
