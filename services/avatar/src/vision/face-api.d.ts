/** The part of the library that we use; its own types want a browser's. */
declare module "@vladmandic/face-api/dist/face-api.esm.js" {
  interface Tensor {
    dispose(): void;
  }
  interface Net {
    loadFromWeightMap(map: unknown): void;
  }
  interface Face {
    detection: { box: { x: number; y: number; width: number; height: number; area: number } };
    landmarks: { positions: Array<{ x: number; y: number }> };
    expressions: Record<string, number>;
  }
  export const tf: {
    enableProdMode(): void;
    setBackend(name: string): Promise<boolean>;
    ready(): Promise<void>;
    tensor3d(data: Uint8Array, shape: [number, number, number], type: "int32"): Tensor;
    io: { decodeWeights(bytes: ArrayBufferLike, specifications: object[]): unknown };
  };
  export const nets: { tinyFaceDetector: Net; faceLandmark68Net: Net; faceExpressionNet: Net };
  export class TinyFaceDetectorOptions {
    constructor(options: { inputSize: number; scoreThreshold: number });
  }
  export function detectAllFaces(
    image: Tensor,
    options: TinyFaceDetectorOptions,
  ): { withFaceLandmarks(): { withFaceExpressions(): Promise<Face[]> } };
}
