import type { Static } from "typebox";
import type {
  Admins,
  AvatarConfig,
  Email as EmailSchema,
  Identity,
  MetricsReply,
  SessionsReply,
  Styles,
} from "../../src/http/api-schemas.ts";

/** What the server speaks of, as its published schemas describe it. */
export type Email = Static<typeof EmailSchema>;
export type Me = Static<typeof Identity>;
export type Avatar = Static<typeof AvatarConfig>;
export type Style = Static<typeof Styles>["styles"][number];
export type StyleOption = Style["options"][number];

export type SignedInPlace = Static<typeof SessionsReply>["sessions"][number];
export type Admin = Static<typeof Admins>["admins"][number];
export type Metrics = Static<typeof MetricsReply>;
