import { Checkbox } from "@mantine/core";
import { type KeyboardEvent, memo, type ReactNode } from "react";
import type { Column } from "./data-table.tsx";
import classes from "./virtual-table.module.css";
import { t } from "./words/tables.ts";

export interface VirtualColumn<Row> extends Column<Row> {
  readonly id: string;
  /** A CSS grid track: `minmax(8rem, 1fr)`, `6rem`. */
  readonly width?: string;
  readonly sortable?: boolean;
}

export interface RowHandlers<Row> {
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly onFocus: (name: string) => void;
  readonly onBlur: () => void;
  readonly onKey: (event: KeyboardEvent, row: Row, index: number) => void;
  readonly onTick: (name: string) => void;
}

export interface RowProps<Row> {
  readonly row: Row;
  readonly name: string;
  readonly index: number;
  /** How far below the first row it is, in pixels. */
  readonly top: number;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly isCurrent: boolean;
  /** Undefined where rows cannot be ticked. */
  readonly isTicked: boolean | undefined;
  readonly isFresh: boolean;
  /** The same at every render. */
  readonly handlers: RowHandlers<Row>;
}

/** A row that is drawn once: on the way down a table only new rows are, not those that are seen already. */
export const VirtualRow = memo(function VirtualRow<Row>(props: RowProps<Row>) {
  const { row, name, index, isTicked, handlers } = props;
  return (
    <tr
      ref={handlers.measure}
      aria-rowindex={index + 2}
      aria-selected={isTicked}
      tabIndex={props.isCurrent ? 0 : -1}
      data-index={index}
      data-fresh={props.isFresh || undefined}
      className={classes.row}
      style={{ transform: `translateY(${props.top}px)` }}
      onFocus={() => handlers.onFocus(name)}
      onBlur={handlers.onBlur}
      onKeyDown={(event) => handlers.onKey(event, row, index)}
    >
      {isTicked !== undefined && (
        <td className={classes.tick}>
          <Checkbox
            aria-label={t.tick(name)}
            checked={isTicked}
            tabIndex={-1}
            onChange={() => handlers.onTick(name)}
          />
        </td>
      )}
      {props.columns.map(({ id, title, cell, actions }) => (
        <td key={id} className={classes.cell} data-title={actions ? undefined : title} data-actions={actions}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode;
