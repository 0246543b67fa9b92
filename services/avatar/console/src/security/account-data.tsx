import { ActionForm, filled, LateDialog, Section, tellDone } from "@frontdesk/ui";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { DownloadIcon } from "@radix-ui/react-icons";
import { useState } from "react";
import { useLocation } from "wouter";
import { orders } from "../api.ts";
import { session } from "../session.ts";
import type { Me } from "../shapes.ts";
import { t } from "../words/account.ts";

export function DataSection() {
  return (
    <Section title={t.yourData} about={t.everythingWeHoldAboutYouIn}>
      <Group>
        <Button component="a" href="/me/export" download variant="default" leftSection={<DownloadIcon />}>
          {t.downloadMyData}
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
    await session.leave(() => orders.deleteAccount(typed.trim()));
    navigate("/sign-in", { replace: true });
    tellDone(t.yourAccountIsDeleted);
  };
  return (
    <Section title={t.deleteYourAccount} about={t.yourAddressesYourFaceAndEverything}>
      <Group>
        <Button variant="outline" color="red" onClick={show}>
          {t.deleteMyAccount}
        </Button>
      </Group>
      <LateDialog opened={open} onClose={close} title={t.askToDelete}>
        <ActionForm
          action={t.deleteItForGood}
          danger
          onSubmit={remove}
          disabled={typed.trim().toLowerCase() !== me.user.email.toLowerCase()}
          beside={
            <Button variant="default" onClick={close}>
              {t.keepIt}
            </Button>
          }
        >
          <Stack gap="sm">
            <Text size="sm">{filled(t.toBeSure, { address: <strong>{me.user.email}</strong> })}</Text>
            <TextInput
              label={t.yourPrimaryAddress}
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
