import { ago } from "./ago.ts";

/** A moment: how long ago in words, exactly when one points at it. */
export function Moment({ time }: { time: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ago(time)}
    </time>
  );
}
