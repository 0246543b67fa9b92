import { ActionForm, Section, tellDone } from "@frontdesk/ui";
import { orders, questions } from "../api.ts";
import { NameFields, useName } from "../name-fields.tsx";
import { changed } from "../session.ts";
import type { Me } from "../shapes.ts";
import { t } from "../words/account.ts";

/** Shown once there is a name; the first one is asked for on the first page. */
export function NameSection({ me: { user } }: { me: Me }) {
  const name = useName({ first: user.first_name ?? "", last: user.last_name ?? "" });
  if (user.first_name === null) return null;
  const { first_name, last_name } = name.written;
  const isSame = first_name === user.first_name && last_name === user.last_name;
  const save = async () => {
    await orders.changeName(name.written);
    await changed(questions.me);
    tellDone(t.yourNameIsChanged);
  };
  return (
    <Section title={t.yourName} about={t.asItIsShownToAdministrators}>
      <ActionForm action={t.changeMyName} onSubmit={save} disabled={!first_name || isSame}>
        <NameFields name={name} />
      </ActionForm>
    </Section>
  );
}
