import { DomainError } from "@frontdesk/kit/domain-error";
import { type DesignOptions, parseOptions, type StyleCatalogue } from "./design.ts";
import { refuse } from "./errors.ts";

const STYLE = "avataaars";

/** A photo as small as it can be and still be described, without anything that a camera wrote into it. */
export interface SmallPhoto {
  readonly jpeg: Uint8Array;
}

/** Makes photos small, or refuses them. */
export interface PhotoReader {
  read(bytes: Uint8Array): Promise<SmallPhoto>;
}

/** What is seen in a photo: nobody, or somebody who would be drawn like this. */
export type Sight = { readonly face: false } | { readonly face: true; readonly options: unknown };

/** Whoever looks at photos. Rejects when it could not. */
export interface Vision {
  look(photo: SmallPhoto): Promise<Sight>;
}

export interface Suggestion {
  readonly style: typeof STYLE;
  readonly options: DesignOptions;
}

/** A photo becomes a design that its owner can go on from. It is looked at and forgotten: nothing is saved. */
export function createPhotos(ports: {
  vision: Vision | undefined;
  reader: PhotoReader;
  catalogue: StyleCatalogue;
  onFailure: (error: Error) => void;
}) {
  const { vision } = ports;
  return {
    configured: vision !== undefined,

    mustBeConfigured(): void {
      if (!vision) throw refuse("vision_not_configured");
    },

    async suggest(bytes: Uint8Array): Promise<Suggestion> {
      if (!vision) throw refuse("vision_not_configured");
      const photo = await ports.reader.read(bytes);
      const sight = await vision.look(photo).catch((error) => {
        // Too many at once are told as that.
        if (error instanceof DomainError) throw error;
        ports.onFailure(error);
        throw refuse("suggestion_failed");
      });
      if (!sight.face) throw refuse("no_face");
      try {
        // Whoever looked, what leaves here is what the style takes.
        return { style: STYLE, options: parseOptions(ports.catalogue.optionsOf(STYLE), sight.options) };
      } catch {
        ports.onFailure(new Error("the answer has options that the style does not take"));
        throw refuse("suggestion_failed");
      }
    },
  };
}

export type Photos = ReturnType<typeof createPhotos>;
