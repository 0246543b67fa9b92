import { ErrorState, FileDrop, LoadingState, Page, Section, tellDone } from "@frontdesk/ui";
import { List } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Redirect, useLocation } from "wouter";
import { orders, questions } from "../api.ts";
import { change, newSeed } from "../editor/design.ts";
import { useWorkbench } from "../editor/workbench.tsx";
import { readPicture, STILL_TYPES, shrinkPhoto } from "../picture-file.ts";

export function PhotoPage() {
  const { data: config } = useQuery(questions.config);
  const { setHistory } = useWorkbench();
  const [, navigate] = useLocation();
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
      tellDone("Here is a suggestion. Change what you like, then save it.");
      navigate("/editor");
    },
  });
  if (config && !config.vision) return <Redirect to="/" replace />;
  return (
    <Page
      title="From a photo"
      intro="Show us a photo of your face and we suggest a drawing that looks like it. You can change it before you save."
    >
      {suggest.error && <ErrorState error={suggest.error} />}
      {suggest.isPending ? (
        <Section title="Looking at your photo">
          <LoadingState what="This takes a few seconds" />
        </Section>
      ) : (
        <FileDrop
          action="Choose a photo"
          hint="PNG, JPEG or WebP, with one face, large and well lit."
          accept={STILL_TYPES.join(",")}
          onFile={(file) => suggest.mutate(file)}
        />
      )}
      <Section title="What happens to the photo">
        <List size="sm" spacing={4}>
          <List.Item>
            It is made smaller in your browser, without the place and time the camera wrote into it.
          </List.Item>
          <List.Item>
            It is looked at once, and then forgotten. It is never stored and never logged.
          </List.Item>
          <List.Item>Nothing is saved until you save the drawing.</List.Item>
        </List>
      </Section>
    </Page>
  );
}
