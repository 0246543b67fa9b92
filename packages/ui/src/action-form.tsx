import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { busyProps, idleProps } from "./action.ts";
import { ApiError, sentenceOf } from "./api-client.ts";
import { useIsLate } from "./connection-banner.tsx";
import { useIsMounted } from "./is-mounted.ts";
import { tellFailure } from "./toasts.tsx";
import { useSecretGuard } from "./use-leave-guard.ts";
import { t } from "./words/frame.ts";

/**
 * A short form that does one thing. While it does it the button waits; when it fails the sentence is
 * under the fields, read out at once, and what was typed stays.
 */
export function ActionForm(props: {
  action: string;
  onSubmit: () => Promise<unknown>;
  danger?: boolean;
  disabled?: boolean;
  /** What it makes, where that is told once, completing "Leave without …?": asked while it is under way. */
  secret?: string;
  /** Beside the button: a way back, or another way. */
  beside?: ReactNode;
  fullWidth?: boolean;
  /** Why the button cannot be pressed, where that is not plain to see. */
  hint?: string | undefined;
  /** The fields; the function gets what the server said about one of them, by its name. */
  children: ReactNode | ((problem: (field: string) => string | undefined) => ReactNode);
}) {
  // Two clicks may come before the button is drawn as busy.
  const isUnderWay = useRef(false);
  const isMounted = useIsMounted();
  const { mutate, isPending, error } = useMutation({
    mutationFn: props.onSubmit,
    onError: (failure) => {
      // The form was closed meanwhile: who sent it would take it for done.
      if (!isMounted.current) tellFailure(failure);
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  useSecretGuard(props.secret, isPending);
  const isLate = useIsLate();
  const refusal = error instanceof ApiError ? error : undefined;
  let isAtField = false;
  const problem = (field: string) => {
    const words = refusal?.at(field);
    if (words !== undefined) isAtField = true;
    return words;
  };
  const fields = typeof props.children === "function" ? props.children(problem) : props.children;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isUnderWay.current || props.disabled) return;
        isUnderWay.current = true;
        mutate();
      }}
    >
      <Stack gap="md">
        {fields}
        {/* Seen at its field, where it has one, and read out in any case. */}
        {error && isAtField && (
          <span className="fd-unseen" role="alert">
            {sentenceOf(error)}
          </span>
        )}
        {error && !isAtField && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {sentenceOf(error)}
          </Text>
        )}
        {/* Here too: a dialog hides the banner of the page. */}
        {isPending && isLate && (
          <Text size="sm" c="dimmed" role="status">
            {t.theServerHasNotAnsweredYet}
          </Text>
        )}
        <Group gap="sm">
          <Button
            type="submit"
            {...idleProps(props.disabled ?? false)}
            {...busyProps(isPending)}
            fullWidth={props.fullWidth ?? false}
            {...(props.danger ? { color: "red" } : {})}
          >
            {props.action}
          </Button>
          {props.beside}
          {props.disabled && props.hint && (
            <Text size="sm" c="dimmed">
              {props.hint}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
