import { Button, Group } from "@mantine/core";
import { PlusIcon } from "@radix-ui/react-icons";
import type { Ref } from "react";

/** Adds a row below those of a form; it gets the focus of a row that was removed. */
export function AddButton(props: { action: string; onClick: () => void; ref: Ref<HTMLButtonElement> }) {
  const { action, ...rest } = props;
  return (
    <Group>
      <Button size="xs" variant="default" leftSection={<PlusIcon aria-hidden />} {...rest}>
        {action}
      </Button>
    </Group>
  );
}
