import { ActionForm, LateDialog, Section, tellDone } from "@frontdesk/ui";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useState } from "react";
import { useLocation } from "wouter";
import { orders } from "../api.ts";
import { session } from "../session.ts";
import type { Me } from "../shapes.ts";

export function DataSection() {
  return (
    <Section
      title="Your data"
      about="Everything we hold about you, in one file that people and programs can read."
    >
      <Group>
        <Button component="a" href="/me/export" download variant="default" leftSection={<DownloadIcon />}>
          Download my data
        </Button>
      </Group>
    </Section>
  );
}

export function DeleteSection({ me }: { me: Me }) {
  const [open, { open: show, close }] = useDisclosure(false);
  const [typed, setTyped] = useState("");
  const [, navigate] = useLocation();
  const remove = async () => {
    await orders.deleteAccount(typed.trim());
    session.leave();
    navigate("/sign-in", { replace: true });
    tellDone("Your account is deleted.");
  };
  return (
    <Section
      title="Delete your account"
      about="Your addresses, your face and everything else we hold are removed at once. This cannot be undone."
    >
      <Group>
        <Button variant="outline" color="red" onClick={show}>
          Delete my account
        </Button>
      </Group>
      <LateDialog opened={open} onClose={close} title="Delete your account?">
        <ActionForm
          action="Delete it for good"
          danger
          onSubmit={remove}
          disabled={typed.trim().toLowerCase() !== me.user.email.toLowerCase()}
          beside={
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
          }
        >
          <Stack gap="sm">
            <Text size="sm">
              To be sure, type your primary address: <strong>{me.user.email}</strong>
            </Text>
            <TextInput
              label="Your primary address"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
            />
          </Stack>
        </ActionForm>
      </LateDialog>
    </Section>
  );
}
