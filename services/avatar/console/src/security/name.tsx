import { ActionForm, Section, tellDone } from "@frontdesk/ui";
import { SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import { orders, questions } from "../api.ts";
import { changed } from "../session.ts";
import type { Me } from "../shapes.ts";

/** Shown once there is a name; the first one is asked for on the first page. */
export function NameSection({ me: { user } }: { me: Me }) {
  const [first, setFirst] = useState(user.first_name ?? "");
  const [last, setLast] = useState(user.last_name ?? "");
  if (user.first_name === null) return null;
  const isSame = first.trim() === user.first_name && last.trim() === (user.last_name ?? "");
  const save = async () => {
    await orders.changeName({ first_name: first.trim(), last_name: last.trim() || null });
    await changed(questions.me);
    tellDone("Your name is changed.");
  };
  return (
    <Section title="Your name" about="As it is shown to administrators and kept in the staff directory.">
      <ActionForm action="Change my name" onSubmit={save} disabled={!first.trim() || isSame}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="First name"
            dir="auto"
            autoComplete="given-name"
            maxLength={64}
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
          />
          <TextInput
            label="Last name (if you have one)"
            dir="auto"
            autoComplete="family-name"
            maxLength={64}
            value={last}
            onChange={(event) => setLast(event.currentTarget.value)}
          />
        </SimpleGrid>
      </ActionForm>
    </Section>
  );
}
