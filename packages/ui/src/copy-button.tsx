import { ActionIcon, Button, CopyButton as MantineCopy, Tooltip } from "@mantine/core";
import { CheckIcon, CopyIcon } from "@radix-ui/react-icons";
import classes from "./copy-button.module.css";

/** Copies a text; `what` completes "Copy …". With `words` it is a button with words on it. */
export function CopyButton({ value, what, words }: { value: string; what: string; words?: string }) {
  return (
    <MantineCopy value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <CheckIcon aria-hidden /> : <CopyIcon aria-hidden />;
        if (words) {
          return (
            <Button variant="default" leftSection={icon} onClick={copy}>
              {copied ? "Copied" : words}
            </Button>
          );
        }
        return (
          <Tooltip label={copied ? "Copied" : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${what}`}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </MantineCopy>
  );
}

/** A text to take away, with the button that takes it. */
export function CopyField({ value, what }: { value: string; what: string }) {
  return (
    <div className={classes.field}>
      <code className={classes.text}>{value}</code>
      <CopyButton value={value} what={what} />
    </div>
  );
}
