import { LateDialog, useOpening } from "@frontdesk/ui";
import { Alert } from "@mantine/core";
import { Fragment, type ReactNode, useCallback, useState } from "react";
import { t } from "./words/frame.ts";

interface Edited<Row> {
  readonly row: Row | undefined;
  /** False once it is not in the list any more. */
  readonly isListed: boolean;
  readonly opened: boolean;
  /** How many times one was opened: a row that is opened again while its dialog goes is edited anew. */
  readonly times: number;
  readonly edit: (row: Row) => void;
  /** The row as the server has it, where it is in another list by now. */
  readonly renew: (row: Row) => void;
  readonly close: () => void;
}

/**
 * The row of a list that is being edited, kept above the list: one that is removed, or goes to another place, while somebody
 * edits it does not take along what was typed.
 */
export function useEdited<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): Edited<Row> {
  const [row, setRow] = useState<Row>();
  const [elsewhere, setElsewhere] = useState<Row>();
  const { opened, open, close, times } = useOpening();
  const listed = row === undefined ? undefined : rows?.find((each) => keyOf(each) === keyOf(row));
  if (listed !== undefined && listed !== row) setRow(listed);
  const edit = useCallback(
    (next: Row) => {
      setRow(next);
      open();
    },
    [open],
  );
  const renew = (next: Row) => {
    const isIt = (now: Row | undefined) => now !== undefined && keyOf(now) === keyOf(next);
    setRow((now) => (isIt(now) ? next : now));
    setElsewhere(next);
  };
  const isListed = listed !== undefined || (row !== undefined && row === elsewhere);
  return { row, isListed, opened, times, edit, renew, close };
}

export function EditDialog<Row>(props: {
  edited: Edited<Row>;
  title: (row: Row) => string;
  size?: string;
  children: (row: Row) => ReactNode;
}) {
  const { row, isListed, opened, times, close } = props.edited;
  return (
    <LateDialog
      opened={opened}
      onClose={close}
      title={row !== undefined && props.title(row)}
      size={props.size ?? "md"}
    >
      {opened && !isListed && (
        <Alert color="clay" role="status" mb="md">
          {t.goneWhileEdited}
        </Alert>
      )}
      {row !== undefined && <Fragment key={times}>{props.children(row)}</Fragment>}
    </LateDialog>
  );
}
