import { ago } from "./ago.ts";
import { exactTime } from "./formats.ts";
import classes from "./moment.module.css";
import { useNow } from "./now.ts";
import { tip } from "./tips.tsx";

/**
 * A moment: how long ago in words, kept right while one looks; exactly when, by pointing at it or tapping it. One that may
 * be still to come says so.
 */
export function Moment({ time, isAhead = false }: { time: string; isAhead?: boolean }) {
  const ticked = useNow();
  // The clock ticks every few seconds; what happened since its last tick is now, not in the future.
  const now = isAhead ? ticked : Math.max(ticked, Date.parse(time));
  return (
    <time dateTime={time} className={classes.moment} {...tip(exactTime(time))}>
      {ago(time, now)}
    </time>
  );
}
