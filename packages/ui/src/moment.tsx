import { Tooltip } from "@mantine/core";
import { ago } from "./ago.ts";
import { exactTime } from "./formats.ts";
import classes from "./moment.module.css";
import { useNow } from "./now.ts";

/** A moment: how long ago in words, kept right while one looks; exactly when, by pointing, tapping or tabbing to it. */
export function Moment({ time }: { time: string }) {
  // The clock ticks every few seconds; what happened since its last tick is now, not in the future.
  const now = Math.max(useNow(), Date.parse(time));
  return (
    <Tooltip label={exactTime(time)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={time} className={classes.moment}>
        {ago(time, now)}
      </time>
    </Tooltip>
  );
}
