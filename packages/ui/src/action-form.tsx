import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { busyProps, idleProps } from "./action.ts";
import { ApiError, sentenceOf } from "./api-client.ts";
import { useIsLate } from "./connection-banner.tsx";
import { useIsMounted } from "./is-mounted.ts";
import { IsShown } from "./is-shown.ts";
import { tellFailure } from "./toasts.tsx";
import { useSecretGuard } from "./use-leave-guard.ts";
import { t } from "./words/frame.ts";

/** Forgets what the server said of the form around: it is no longer so. */
export const ForgetRefusal = createContext(() => {});

/**
 * A short form that does one thing. While it does it the button waits; when it fails the sentence is
 * under the fields, or at the one that it is about, which gets the focus; it is read out at once, and what was typed stays.
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
  /** The fields; the function gets what the server said about one of them, by its name, and asks for it at once. */
  children: ReactNode | ((problem: (field: string) => string | undefined) => ReactNode);
}) {
  // Two clicks may come before the button is drawn as busy.
  const isUnderWay = useRef(false);
  const isMounted = useIsMounted();
  const form = useRef<HTMLFormElement>(null);
  /** What had the focus when it was sent; null once something was typed since. */
  const sentFrom = useRef<Element>(null);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: props.onSubmit,
    onError: (failure) => {
      // The form was closed meanwhile: who sent it would take it for done.
      if (!isMounted.current) tellFailure(failure);
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  // What is under way goes on: its button waits, and its answer is told.
  const forget = () => {
    if (!isUnderWay.current) reset();
  };
  useSecretGuard(props.secret, isPending);
  const isLate = useIsLate();
  const refusal = error instanceof ApiError ? error : undefined;
  const isSignedOut = useRef(false);
  isSignedOut.current = refusal?.status === 401;
  const isShown = useContext(IsShown);
  useEffect(() => {
    // Signed in again.
    if (isShown && isSignedOut.current) reset();
  }, [isShown, reset]);
  // The refusal that is, or was, told at a field: below, it would be of something that is not there any more.
  const atField = useRef<ApiError>(undefined);
  const problem = (field: string) => {
    const words = refusal?.at(field);
    if (words !== undefined) atField.current = refusal;
    return words;
  };
  const fields = typeof props.children === "function" ? props.children(problem) : props.children;
  const toldAtField = refusal !== undefined && atField.current === refusal ? refusal : undefined;
  useEffect(() => {
    if (!toldAtField) return;
    // The field may be far out of sight. Whoever is somewhere else meanwhile, or types on, stays there.
    const isStill = document.activeElement === document.body || document.activeElement === sentFrom.current;
    if (isStill) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [toldAtField]);
  return (
    <ForgetRefusal value={forget}>
      <form
        ref={form}
        noValidate
        onInput={() => {
          sentFrom.current = null;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (isUnderWay.current || props.disabled) return;
          isUnderWay.current = true;
          sentFrom.current = document.activeElement;
          mutate();
        }}
      >
        <Stack gap="md">
          {fields}
          {/* Seen at its field, where it has one, and read out in any case. */}
          {toldAtField && (
            <span className="fd-unseen" role="alert">
              {sentenceOf(toldAtField)}
            </span>
          )}
          {error && !toldAtField && (
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
    </ForgetRefusal>
  );
}
