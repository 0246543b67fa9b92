import { ActionForm, Section, tellDone } from "@frontdesk/ui";
import { orders, questions } from "../api.ts";
import { NameFields, useName } from "../name-fields.tsx";
import { changed } from "../session.ts";
import type { Me } from "../shapes.ts";

/** Shown once there is a name; the first one is asked for on the first page. */
export function NameSection({ me: { user } }: { me: Me }) {
  const name = useName({ first: user.first_name ?? "", last: user.last_name ?? "" });
  if (user.first_name === null) return null;
  const { first_name, last_name } = name.written;
  const isSame = first_name === user.first_name && last_name === user.last_name;
  const save = async () => {
    await orders.changeName(name.written);
    await changed(questions.me);
    tellDone("Your name is changed.");
  };
  return (
    <Section title="Your name" about="As it is shown to administrators and kept in the staff directory.">
      <ActionForm action="Change my name" onSubmit={save} disabled={!first_name || isSame}>
        <NameFields name={name} />
      </ActionForm>
    </Section>
  );
}
