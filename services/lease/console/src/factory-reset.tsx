import { ApiError, Section, useAction } from "@frontdesk/ui";
import { Button, Group } from "@mantine/core";
import { useRef } from "react";
import { call } from "./api.ts";
import { firstPassword } from "./first-password.ts";
import { session } from "./session.ts";
import { typedWords } from "./typed-confirm.tsx";
import { t } from "./words/system.ts";

/** Everything as after the first start; whoever does it is signed out with everybody else. */
export function FactoryReset() {
  const words = useRef("");
  const order = (confirmation: string) => call("POST /system/factory-reset", { json: { confirmation } });
  const reset = useAction(
    () =>
      session.leave(async () => {
        const { password } = await order(words.current);
        firstPassword.shown = password;
      }),
    {
      ask: async (confirm) => {
        const { askToReset: title, whatResetRemoves: body, reset: action } = t;
        if (!(await confirm({ title, body, action, danger: true }))) return false;
        // Nobody leaves before the words are typed: an order without them is refused, and tells which they are.
        await order("").catch(async (refusal: unknown) => {
          if (refusal instanceof ApiError) session.heed(refusal);
          words.current = await typedWords(refusal);
        });
        return true;
      },
      secret: t.thePassword,
    },
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
