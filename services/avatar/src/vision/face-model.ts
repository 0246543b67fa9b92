import { readFileSync } from "node:fs";

/** Where things are in a photo, in pixels, and how the face looks. */
export interface SeenFace {
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** The 68 points of the iBUG scheme: jaw 0–16, brows 17–26, nose 27–35, eyes 36–47, mouth 48–67. */
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>;
  readonly expression: string;
}

export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const MODELS = new URL("../model/", import.meta.resolve("@vladmandic/face-api/dist/face-api.esm.js"));
const MIN_SCORE = 0.4;

/**
 * The library brings its weights along, and a TensorFlow that runs on any processor. The one bundle that
 * has both believes that it is in a browser, so that much of one is made up here, in a thread that does
 * nothing else.
 */
async function loadLibrary() {
  const surroundings = globalThis as unknown as Record<string, unknown>;
  surroundings.window ??= globalThis;
  surroundings.document ??= { createElement: () => ({ getContext: () => null }) };
  // Looking for it is enough to make the runtime warn.
  Object.defineProperty(globalThis, "localStorage", { value: undefined, configurable: true });
  const library = await import("@vladmandic/face-api/dist/face-api.esm.js");
  library.tf.enableProdMode();
  await library.tf.setBackend("cpu");
  await library.tf.ready();
  return library;
}

/** Finds the largest face; undefined when there is none. */
export async function createFaceModel(): Promise<(pixels: Pixels) => Promise<SeenFace | undefined>> {
  const { tf, nets, detectAllFaces, TinyFaceDetectorOptions } = await loadLibrary();
  const load = (net: { loadFromWeightMap(map: unknown): void }, name: string) => {
    const groups: Array<{ weights: object[]; paths: string[] }> = JSON.parse(
      readFileSync(new URL(`${name}-weights_manifest.json`, MODELS), "utf8"),
    );
    const bytes = Buffer.concat(
      groups.flatMap(({ paths }) => paths.map((path) => readFileSync(new URL(path, MODELS)))),
    );
    const specifications = groups.flatMap(({ weights }) => weights);
    net.loadFromWeightMap(tf.io.decodeWeights(new Uint8Array(bytes).buffer, specifications));
  };
  load(nets.tinyFaceDetector, "tiny_face_detector_model");
  load(nets.faceLandmark68Net, "face_landmark_68_model");
  load(nets.faceExpressionNet, "face_expression_model");
  const options = new TinyFaceDetectorOptions({ inputSize: 320, scoreThreshold: MIN_SCORE });

  return async ({ data, width, height }) => {
    const image = tf.tensor3d(data, [height, width, 3], "int32");
    try {
      const faces = await detectAllFaces(image, options).withFaceLandmarks().withFaceExpressions();
      const largest = faces.sort((one, other) => other.detection.box.area - one.detection.box.area)[0];
      if (!largest) return undefined;
      const { x, y, width, height } = largest.detection.box;
      const [expression = "neutral"] =
        Object.entries(largest.expressions).sort(([, one], [, other]) => other - one)[0] ?? [];
      return { box: { x, y, width, height }, points: largest.landmarks.positions, expression };
    } finally {
      image.dispose();
    }
  };
}
