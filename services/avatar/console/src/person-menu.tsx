import { SignOutButton } from "@frontdesk/ui";
import { Group, Stack, Text } from "@mantine/core";
import { useLocation } from "wouter";
import { orders } from "./api.ts";
import { Face, useFaceUrl } from "./faces.tsx";
import { session } from "./session.ts";
import type { Me } from "./shapes.ts";

/** Who is signed in, and the way out. */
export function PersonMenu({ me }: { me: Me }) {
  const faceUrl = useFaceUrl();
  const [, navigate] = useLocation();
  const signOut = async () => {
    await session.signOut(orders.signOut);
    navigate("/sign-in", { replace: true });
  };
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
      <SignOutButton signOut={signOut} />
    </Group>
  );
}
