import { count } from "@frontdesk/ui";
import { Button } from "@mantine/core";
import { useState } from "react";
import { t } from "../words/todos.ts";

/** A page of thousands of rows would not answer for many seconds: so many are drawn, and as many more when asked. */
export const MAX_DRAWN = 100;

export interface Drawn {
  /** How many rows are drawn. */
  readonly most: number;
  /** How many are not. */
  readonly left: number;
  readonly drawMore: () => void;
}

export function useDrawn(rows: number): Drawn {
  const [most, setMost] = useState(MAX_DRAWN);
  return { most, left: Math.max(0, rows - most), drawMore: () => setMost((before) => before + MAX_DRAWN) };
}

export const ShowMore = ({ drawn: { left, drawMore } }: { drawn: Drawn }) =>
  left > 0 && (
    <Button variant="default" size="xs" mt="sm" onClick={drawMore}>
      {count(left, t.showMore)}
    </Button>
  );
