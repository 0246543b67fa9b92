import { Button, Group, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { LateDialog } from "./late-dialog.tsx";
import { t } from "./words/dialogs.ts";

export interface Question {
  readonly title: string;
  readonly body: ReactNode;
  /** The words on the button that does it: what it does, never "OK". */
  readonly action: string;
  readonly danger?: boolean;
}

export type Ask = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Ask | undefined>(undefined);

/** Asks before something that is hard to take back: `if (await confirm({…})) …`. */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error("useConfirm needs startConsole around it");
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<{ question: Question; answer: (yes: boolean) => void }>();
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((answer) => {
        setAsked((before) => {
          // A question that another one takes the place of was not agreed to.
          before?.answer(false);
          return { question, answer };
        });
        setOpen(true);
      }),
    [],
  );
  const settle = (yes: boolean) => {
    setOpen(false);
    asked?.answer(yes);
  };
  // Who has gone to another page, by Back or otherwise, has not agreed: the question was about the one before.
  const [page] = useLocation();
  const leave = useRef(() => {});
  leave.current = () => settle(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is done because the page is another one
  useEffect(() => () => leave.current(), [page]);
  const question = asked?.question;
  return (
    <ConfirmContext value={ask}>
      {children}
      <LateDialog opened={open} onClose={() => settle(false)} title={question?.title}>
        <Stack gap="lg">
          <Text component="div" size="sm">
            {question?.body}
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => settle(false)} data-autofocus>
              {t.cancel}
            </Button>
            <Button {...(question?.danger ? { color: "red" } : {})} onClick={() => settle(true)}>
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </LateDialog>
    </ConfirmContext>
  );
}
