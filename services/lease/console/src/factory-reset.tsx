import { Section, useAction } from "@frontdesk/ui";
import { Button, Group } from "@mantine/core";
import { call } from "./api.ts";
import { firstPassword } from "./first-password.ts";
import { session } from "./session.ts";
import { withTypedWords } from "./typed-confirm.tsx";
import { t } from "./words/system.ts";

/** Everything as after the first start; whoever does it is signed out with everybody else. */
export function FactoryReset() {
  const reset = useAction(
    () =>
      session.leave(async () => {
        const { password } = await withTypedWords(({ confirmation = "" }) =>
          call("POST /system/factory-reset", { json: { confirmation } }),
        );
        firstPassword.shown = password;
      }),
    { ask: { title: t.askToReset, body: t.whatResetRemoves, action: t.reset, danger: true } },
  );
  return (
    <Section title={t.factoryReset} about={t.aboutReset}>
      <Group>
        <Button variant="light" color="red" {...reset}>
          {t.reset}
        </Button>
      </Group>
    </Section>
  );
}
