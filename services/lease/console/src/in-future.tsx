import { ago, exactTime, tip, useNow } from "@frontdesk/ui";

/** A moment that may be still to come: in how long, in words; exactly when, by pointing at it. */
export function InFuture({ time }: { time: string }) {
  return (
    <time dateTime={time} {...tip(exactTime(time))}>
      {ago(time, useNow())}
    </time>
  );
}
