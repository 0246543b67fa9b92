import { Paper } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import { NewRelease } from "./new-release.tsx";
import classes from "./plain-messages.module.css";

let message: ReactNode;
const listeners = new Set<() => void>();

/** Shows a message where the files for messages are gone; the last one alone. Without one, none. */
export function tellPlainly(next?: ReactNode): void {
  message = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** In the place of `Messages`: nothing before there is something to say. */
export function PlainMessages() {
  const shown = useSyncExternalStore(subscribe, () => message);
  if (shown === undefined) return null;
  return (
    <Paper className={classes.place} role="alert" withBorder shadow="md" p="md">
      {shown}
      <NewRelease />
    </Paper>
  );
}
