import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./data-table.module.css";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sits at the end of the row; its title is read out but not shown. */
  readonly actions?: boolean;
}

/** Rows of one kind. Where there is little room each row becomes a small card, its cells under one another with their titles. */
export function DataTable<Row>(props: {
  /** What the rows are, for those who hear the page. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  empty?: ReactNode;
}) {
  const { caption, columns, rows, rowKey, empty } = props;
  if (rows.length === 0 && empty) return empty;
  return (
    <div className={classes.frame}>
      <Table className={classes.table} verticalSpacing="sm" aria-label={caption}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, actions }) => (
              <Table.Th key={title} scope="col">
                <span className={actions ? classes.unseen : undefined}>{title}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ title, cell, actions }) => (
                <Table.Td key={title} data-title={actions ? undefined : title} data-actions={actions}>
                  {actions ? cell(row) : <div className={classes.content}>{cell(row)}</div>}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
