import { SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "./words/frame.ts";

/** A name as it is typed. Only the given name is needed. */
export function useName(start: { first: string; last: string }) {
  const [first, setFirst] = useState(start.first);
  const [last, setLast] = useState(start.last);
  return {
    first,
    last,
    setFirst,
    setLast,
    /** As the server takes it. */
    written: { first_name: first.trim(), last_name: last.trim() || null },
  };
}

export function NameFields({ name }: { name: ReturnType<typeof useName> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t.firstName}
        dir="auto"
        autoComplete="given-name"
        maxLength={64}
        value={name.first}
        onChange={(event) => name.setFirst(event.currentTarget.value)}
      />
      <TextInput
        label={t.lastNameIfYouHaveOne}
        dir="auto"
        autoComplete="family-name"
        maxLength={64}
        value={name.last}
        onChange={(event) => name.setLast(event.currentTarget.value)}
      />
    </SimpleGrid>
  );
}
