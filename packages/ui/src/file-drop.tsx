import { Button, Text } from "@mantine/core";
import { UploadIcon } from "@radix-ui/react-icons";
import { useEffect, useRef, useState } from "react";
import classes from "./file-drop.module.css";

/** Takes one file: dropped, pasted or chosen. What is fit to be taken is the caller's to judge. */
export function FileDrop(props: {
  /** The words on the button. */
  action: string;
  hint: string;
  accept: string;
  onFile: (file: File) => void;
}) {
  const { action, hint, accept, onFile } = props;
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onFile(file);
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
      </Text>
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
