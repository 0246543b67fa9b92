import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createSecretBox, type SecretBox } from "@frontdesk/kit/secret-box";
import {
  type Environment,
  list,
  listen,
  networks,
  optional,
  shared,
  text,
  url,
  type Values,
} from "@frontdesk/kit/settings";
import { sessionKeys } from "@frontdesk/signin/session-keys";
import { DATABASE_SCHEMES } from "@frontdesk/store/open-store";

export const settings = {
  PRESENCE_LISTEN: listen({ about: "Where the API and the web app listen.", fallback: "127.0.0.1:31073" }),
  PRESENCE_URL: optional(
    url({
      about:
        "The address under which others reach the API and the web app. Without it: where it listens. On loopback, a request that names any other host than this or the machine itself is refused.",
      schemes: ["http", "https"],
    }),
  ),
  PRESENCE_DATABASE_URL: shared(
    "FRONTDESK_DATABASE_URL",
    optional(
      url({
        about:
          "The database; without it, a file in the service's folder. Several copies may share a PostgreSQL.",
        schemes: DATABASE_SCHEMES,
        secret: true,
      }),
    ),
  ),
  PRESENCE_AVATAR_URL: {
    ...url({
      about: "The avatar service's media address, for members' faces.",
      schemes: ["http", "https"],
      fallback: "http://127.0.0.1:31071",
    }),
    otherwise: {
      about: "`AVATAR_MEDIA_URL`, or where `AVATAR_MEDIA_LISTEN` says",
      read: ({ AVATAR_MEDIA_URL, AVATAR_MEDIA_LISTEN }: Environment) =>
        AVATAR_MEDIA_URL || (AVATAR_MEDIA_LISTEN && `http://${AVATAR_MEDIA_LISTEN}`),
    },
  },
  PRESENCE_MAIL_URL: shared(
    "FRONTDESK_MAIL_URL",
    optional(
      url({
        about: "The SMTP server; without it, mails are written to the outbox folder.",
        schemes: ["smtp", "smtps"],
        secret: true,
      }),
    ),
  ),
  PRESENCE_MAIL_FROM: shared(
    "FRONTDESK_MAIL_FROM",
    text({ about: "The sender of mails.", fallback: "Frontdesk <frontdesk@localhost>" }),
  ),
  PRESENCE_SESSION_KEYS: list({
    about:
      "Keys of at least 32 characters, separated by commas: the first seals the web app's cookies, all open them. Without it: one that is made at the first start. Copies of the service must share them.",
    fallback: "",
    secret: true,
  }),
  PRESENCE_TRUSTED_PROXIES: shared(
    "FRONTDESK_TRUSTED_PROXIES",
    networks({
      about:
        "Addresses and networks of reverse proxies whose `X-Forwarded-For` is believed, separated by commas.",
      fallback: "",
    }),
  ),
  PRESENCE_SECRET_KEYS: list({
    about:
      "Keys of at least 32 characters, separated by commas: the first seals webhooks' signing secrets in the database, all open them. Without it: one that is made at the first start, `secret-key` in the service's folder. Copies of the service must share them.",
    fallback: "",
    secret: true,
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

/** The box that the service and its commands seal signing secrets with. */
export const secretBoxOf = (config: PresenceConfig, home: string): SecretBox => {
  const keys = sessionKeys({
    listed: config.PRESENCE_SECRET_KEYS,
    setting: "PRESENCE_SECRET_KEYS",
    file: join(home, "secret-key"),
  });
  return createSecretBox(keys, "presence webhook secrets");
};

export const withoutSlash = (address: URL): string => address.href.replace(/\/$/, "");
