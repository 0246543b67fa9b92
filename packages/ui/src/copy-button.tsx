import { ActionIcon, Button } from "@mantine/core";
import { CheckIcon, CopyIcon, ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useEffect, useState } from "react";
import classes from "./copy-button.module.css";
import { copyText } from "./copy-text.ts";
import { tip } from "./tips.tsx";
import { t } from "./words/frame.ts";

const SHOWN_MS = 2_000;
const OUTCOMES = {
  ready: { words: undefined, icon: <CopyIcon aria-hidden /> },
  copied: { words: t.copied, icon: <CheckIcon aria-hidden /> },
  refused: {
    words: t.theBrowserDoesNotLetThis,
    icon: <ExclamationTriangleIcon aria-hidden />,
  },
} as const;

/** Copies a text; `what` completes "Copy …". With `words` it is a button with words on it. */
export function CopyButton({ value, what, words }: { value: string; what: string; words?: string }) {
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>("ready");
  useEffect(() => {
    if (outcome !== "copied") return;
    const timer = setTimeout(() => setOutcome("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyText(value)) ? "copied" : "refused");
  const { icon, words: said } = OUTCOMES[outcome];
  if (words) {
    return (
      <Button variant="default" leftSection={icon} onClick={() => void copy()}>
        {said ?? words}
      </Button>
    );
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      onClick={() => void copy()}
      aria-label={t.copy(what)}
      {...tip(said ?? t.copy(what))}
    >
      {icon}
    </ActionIcon>
  );
}

/** A text to take away, with the button that takes it. A click on the text selects all of it. */
export function CopyField({ value, what }: { value: string; what: string }) {
  return (
    <div className={classes.field}>
      <code className={classes.text}>{value}</code>
      <CopyButton value={value} what={what} />
    </div>
  );
}
