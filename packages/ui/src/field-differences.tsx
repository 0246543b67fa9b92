import { type Column, DataTable } from "./data-table.tsx";
import { t } from "./words/dialogs.ts";

export interface FieldDifference {
  readonly name: string;
  readonly theirs: string;
  readonly mine: string;
}

const columns: Column<FieldDifference>[] = [
  { title: t.field, cell: ({ name }) => name },
  { title: t.theirs, cell: ({ theirs }) => <bdi>{theirs}</bdi> },
  { title: t.yours, cell: ({ mine }) => <bdi>{mine}</bdi> },
];

/** The fields in which two versions differ; those in which they agree are left out. */
export function FieldDifferences({ fields }: { fields: readonly FieldDifference[] }) {
  const differing = fields.filter(({ theirs, mine }) => theirs !== mine);
  if (differing.length === 0) return null;
  return <DataTable caption={t.whatDiffers} columns={columns} rows={differing} rowKey={({ name }) => name} />;
}
