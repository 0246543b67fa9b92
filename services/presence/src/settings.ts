import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listen, networks, optional, text, url, type Values } from "@frontdesk/kit/settings";
import { DATABASE_SCHEMES } from "@frontdesk/store/open-store";

export const settings = {
  PRESENCE_LISTEN: listen({ about: "Where the API listens.", fallback: "127.0.0.1:31073" }),
  PRESENCE_URL: optional(
    url({
      about: "The address under which others reach the API. Without it: where it listens.",
      schemes: ["http", "https"],
    }),
  ),
  PRESENCE_DATABASE_URL: optional(
    url({
      about:
        "The database; without it, a file in the service's folder. Several copies may share a PostgreSQL.",
      schemes: DATABASE_SCHEMES,
      secret: true,
    }),
  ),
  PRESENCE_AVATAR_URL: url({
    about: "The avatar service's media address, for members' faces.",
    schemes: ["http", "https"],
    fallback: "http://127.0.0.1:31071",
  }),
  PRESENCE_MAIL_URL: optional(
    url({
      about: "The SMTP server; without it, mails are written to the outbox folder.",
      schemes: ["smtp", "smtps"],
      secret: true,
    }),
  ),
  PRESENCE_MAIL_FROM: text({
    about: "The sender of mails.",
    fallback: "Frontdesk <frontdesk@localhost>",
  }),
  PRESENCE_WEBHOOK_ALLOW: networks({
    about:
      "Addresses and networks that webhooks may reach although they are private, separated by commas, like 10.0.0.0/8,127.0.0.1; also by plain http.",
    fallback: "",
  }),
};

export type PresenceConfig = Values<typeof settings>;

export const databaseUrlOf = (config: PresenceConfig, home: string): URL =>
  config.PRESENCE_DATABASE_URL ?? pathToFileURL(join(home, "presence.db"));

export const withoutSlash = (address: URL): string => address.href.replace(/\/$/, "");
