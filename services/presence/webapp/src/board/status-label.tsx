import type { CSSProperties } from "react";
import type { Status } from "../shapes.ts";
import classes from "./status-label.module.css";

/** A status: its words and emoji, beside its colour. */
export function StatusLabel({ status }: { status: Status }) {
  const colours = { "--on-light": status.lightColor, "--on-dark": status.darkColor } as CSSProperties;
  return (
    <span className={classes.label} style={colours}>
      <span className={classes.dot} data-kind={status.kind} aria-hidden />
      {status.emoji && <span aria-hidden>{status.emoji}</span>}
      <bdi className={classes.words}>{status.label}</bdi>
    </span>
  );
}
