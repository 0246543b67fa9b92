import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { questions } from "../api.ts";
import type { Design } from "./design.ts";

/** A slider sends a change for every pixel; the server is asked when the hand rests for a moment. */
const REST_MS = 120;

/** The drawing of a design, the last one while the next is on its way. */
export function usePreview(design: Design) {
  const [resting] = useDebouncedValue(design, REST_MS);
  return useQuery({ ...questions.preview(resting), placeholderData: keepPreviousData });
}
