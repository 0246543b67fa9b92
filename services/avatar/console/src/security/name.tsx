import { ActionForm, ChangedElsewhere, FieldDifferences, Section, tellDone, useUnsaved } from "@frontdesk/ui";
import { orders, questions } from "../api.ts";
import { NameFields, writtenName } from "../name-fields.tsx";
import { changed } from "../session.ts";
import type { Me } from "../shapes.ts";
import { t } from "../words/account.ts";
import { t as words } from "../words/frame.ts";

/** Shown once there is a name; the first one is asked for on the first page. */
export function NameSection({ me: { user } }: { me: Me }) {
  return user.first_name === null ? null : <ChangeName user={user} />;
}

function ChangeName({ user }: { user: Me["user"] }) {
  const stored = { first: user.first_name ?? "", last: user.last_name ?? "" };
  const draft = useUnsaved("name", { value: stored, version: user.name_version });
  const name = draft.value;
  const written = writtenName(name);
  const save = async () => {
    const { first_name, last_name } = await orders.changeName(written, draft.base);
    draft.saved(name, { value: { first: first_name, last: last_name ?? "" } });
    await changed(questions.me);
    tellDone(t.yourNameIsChanged);
  };
  return (
    <Section title={t.yourName} about={t.asItIsShownToAdministrators}>
      <ActionForm
        action={t.changeMyName}
        onSubmit={save}
        disabled={!written.first_name || !draft.isDirty || draft.isOutdated}
      >
        {draft.isOutdated && (
          <ChangedElsewhere
            what={t.yourName}
            difference={
              <FieldDifferences
                fields={[
                  { name: words.firstName, theirs: stored.first, mine: name.first },
                  { name: words.lastNameIfYouHaveOne, theirs: stored.last, mine: name.last },
                ]}
              />
            }
            onTakeTheirs={draft.discard}
            onKeepMine={draft.rebase}
          />
        )}
        <NameFields name={name} onChange={draft.set} />
      </ActionForm>
    </Section>
  );
}
