import type { AvatarOperations } from "../../src/http/operation-schemas.ts";

type Reply<Name extends keyof AvatarOperations> = AvatarOperations[Name]["reply"];

/** What the server speaks of, as its published schemas describe it. */
export type Me = Reply<"GET /me">;
export type Email = Me["emails"][number];
export type Avatar = NonNullable<Reply<"GET /me/avatar">["avatar"]>;
export type Style = Reply<"GET /styles">["styles"][number];
export type StyleOption = Style["options"][number];

export type SignedInPlace = Reply<"GET /me/sessions">["sessions"][number];
export type Admin = Reply<"GET /platform/admins">["admins"][number];
export type Metrics = Reply<"GET /platform/metrics">;
