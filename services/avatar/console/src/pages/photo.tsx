import {
  ErrorState,
  FileDrop,
  LoadingState,
  Page,
  Section,
  tellDone,
  useNavigateIfMounted,
} from "@frontdesk/ui";
import { List } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Redirect } from "wouter";
import { orders, questions } from "../api.ts";
import { change, newSeed } from "../editor/design.ts";
import { useWorkbench } from "../editor/workbench.tsx";
import { readPicture, STILL_TYPES, shrinkPhoto } from "../picture-file.ts";
import { t } from "../words/pictures.ts";

export function PhotoPage() {
  const { data: config } = useQuery(questions.config);
  const { setHistory } = useWorkbench();
  const navigate = useNavigateIfMounted();
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
      setHistory((now) => change(now, { collection: style, seed: newSeed(), options: { ...options } }));
      tellDone(t.hereIsASuggestionChangeWhat);
      navigate("/editor");
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
