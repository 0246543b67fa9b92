import { Text } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useLostAt } from "./connection-banner.tsx";
import { clockTime, nearTime } from "./formats.ts";
import { useNow } from "./now.ts";
import classes from "./wall-screen.module.css";
import { t as frame } from "./words/frame.ts";
import { t } from "./words/inputs.ts";

/** A page for a screen on the wall: no controls, the whole height, never asleep, and it says when it is out of date. */
export function WallScreen({ title, children }: { title: string; children: ReactNode }) {
  const lostAt = useLostAt();
  const now = useNow();
  useAwake();
  useEffect(() => {
    document.title = frame.titleOf(title);
  }, [title]);
  return (
    <main className={classes.wall}>
      <header className={classes.head}>
        <Text component="h1" className={classes.title} dir="auto">
          {title}
        </Text>
        <Text className={classes.clock} role={lostAt === undefined ? undefined : "status"}>
          {lostAt === undefined ? clockTime(now) : t.asOfReconnecting(nearTime(lostAt, now))}
        </Text>
      </header>
      <div className={classes.body}>{children}</div>
    </main>
  );
}

/** Asks the browser to keep the screen on, again whenever the page is shown again. */
function useAwake(): void {
  useEffect(() => {
    let lock: { release(): Promise<void> } | undefined;
    const ask = async () => {
      if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
      lock = await navigator.wakeLock.request("screen").catch(() => undefined);
    };
    void ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      document.removeEventListener("visibilitychange", ask);
      void lock?.release();
    };
  }, []);
}
