/** The collections of drawn faces. */
export const AVATAR_STYLES = ["personas", "initials", "identicon", "bottts", "avataaars"] as const;

export type AvatarStyle = (typeof AVATAR_STYLES)[number];

export const DEFAULT_STYLE: AvatarStyle = "personas";

export const isAvatarStyle = (text: string): text is AvatarStyle =>
  (AVATAR_STYLES as readonly string[]).includes(text);
