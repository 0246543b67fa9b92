import type { AvatarStyle } from "./avatar-style.ts";

export interface Attribution {
  readonly title: string;
  readonly creator: string;
  readonly source: string;
  readonly license: string;
  readonly licenseUrl: string;
}

/** Whom the drawings of each style come from, as its licence asks to say. */
export interface Attributions {
  of(style: AvatarStyle): Attribution;
  /** One line, for a picture's own metadata. */
  line(style: AvatarStyle): string;
}
