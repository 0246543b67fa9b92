import { type Column, DataTable } from "./data-table.tsx";

export interface FieldDifference {
  readonly name: string;
  readonly theirs: string;
  readonly mine: string;
}

const columns: Column<FieldDifference>[] = [
  { title: "Field", cell: ({ name }) => name },
  { title: "Theirs", cell: ({ theirs }) => <bdi>{theirs}</bdi> },
  { title: "Yours", cell: ({ mine }) => <bdi>{mine}</bdi> },
];

/** The fields in which two versions differ; those in which they agree are left out. */
export function FieldDifferences({ fields }: { fields: readonly FieldDifference[] }) {
  const differing = fields.filter(({ theirs, mine }) => theirs !== mine);
  if (differing.length === 0) return null;
  return <DataTable caption="What differs" columns={columns} rows={differing} rowKey={({ name }) => name} />;
}
