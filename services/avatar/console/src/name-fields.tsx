import { SimpleGrid, TextInput } from "@mantine/core";
import { t } from "./words/frame.ts";

/** A name as it is typed. Only the given name is needed. */
export interface TypedName {
  readonly first: string;
  readonly last: string;
}

/** As the server takes it. */
export const writtenName = ({ first, last }: TypedName) => ({
  first_name: first.trim(),
  last_name: last.trim() || null,
});

export function NameFields(props: { name: TypedName; onChange: (name: TypedName) => void }) {
  const { name, onChange } = props;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t.firstName}
        dir="auto"
        autoComplete="given-name"
        maxLength={64}
        value={name.first}
        onChange={(event) => onChange({ ...name, first: event.currentTarget.value })}
      />
      <TextInput
        label={t.lastNameIfYouHaveOne}
        dir="auto"
        autoComplete="family-name"
        maxLength={64}
        value={name.last}
        onChange={(event) => onChange({ ...name, last: event.currentTarget.value })}
      />
    </SimpleGrid>
  );
}
