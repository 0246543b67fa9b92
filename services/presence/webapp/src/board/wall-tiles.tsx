import { useNow, wholeNumber } from "@frontdesk/ui";
import type { CSSProperties } from "react";
import { statusOf } from "../org.ts";
import type { Status } from "../shapes.ts";
import { t } from "../words/board.ts";
import { untilWords } from "./end-words.ts";
import { Face } from "./face.tsx";
import { StatusLabel } from "./status-label.tsx";
import { tiling } from "./tiling.ts";
import classes from "./wall-tiles.module.css";

/** Somebody on a wall: what a share link shows, too. */
export interface WallPerson {
  readonly id: string;
  readonly name: string;
  readonly face: string;
  readonly status: string;
  readonly expiresAt: string | null;
}

/** More than these cannot be read from a distance. */
const MAX_TILES = 160;

/** Everybody at once, as large as they fit. */
export function WallTiles({
  people,
  statuses,
}: {
  people: readonly WallPerson[];
  statuses: readonly Status[];
}) {
  const now = useNow();
  const shown = people.length > MAX_TILES ? people.slice(0, MAX_TILES - 1) : people;
  const { columns, rows } = tiling(Math.min(people.length, MAX_TILES));
  return (
    <ul
      className={classes.tiles}
      aria-label={t.people}
      style={{ "--columns": columns, "--rows": rows } as CSSProperties}
    >
      {shown.map(({ id, name, face, status, expiresAt }) => (
        <li key={id} className={classes.tile}>
          <Face src={face} name={name} size="2.4em" />
          <div className={classes.words}>
            <div className={classes.name} dir="auto">
              {name}
            </div>
            <div className={classes.status}>
              <StatusLabel status={statusOf(statuses, status)} />
            </div>
            {expiresAt !== null && <div className={classes.end}>{untilWords(expiresAt, now)}</div>}
          </div>
        </li>
      ))}
      {shown.length < people.length && (
        <li className={classes.tile}>{t.more(wholeNumber(people.length - shown.length))}</li>
      )}
    </ul>
  );
}
