import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { type MouseEvent, type ReactNode, use, useRef, useState } from "react";
import { busyProps, idleProps } from "./action.ts";
import { ForgetRefusal } from "./action-form.tsx";
import { thenFocusForm } from "./focus-form.ts";
import { tellFailure } from "./toasts.tsx";
import { t } from "./words/dialogs.ts";

/** Somebody saved another version while this one was being edited: both are shown, and the person chooses. */
export function ChangedElsewhere(props: {
  what: string;
  /** What differs: FieldDifferences, or a DiffView. */
  difference: ReactNode;
  onTakeTheirs: () => void;
  /** Where it writes: until that is done nothing else can be chosen; why it failed is told. */
  onKeepMine: () => void | Promise<void>;
}) {
  const forgetRefusal = use(ForgetRefusal);
  const [isWriting, setIsWriting] = useState(false);
  // Two clicks may come before the buttons are drawn as busy.
  const isUnderWay = useRef(false);
  const wait = async (written: Promise<void>) => {
    isUnderWay.current = true;
    setIsWriting(true);
    await written.catch(tellFailure);
    isUnderWay.current = false;
    setIsWriting(false);
  };
  const choose = (act: () => void | Promise<void>) => (event: MouseEvent<HTMLElement>) => {
    if (isUnderWay.current) return;
    thenFocusForm(event.currentTarget, () => {
      const written = act();
      if (written) void wait(written);
      forgetRefusal();
    });
  };
  return (
    <Alert
      color="clay"
      icon={<ExclamationTriangleIcon />}
      role="alert"
      title={t.wasChangedElsewhere(props.what)}
    >
      <Stack gap="sm">
        <Text size="sm">{t.somebodySavedItWhileYouWere}</Text>
        {props.difference}
        <Group gap="sm">
          <Button variant="default" size="xs" {...idleProps(isWriting)} onClick={choose(props.onTakeTheirs)}>
            {t.takeTheirs}
          </Button>
          <Button variant="default" size="xs" {...busyProps(isWriting)} onClick={choose(props.onKeepMine)}>
            {t.keepMine}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
