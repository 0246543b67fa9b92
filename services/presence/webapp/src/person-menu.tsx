import { SignOutButton } from "@frontdesk/ui";
import { Group, Stack, Text } from "@mantine/core";
import { useLocation } from "wouter";
import { call } from "./api.ts";
import { Face } from "./board/face.tsx";
import { forgetBoards } from "./kept-board.ts";
import { lastOrg } from "./last-org.ts";
import { session } from "./session.ts";

/** Who is signed in, and the way out. */
export function PersonMenu({ name, face, more }: { name: string; face?: string; more?: string }) {
  const [, navigate] = useLocation();
  const signOut = async () => {
    await session.signOut(() => call("POST /auth/logout"));
    lastOrg.forget();
    await forgetBoards();
    navigate("/", { replace: true });
  };
  return (
    <Group gap="sm" wrap="nowrap">
      {face !== undefined && <Face src={face} name={name} size={36} />}
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={550} truncate dir="auto">
          {name}
        </Text>
        {more && (
          <Text size="xs" c="dimmed" truncate dir="auto">
            {more}
          </Text>
        )}
      </Stack>
      <SignOutButton signOut={signOut} />
    </Group>
  );
}
