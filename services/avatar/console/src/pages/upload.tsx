import {
  busyProps,
  FileDrop,
  Page,
  Section,
  sentenceOf,
  tellDone,
  tellFailure,
  useConfirm,
} from "@frontdesk/ui";
import { Alert, Button, Group, Slider, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import Cropper, { type Area } from "react-easy-crop";
import "react-easy-crop/react-easy-crop.css";
import { useLocation } from "wouter";
import { orders, questions } from "../api.ts";
import { useWorkbench } from "../editor/workbench.tsx";
import { Face, FaceSizes } from "../faces.tsx";
import { ANIMATED_TYPE, cropSquare, previewSquare, readPicture, STILL_TYPES } from "../picture-file.ts";
import { changed } from "../session.ts";
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
    <Page
      title="Upload a picture"
      intro="Choose a picture and the square that becomes your face. Only that square leaves your machine; an animated GIF is sent whole."
    >
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {picked ? (
        <Finish picked={picked} onBack={() => setPicked(undefined)} />
      ) : (
        <FileDrop
          action="Choose a picture"
          hint="PNG, JPEG, WebP or GIF. You can also drop it here."
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
    throw new Error("That is not a picture we can use. Take a PNG, JPEG, WebP or GIF.");
  }
  if (animated && file.size > maxBytes) {
    throw new Error(
      `That GIF is too large: ${megabytes(file.size)} where ${megabytes(maxBytes)} is the limit.`,
    );
  }
  return { image: await readPicture(file), file, animated };
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function Finish({ picked, onBack }: { picked: Picked; onBack: () => void }) {
  const [, navigate] = useLocation();
  const [area, setArea] = useState<Area>();
  const shown = useMemo(() => {
    if (picked.animated) return picked.image.src;
    return area && previewSquare(picked.image, area);
  }, [area, picked]);
  const send = useMutation({
    // Cut anew: the square in the preview may be a moment behind the hand.
    mutationFn: async (square: Area | undefined) =>
      square && !picked.animated
        ? orders.upload(await cropSquare(picked.image, square), "face.png")
        : orders.upload(picked.file, "face.gif"),
    onSuccess: async () => {
      await changed(questions.avatar);
      tellDone("Saved. All your confirmed addresses show this picture now.");
      navigate("/");
    },
    onError: tellFailure,
  });
  const { saved: design, setHistory } = useWorkbench();
  const confirm = useConfirm();
  const start = async () => {
    if (send.isPending) return;
    const question = {
      title: "Replace your design?",
      body: "Your addresses show the design that you saved. This picture takes its place; the design stays in the editor as a draft until you sign out.",
      action: "Replace it",
    };
    if (design && !(await confirm(question))) return;
    // The editor holds what it shows, so that it is still there when it is no longer saved.
    if (design) setHistory((now) => now);
    send.mutate(area);
  };
  const ready = picked.animated || area !== undefined;
  return (
    <div className={classes.bench}>
      <Section
        title={picked.animated ? "Your GIF" : "Choose the square"}
        about={
          picked.animated
            ? "It keeps its animation, so it is taken as it is. Where it is shown square, its middle is shown."
            : "Drag the picture, or use the arrow keys. Zoom with the wheel, two fingers, or the slider."
        }
      >
        {picked.animated ? (
          <img className={classes.gif} src={picked.image.src} alt="The chosen GIF" />
        ) : (
          <CropArea src={picked.image.src} onArea={setArea} />
        )}
      </Section>
      <Section title="So it will look">
        <Face src={shown} size={160} alt="The chosen square" />
        <FaceSizes srcOf={() => shown} />
        <Stack gap="xs">
          <Button size="md" disabled={!ready} {...busyProps(send.isPending)} onClick={() => void start()}>
            Use this picture
          </Button>
          <Button variant="subtle" color="gray" onClick={onBack}>
            Choose another
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
            "aria-label": "The square that becomes your face. Arrow keys move it.",
            role: "application",
          }}
        />
      </div>
      <Group gap="md" wrap="nowrap">
        <Text size="sm" id="zoom">
          Zoom
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
