import { tip, useAction } from "@frontdesk/ui";
import { ActionIcon, Group, Stack, Text } from "@mantine/core";
import { ExitIcon } from "@radix-ui/react-icons";
import { useLocation } from "wouter";
import { orders } from "./api.ts";
import { Face, useFaceUrl } from "./faces.tsx";
import { session } from "./session.ts";
import type { Me } from "./shapes.ts";

/** Who is signed in, and the way out. */
export function PersonMenu({ me }: { me: Me }) {
  const faceUrl = useFaceUrl();
  const [, navigate] = useLocation();
  const signOut = useAction(orders.signOut, {
    after: () => {
      session.leave();
      navigate("/sign-in", { replace: true });
    },
  });
  return (
    <Group gap="sm" wrap="nowrap">
      <Face src={faceUrl(me.user, 80)} size={36} round />
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={550} truncate>
          {me.user.name}
        </Text>
        <Text size="xs" c="dimmed" truncate title={me.user.email}>
          {me.user.email}
        </Text>
      </Stack>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Sign out"
        {...tip("Sign out")}
        {...signOut}
      >
        <ExitIcon />
      </ActionIcon>
    </Group>
  );
}
