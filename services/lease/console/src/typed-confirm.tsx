import { ApiError, LateDialog } from "@frontdesk/ui";
import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { t } from "./words/typed-confirm.ts";

type Ask = (words: string) => Promise<boolean>;

/** There is one dialog, which the frame of the page holds. */
const shown: { ask: Ask } = { ask: async () => false };

/**
 * Does something that the manager may want confirmed by typed words: asks for them, and does it again with them. Whoever
 * types something else gets the refusal.
 */
export async function withTypedWords<T>(
  act: (confirmation: { confirmation?: string }) => Promise<T>,
): Promise<T> {
  try {
    return await act({});
  } catch (error) {
    return act({ confirmation: await typedWords(error) });
  }
}

/** Asks for the words that a refusal wants. Where they are not typed, or it wants none, it stays a refusal. */
export async function typedWords(refusal: unknown): Promise<string> {
  const words = refusal instanceof ApiError ? wordsIn(refusal) : undefined;
  if (words === undefined || !(await shown.ask(words))) throw refusal;
  return words;
}

const wordsIn = (error: ApiError) =>
  error.code === "confirmation_needed" ? error.at("confirmation") : undefined;

export function TypedConfirm() {
  const [asked, setAsked] = useState<{ words: string; answer: (yes: boolean) => void }>();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const settle = (yes: boolean) => {
    setOpen(false);
    asked?.answer(yes);
  };
  const leave = useRef(() => {});
  leave.current = () => settle(false);
  useEffect(() => {
    shown.ask = (words) =>
      new Promise((answer) => {
        setTyped("");
        setAsked((before) => {
          // A question that another one takes the place of was not agreed to.
          before?.answer(false);
          return { words, answer };
        });
        setOpen(true);
      });
    return () => {
      shown.ask = async () => false;
      // Who has gone to another page, by Back or otherwise, has not agreed.
      leave.current();
    };
  }, []);
  return (
    <LateDialog opened={open} onClose={() => settle(false)} title={t.sure}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === asked?.words) settle(true);
        }}
      >
        <Stack>
          <Text size="sm">{t.hardToTakeBack}</Text>
          <Code block>{asked?.words}</Code>
          <TextInput
            label={t.typeTheWords}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => settle(false)}>
              {t.cancel}
            </Button>
            <Button type="submit" color="red" disabled={typed.trim() !== asked?.words}>
              {t.goOn}
            </Button>
          </Group>
        </Stack>
      </form>
    </LateDialog>
  );
}
