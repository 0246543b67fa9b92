import type { StyleOption } from "../domain/design.ts";
import type { Vision } from "../domain/photo.ts";
import type { AvatarSettings } from "../settings.ts";
import { localVision } from "./local-vision.ts";
import { openAiVision } from "./openai-vision.ts";

/** Whoever looks at photos, by the settings; undefined where nobody does. */
export function openVision(
  config: AvatarSettings,
  known: readonly StyleOption[],
): (Vision & { close?(): Promise<void> }) | undefined {
  const url = config.AVATAR_VISION_URL;
  if (!url) return undefined;
  if (url === "local") return localVision(known);
  return openAiVision({ url, key: config.AVATAR_VISION_KEY, model: config.AVATAR_VISION_MODEL, known });
}
