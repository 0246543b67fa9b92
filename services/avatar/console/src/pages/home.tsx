import {
  ActionForm,
  CopyField,
  filled,
  Loaded,
  listed,
  Moment,
  Page,
  Section,
  tellDone,
  useAction,
  useUnsaved,
} from "@frontdesk/ui";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { MagicWandIcon, TrashIcon, UploadIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { orders, questions } from "../api.ts";
import { inWords } from "../editor/parts.ts";
import { Face, FaceSizes, useFaceUrl } from "../faces.tsx";
import { NameFields, writtenName } from "../name-fields.tsx";
import { changed } from "../session.ts";
import type { Avatar, Me } from "../shapes.ts";
import { t } from "../words/frame.ts";
import classes from "./home.module.css";

export function HomePage({ me }: { me: Me }) {
  const avatar = useQuery(questions.avatar);
  const name = me.user.first_name;
  return (
    <Page title={name ? t.hello(name) : t.yourFace} intro={t.thisIsWhatOthersSeeWherever}>
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
    <Section title={t.yourFaceNow} actions={<KindBadge avatar={avatar} />}>
      <div className={classes.hero}>
        <Face src={faceUrl(me.user, 512)} size={256} alt={t.yourFaceAsOthersSeeIt} />
        <Stack gap="lg" miw={0}>
          <FaceSizes srcOf={(size) => faceUrl(me.user, size * 2)} />
          <Text size="sm" c="dimmed">
            {avatar
              ? filled(t.savedAndShown, {
                  when: <Moment time={avatar.updated_at} />,
                  version: avatar.version,
                  addresses: listed(shown.map(({ email }) => email)),
                })
              : t.youHaveNotMadeOneYet}
          </Text>
          <Group gap="sm">
            <Button component={Link} href="/editor" leftSection={<MagicWandIcon />}>
              {avatar?.kind === "designed" ? t.changeTheDesign : t.designAFace}
            </Button>
            <Button component={Link} href="/upload" variant="default" leftSection={<UploadIcon />}>
              {t.uploadAPicture}
            </Button>
            {avatar && <RemoveButton avatar={avatar} />}
          </Group>
        </Stack>
      </div>
      {config && (
        <Stack gap={6}>
          <Text size="sm" fw={550}>
            {t.itsPublicAddress}
          </Text>
          <CopyField value={`${config.media_url}/${hash}`} what={t.theAddressOfYourFace} />
        </Stack>
      )}
    </Section>
  );
}

function KindBadge({ avatar }: { avatar: Avatar | null }) {
  if (!avatar) return <Badge color="gray">{t.drawnFromYourAddress}</Badge>;
  if (avatar.kind === "uploaded") return <Badge>{t.yourPicture}</Badge>;
  return <Badge>{avatar.collection ? t.yourDesignIn(inWords(avatar.collection)) : t.yourDesign}</Badge>;
}

function RemoveButton({ avatar: { version } }: { avatar: Avatar }) {
  const remove = useAction(() => orders.removeAvatar(version), {
    ask: {
      title: t.removeYourFace,
      body: t.allYourAddressesGoBackTo,
      action: t.removeIt,
      danger: true,
    },
    changes: [questions.avatar],
    done: t.removedYourAddressesShowTheir,
  });
  return (
    <Button variant="subtle" color="gray" leftSection={<TrashIcon />} {...remove}>
      {t.remove}
    </Button>
  );
}

/** Asked once, of people who have no name here yet. */
function NameCard() {
  const draft = useUnsaved("name ~first", { value: { first: "", last: "" }, version: "" });
  const written = writtenName(draft.value);
  const save = async () => {
    await orders.setName(written);
    draft.discard();
    await changed(questions.me);
    // The card is gone, and the focus would be with it.
    document.querySelector<HTMLElement>("main h1")?.focus();
    tellDone(t.niceToMeetYou);
  };
  return (
    <Section title={t.whatIsYourName} about={t.oneNameIsEnoughYouCan}>
      <ActionForm action={t.saveMyName} onSubmit={save} disabled={!written.first_name}>
        <NameFields name={draft.value} onChange={draft.set} />
      </ActionForm>
    </Section>
  );
}
