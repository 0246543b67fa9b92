import {
  ErrorState,
  FileDrop,
  LoadingState,
  Page,
  Section,
  tellDone,
  tellOffer,
  useIsMounted,
} from "@frontdesk/ui";
import { List } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Redirect, useLocation } from "wouter";
import { orders, questions } from "../api.ts";
import { change, newSeed } from "../editor/design.ts";
import { useWorkbench } from "../editor/workbench.tsx";
import { readPicture, STILL_TYPES, shrinkPhoto } from "../picture-file.ts";
import { t } from "../words/pictures.ts";

export function PhotoPage() {
  const { data: config } = useQuery(questions.config);
  const { setHistory } = useWorkbench();
  const [, navigate] = useLocation();
  const isMounted = useIsMounted();
  const suggest = useMutation({
    mutationFn: async (file: File) => {
      const image = await readPicture(file);
      try {
        return await orders.fromPhoto(await shrinkPhoto(image));
      } finally {
        URL.revokeObjectURL(image.src);
      }
    },
    onSuccess: ({ style, options }) => {
      const use = () => {
        setHistory((now) => change(now, { collection: style, seed: newSeed(), options: { ...options } }));
        tellDone(t.hereIsASuggestionChangeWhat);
        navigate("/editor");
      };
      // Whoever has left the page may be designing something else.
      if (isMounted.current) use();
      else tellOffer(t.aSuggestionIsReady, "photo", { name: t.useIt, act: use });
    },
  });
  if (config && !config.vision) return <Redirect to="/" replace />;
  return (
    <Page title={t.fromAPhoto} intro={t.showUsAPhotoOfYour}>
      {suggest.error && <ErrorState error={suggest.error} />}
      {suggest.isPending ? (
        <Section title={t.lookingAtYourPhoto}>
          <LoadingState what={t.thisTakesAFewSeconds} />
        </Section>
      ) : (
        <FileDrop
          action={t.chooseAPhoto}
          hint={t.pngJpegOrWebpWithOne}
          accept={STILL_TYPES.join(",")}
          onFile={(file) => suggest.mutate(file)}
        />
      )}
      <Section title={t.whatHappensToThePhoto}>
        <List size="sm" spacing={4}>
          <List.Item>{t.itIsMadeSmallerInYour}</List.Item>
          <List.Item>{t.itIsLookedAtOnceAnd}</List.Item>
          <List.Item>{t.nothingIsSavedUntilYouSave}</List.Item>
        </List>
      </Section>
    </Page>
  );
}
