import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sentenceOf } from "./api-client.ts";

/**
 * A short form that does one thing. While it does it the button waits; when it fails the sentence is
 * under the fields, read out at once, and what was typed stays.
 */
export function ActionForm(props: {
  action: string;
  onSubmit: () => Promise<unknown>;
  danger?: boolean;
  disabled?: boolean;
  /** Beside the button: a way back, or another way. */
  beside?: ReactNode;
  fullWidth?: boolean;
  children: ReactNode;
}) {
  const { mutate, isPending, error } = useMutation({ mutationFn: props.onSubmit });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending && !props.disabled) mutate();
      }}
    >
      <Stack gap="md">
        {props.children}
        {error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {sentenceOf(error)}
          </Text>
        )}
        <Group gap="sm">
          <Button
            type="submit"
            loading={isPending}
            disabled={props.disabled ?? false}
            fullWidth={props.fullWidth ?? false}
            {...(props.danger ? { color: "red" } : {})}
          >
            {props.action}
          </Button>
          {props.beside}
        </Group>
      </Stack>
    </form>
  );
}
