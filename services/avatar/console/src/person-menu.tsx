import { tellFailure } from "@frontdesk/ui";
import { ActionIcon, Group, Stack, Text, Tooltip } from "@mantine/core";
import { ExitIcon } from "@radix-ui/react-icons";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { orders } from "./api.ts";
import { Face, useFaceUrl } from "./faces.tsx";
import { forgetSession } from "./session.ts";
import type { Me } from "./shapes.ts";

/** Who is signed in, and the way out. */
export function PersonMenu({ me }: { me: Me }) {
  const faceUrl = useFaceUrl();
  const [, navigate] = useLocation();
  const signOut = useMutation({
    mutationFn: orders.signOut,
    onSuccess: () => {
      forgetSession();
      navigate("/sign-in", { replace: true });
    },
    onError: tellFailure,
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
      <Tooltip label="Sign out">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Sign out"
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          <ExitIcon />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
