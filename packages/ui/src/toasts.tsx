import { Anchor, Button, Group } from "@mantine/core";
import { CheckIcon, ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { Link } from "wouter";
import { sentenceOf } from "./api-client.ts";
import { act } from "./first-act.ts";
import { patiently } from "./late-part.ts";
import { tellPlainly } from "./plain-messages.tsx";
import { createUndoOffers } from "./undo-offers.ts";
import { whenLeft } from "./when-left.ts";
import { t } from "./words/dialogs.ts";

/** Says that something worked, with the way to see it, and goes by itself. */
export function tellDone(message: string, see?: { name: string; path: string }): void {
  show({
    message: see ? (
      <>
        {message}{" "}
        <Anchor component={Link} href={see.path} inherit underline="always">
          {see.name}
        </Anchor>
      </>
    ) : (
      message
    ),
    color: "pine",
    icon: <CheckIcon />,
    autoClose: see ? 10_000 : 5_000,
    ...closable,
  });
}

const offers = createUndoOffers(hide);

/**
 * Says that something was done, with the way to take it back; it stays long enough to be read and reached, unless the
 * next such message is about the same.
 */
export const tellUndoable = (message: string, about: string, undo: () => void): void =>
  tellWithButton(message, about, { name: t.undo, act: undo, autoClose: 10_000 });

/** Says that something is there for whoever wants it, and stays until it is answered, or the next one about the same comes. */
export const tellOffer = (message: string, about: string, take: { name: string; act: () => void }): void =>
  tellWithButton(message, about, { ...take, autoClose: false });

function tellWithButton(
  message: string,
  about: string,
  button: { name: string; act: () => void; autoClose: number | false },
): void {
  const id = offers.next(about);
  show({
    id,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button
          flex="none"
          size="compact-sm"
          variant="default"
          onClick={() => {
            hide(id);
            button.act();
          }}
        >
          {button.name}
        </Button>
      </Group>
    ),
    color: "pine",
    icon: <CheckIcon />,
    autoClose: button.autoClose,
    ...closable,
  });
}

/** There is nothing to take back of this any more: the message that offers it goes. */
export const withdrawUndoable = (about: string): void => offers.withdraw(about);

/** Says that something did not work; stays long enough to be read twice. */
export function tellFailure(error: unknown): void {
  show({
    message: sentenceOf(error),
    color: "red",
    icon: <ExclamationTriangleIcon />,
    autoClose: 12_000,
    role: "alert",
    ...closable,
  });
}

const closable = { withBorder: true, closeButtonProps: { "aria-label": t.closeThisMessage } };

type Notification = Parameters<typeof import("@mantine/notifications")["notifications"]["show"]>[0];

/** Counts those who have left: a message that was on its way to one of them is for nobody else. */
let left = 0;
let wasShown = false;

// Messages may name what only their person may see.
whenLeft(() => {
  left++;
  tellPlainly();
  if (wasShown)
    notifications().then(
      (part) => part.clean(),
      () => {},
    );
});

function show(notification: Notification): void {
  act();
  wasShown = true;
  const before = left;
  // A name without a gap would push the button beside it out of sight.
  const message = <div style={{ overflowWrap: "anywhere" }}>{notification.message}</div>;
  notifications().then(
    (part) => before === left && part.show({ ...notification, message }),
    () => before === left && tellPlainly(message),
  );
}

function hide(id: string): void {
  notifications().then(
    (part) => part.hide(id),
    () => tellPlainly(),
  );
}

/** Where the server is away before the first message, its words wait until the server is back. */
const notifications = () =>
  patiently(() => import("@mantine/notifications").then((part) => part.notifications));
