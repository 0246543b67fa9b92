import { integer, list, listen, optional, url } from "@frontdesk/kit/settings";
import { DATABASE_SCHEMES } from "@frontdesk/store/open-store";
import { OBJECT_SCHEMES } from "./adapters/open-objects.ts";

export const settings = {
  AVATAR_MEDIA_LISTEN: listen({
    about: "Where public reads are answered.",
    fallback: "127.0.0.1:31071",
  }),
  AVATAR_MEDIA_URL: optional(
    url({
      about: "The address under which the public reaches the images. Without it: where it listens.",
      schemes: ["http", "https"],
    }),
  ),
  AVATAR_DATABASE_URL: optional(
    url({
      about:
        "`postgres://…` to share one database between several copies. Without it: SQLite under FRONTDESK_HOME.",
      schemes: DATABASE_SCHEMES,
      secret: true,
    }),
  ),
  AVATAR_OBJECTS_URL: optional(
    url({
      about:
        "Where saved images are kept: `s3+https://KEY:SECRET@host/bucket?region=…` or `file:///…`. Without it: a folder under FRONTDESK_HOME.",
      schemes: OBJECT_SCHEMES,
      secret: true,
    }),
  ),
  AVATAR_REDIRECT_HOSTS: list({
    about:
      "The hosts that `d=<url>` may redirect to: names, `*.example.org` for all below one, or `*` for any.",
    fallback: "*",
  }),
  AVATAR_CACHE_MB: integer({
    about: "How much memory rendered images may take, in MiB.",
    min: 1,
    max: 65_536,
    fallback: "64",
  }),
};
