import { ActionForm, CopyField, Loaded, Moment, Page, Section, tellDone, useAction } from "@frontdesk/ui";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { MagicWandIcon, TrashIcon, UploadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { orders, questions } from "../api.ts";
import { inWords } from "../editor/parts.ts";
import { Face, FaceSizes, useFaceUrl } from "../faces.tsx";
import { NameFields, useName } from "../name-fields.tsx";
import { changed } from "../session.ts";
import type { Avatar, Me } from "../shapes.ts";
import classes from "./home.module.css";

export function HomePage({ me }: { me: Me }) {
  const avatar = useQuery(questions.avatar);
  const name = me.user.first_name;
  return (
    <Page
      title={name ? `Hello, ${name}` : "Your face"}
      intro="This is what others see wherever your e-mail address has a face."
    >
      {name === null && <NameCard />}
      <Loaded query={avatar}>{(saved) => <FaceCard me={me} avatar={saved} />}</Loaded>
    </Page>
  );
}

function FaceCard({ me, avatar }: { me: Me; avatar: Avatar | null }) {
  const faceUrl = useFaceUrl();
  const { data: config } = useQuery(questions.config);
  const hash = me.user.hash ?? "";
  const shown = me.emails.filter(({ verified }) => verified);
  return (
    <Section title="Your face now" actions={<KindBadge avatar={avatar} />}>
      <div className={classes.hero}>
        <Face src={faceUrl(me.user, 512)} size={256} alt="Your face as others see it" />
        <Stack gap="lg" miw={0}>
          <FaceSizes srcOf={(size) => faceUrl(me.user, size * 2)} />
          <Text size="sm" c="dimmed">
            {avatar ? (
              <>
                Saved <Moment time={avatar.updated_at} />, version {avatar.version}. Shown for{" "}
                {shown.map(({ email }) => email).join(", ")}.
              </>
            ) : (
              "You have not made one yet, so this face is drawn from your address. Design your own, or upload a picture."
            )}
          </Text>
          <Group gap="sm">
            <Button component={Link} href="/editor" leftSection={<MagicWandIcon />}>
              {avatar?.kind === "designed" ? "Change the design" : "Design a face"}
            </Button>
            <Button component={Link} href="/upload" variant="default" leftSection={<UploadIcon />}>
              Upload a picture
            </Button>
            {avatar && <RemoveButton />}
          </Group>
        </Stack>
      </div>
      {config && (
        <Stack gap={6}>
          <Text size="sm" fw={550}>
            Its public address
          </Text>
          <CopyField value={`${config.media_url}/${hash}`} what="the address of your face" />
        </Stack>
      )}
    </Section>
  );
}

function KindBadge({ avatar }: { avatar: Avatar | null }) {
  if (!avatar) return <Badge color="gray">Drawn from your address</Badge>;
  if (avatar.kind === "uploaded") return <Badge>Your picture</Badge>;
  return <Badge>Your design{avatar.collection ? ` · ${inWords(avatar.collection)}` : ""}</Badge>;
}

function RemoveButton() {
  const remove = useAction(orders.removeAvatar, {
    ask: {
      title: "Remove your face?",
      body: "All your addresses go back to the face that is drawn from them. Browsers may show the old one for some minutes.",
      action: "Remove it",
      danger: true,
    },
    changes: [questions.avatar],
    done: "Removed. Your addresses show their drawn faces again.",
  });
  return (
    <Button variant="subtle" color="gray" leftSection={<TrashIcon />} {...remove}>
      Remove
    </Button>
  );
}

/** Asked once, of people who have no name here yet. */
function NameCard() {
  const name = useName({ first: "", last: "" });
  const save = async () => {
    await orders.setName(name.written);
    await changed(questions.me);
    tellDone("Nice to meet you.");
  };
  return (
    <Section title="What is your name?" about="One name is enough. You can change it later.">
      <ActionForm action="Save my name" onSubmit={save} disabled={!name.written.first_name}>
        <NameFields name={name} />
      </ActionForm>
    </Section>
  );
}
