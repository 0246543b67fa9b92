import { FileDrop, Page, Section, sentenceOf, useAction, useNavigateIfMounted } from "@frontdesk/ui";
import { Alert, Button, Group, Slider, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import Cropper, { type Area } from "react-easy-crop";
import { t } from "../words/pictures.ts";
import "react-easy-crop/react-easy-crop.css";
import { orders, questions } from "../api.ts";
import { designOf, useWorkbench } from "../editor/workbench.tsx";
import { Face, FaceSizes } from "../faces.tsx";
import { ANIMATED_TYPE, cropSquare, previewSquare, readPicture, STILL_TYPES } from "../picture-file.ts";
import { queryClient } from "../session.ts";
import classes from "./upload.module.css";

type Picked = { readonly image: HTMLImageElement; readonly file: File; readonly animated: boolean };

export function UploadPage() {
  const { data: config } = useQuery(questions.config);
  const [picked, setPicked] = useState<Picked>();
  const [problem, setProblem] = useState("");
  useEffect(() => () => URL.revokeObjectURL(picked?.image.src ?? ""), [picked]);

  const take = async (file: File) => {
    setProblem("");
    try {
      setPicked(await judge(file, config?.max_upload_bytes));
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  return (
    <Page title={t.uploadAPicture} intro={t.chooseAPictureAndTheSquare}>
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {picked ? (
        <Finish picked={picked} onBack={() => setPicked(undefined)} />
      ) : (
        <FileDrop
          action={t.chooseAPicture}
          hint={t.pngJpegWebpOrGifYou}
          accept={[...STILL_TYPES, ANIMATED_TYPE].join(",")}
          onFile={(file) => void take(file)}
        />
      )}
    </Page>
  );
}

async function judge(file: File, maxBytes = 2 * 1024 * 1024): Promise<Picked> {
  const animated = file.type === ANIMATED_TYPE;
  if (!animated && !STILL_TYPES.includes(file.type)) {
    throw new Error(t.thatIsNotAPictureWe);
  }
  if (animated && file.size > maxBytes) {
    throw new Error(t.thatGifIsTooLargeWhere(megabytes(file.size), megabytes(maxBytes)));
  }
  return { image: await readPicture(file), file, animated };
}

const megabytes = (bytes: number) => t.mb((bytes / 1024 / 1024).toFixed(1));

function Finish({ picked, onBack }: { picked: Picked; onBack: () => void }) {
  const navigate = useNavigateIfMounted();
  const [area, setArea] = useState<Area>();
  const shown = useMemo(() => {
    if (picked.animated) return picked.image.src;
    return area && previewSquare(picked.image, area);
  }, [area, picked]);
  const { hold } = useWorkbench();
  const seen = useRef<number | null>(null);
  const use = useAction(
    // Cut anew: the square in the preview may be a moment behind the hand.
    async () =>
      area && !picked.animated
        ? orders.upload(await cropSquare(picked.image, area), "face.png", seen.current)
        : orders.upload(picked.file, "face.gif", seen.current),
    {
      ask: async (confirm) => {
        // Asked anew: it may have been saved on another device.
        const now = await queryClient.fetchQuery({ ...questions.avatar, staleTime: 0 });
        seen.current = now?.version ?? null;
        const design = designOf(now);
        if (!design) return true;
        const isAgreed = await confirm({
          title: t.replaceYourDesign,
          body: t.yourAddressesShowTheDesign,
          action: t.replaceIt,
        });
        if (isAgreed) hold(design);
        return isAgreed;
      },
      changes: [questions.avatar],
      done: t.savedAllYourConfirmedAddresses,
      after: () => navigate("/"),
    },
  );
  const ready = picked.animated || area !== undefined;
  return (
    <div className={classes.bench}>
      <Section
        title={picked.animated ? t.yourGif : t.chooseTheSquare}
        about={picked.animated ? t.itKeepsItsAnimationSoIt : t.dragThePictureOrUseThe}
      >
        {picked.animated ? (
          <img className={classes.gif} src={picked.image.src} alt={t.theChosenGif} />
        ) : (
          <CropArea src={picked.image.src} onArea={setArea} />
        )}
      </Section>
      <Section title={t.soItWillLook}>
        <Face src={shown} size={160} alt={t.theChosenSquare} />
        <FaceSizes srcOf={() => shown} />
        <Stack gap="xs">
          <Button size="md" disabled={!ready} {...use}>
            {t.useThisPicture}
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t.chooseAnother}
          </Button>
        </Stack>
      </Section>
    </div>
  );
}

function CropArea({ src, onArea }: { src: string; onArea: (area: Area) => void }) {
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  return (
    <Stack gap="md">
      <div className={classes.crop}>
        <Cropper
          image={src}
          crop={crop}
          zoom={zoom}
          minZoom={1}
          maxZoom={6}
          aspect={1}
          showGrid={false}
          onCropChange={setCrop}
          onZoomChange={setZoom}
          onCropAreaChange={(_, pixels) => onArea(pixels)}
          keyboardStep={4}
          disableAutomaticStylesInjection
          mediaProps={{ alt: "" }}
          cropperProps={{
            "aria-label": t.theSquareThatBecomesYourFace,
            role: "application",
          }}
        />
      </div>
      <Group gap="md" wrap="nowrap">
        <Text size="sm" id="zoom">
          {t.zoom}
        </Text>
        <Slider
          flex={1}
          min={1}
          max={6}
          step={0.05}
          value={zoom}
          onChange={setZoom}
          label={null}
          thumbProps={{ "aria-labelledby": "zoom" }}
        />
      </Group>
    </Stack>
  );
}
