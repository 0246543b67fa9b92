import { CopyField, count, Loaded, Page, Section } from "@frontdesk/ui";
import { Group, NativeSelect, Slider, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { questions } from "../api.ts";
import { Face, useFaceUrl } from "../faces.tsx";
import type { Me } from "../shapes.ts";
import { snippets } from "../snippets.ts";
import { t } from "../words/use.ts";

/** The address of the face in the forms that people paste. */
export function UsePage({ me }: { me: Me }) {
  const config = useQuery(questions.config);
  return (
    <Page help="reading" title={t.useIt} intro={t.yourFaceHasAPublicAddress}>
      <Loaded query={config}>{({ media_url }) => <Snippets me={me} mediaUrl={media_url} />}</Loaded>
    </Page>
  );
}

function Snippets({ me, mediaUrl }: { me: Me; mediaUrl: string }) {
  const faceUrl = useFaceUrl();
  const confirmed = me.emails.filter(({ verified }) => verified);
  const [email, setEmail] = useState(me.user.email);
  const [size, setSize] = useState(128);
  const sizeLabel = useId();
  const hash = confirmed.find((each) => each.email === email)?.hash ?? me.user.hash ?? "";
  return (
    <>
      <Section title={t.forPagesAndDocuments}>
        <Group gap="xl" align="center">
          <Face
            src={faceUrl({ hash }, Math.min(512, size * 2))}
            size={Math.min(size, 160)}
            alt={t.yourFace}
          />
          <Stack gap="md" flex="1 1 16rem" maw="26rem">
            <NativeSelect
              label={t.yourAddress}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              data={confirmed.map((each) => each.email)}
            />
            <Stack gap={6}>
              <Group justify="space-between">
                <Text size="sm" fw={500} id={sizeLabel}>
                  {t.size}
                </Text>
                <Text size="sm" c="dimmed">
                  {count(size, t.pixels)}
                </Text>
              </Group>
              <Slider
                min={16}
                max={512}
                step={16}
                value={size}
                onChange={setSize}
                label={null}
                thumbProps={{ "aria-labelledby": sizeLabel }}
              />
            </Stack>
          </Stack>
        </Group>
        {snippets({ mediaUrl, hash, size, name: me.user.name }).map(({ title, text }) => (
          <Stack key={title} gap={6}>
            <Text size="sm" fw={550}>
              {title}
            </Text>
            <CopyField value={text} what={title} />
          </Stack>
        ))}
      </Section>
      <Section title={t.forProgramsThatKnowGravatar} about={t.giveThemThisAddressInPlace}>
        <CopyField value={`${mediaUrl}/avatar/`} what={t.theBaseAddress} />
      </Section>
    </>
  );
}
