import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StartProblem } from "@frontdesk/kit/problem";
import {
  hostName,
  integer,
  list,
  listen,
  networks,
  optional,
  type Setting,
  shared,
  text,
  url,
  type Values,
} from "@frontdesk/kit/settings";
import { type EmailAddress, parseEmailAddress } from "@frontdesk/signin/email-address";
import { DATABASE_SCHEMES } from "@frontdesk/store/open-store";
import { OBJECT_SCHEMES } from "./adapters/open-objects.ts";

function perHour(about: string, fallback: number) {
  return integer({ about, min: 1, max: 1_000_000, fallback: String(fallback) });
}

function emailList(about: string): Setting<readonly EmailAddress[]> {
  const words = list({ about, fallback: "" });
  return { ...words, read: (given) => words.read(given).map(namedAddress) };
}

/** `local`, or where an endpoint is. */
function visionUrl(): Setting<URL | "local"> {
  const endpoint = url({
    about:
      "Who looks at photos: `local` for the model that comes along, or the base of an OpenAI-compatible endpoint, `https://host/v1`. Without it: nobody.",
    schemes: ["http", "https"],
  });
  return { ...endpoint, read: (given) => (given === "local" ? "local" : endpoint.read(given)) };
}

function namedAddress(word: string): EmailAddress {
  try {
    return parseEmailAddress(word);
  } catch {
    throw new StartProblem(
      `AVATAR_ADMINS must be e-mail addresses separated by commas, and "${word}" is none.`,
    );
  }
}

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
  AVATAR_API_LISTEN: listen({
    about: "Where the session API and the console are answered.",
    fallback: "127.0.0.1:31072",
  }),
  AVATAR_API_URL: optional(
    url({
      about:
        "The address under which people reach the console. Without it: where it listens. On loopback, a request that names any other host than this or the machine itself is refused.",
      schemes: ["http", "https"],
    }),
  ),
  AVATAR_COOKIE_DOMAIN: optional(
    hostName({
      about:
        "The parent domain that the session cookie is for, `example.org`. Without it: only the host of the console.",
    }),
  ),
  AVATAR_SESSION_KEYS: list({
    about:
      "Keys of at least 32 characters, separated by commas: the first seals cookies, all open them. Without it: one that is made at the first start. Copies of the service must share them.",
    fallback: "",
    secret: true,
  }),
  AVATAR_TRUSTED_PROXIES: shared(
    "FRONTDESK_TRUSTED_PROXIES",
    networks({
      about:
        "Addresses and networks of reverse proxies whose `X-Forwarded-For` is believed, separated by commas.",
      fallback: "",
    }),
  ),
  AVATAR_MAIL_URL: shared(
    "FRONTDESK_MAIL_URL",
    optional(
      url({
        about:
          "The mail server: `smtp://user:password@host:587` or `smtps://…`. Without it: mails are files in the folder outbox under FRONTDESK_HOME.",
        schemes: ["smtp", "smtps"],
        secret: true,
      }),
    ),
  ),
  AVATAR_MAIL_FROM: shared(
    "FRONTDESK_MAIL_FROM",
    text({ about: "The sender of mails.", fallback: "Frontdesk <frontdesk@localhost>" }),
  ),
  AVATAR_ADMINS: emailList("Verified addresses of people who are admins, separated by commas."),
  AVATAR_DIRECTORY_URL: optional(
    url({
      about:
        "The directory that names are written to: `ldap://BIND-DN:PASSWORD@host/BASE-DN`, percent-encoded, or `ldaps://…`. Without it: names are kept here alone.",
      schemes: ["ldap", "ldaps"],
      secret: true,
      percentEncoded: true,
    }),
  ),
  AVATAR_VISION_URL: optional(visionUrl()),
  AVATAR_VISION_KEY: optional(text({ about: "The key that the vision endpoint wants.", secret: true })),
  AVATAR_VISION_MODEL: text({
    about: "The model that the vision endpoint is asked for.",
    fallback: "gpt-5-mini",
  }),
  AVATAR_MAILS_PER_INBOX: perHour(
    "How many codes an hour one account, or one network of callers, or one browser that has signed in before, may have sent to one inbox; four times as many go to it in all.",
    5,
  ),
  AVATAR_MAILS_PER_SENDER: perHour(
    "How many codes an hour one account, or one address of callers (IPv6: /64), may ask for; a network (/24, /48) may ask for ten times as many. A browser that has signed in before is counted apart.",
    20,
  ),
  AVATAR_GUESSES: perHour(
    "How many wrong codes and second factors an hour one address of callers (IPv6: /64) may send; a network (/24, /48) may send ten times as many. A browser that has signed in before is counted apart.",
    30,
  ),
  AVATAR_WRITES: perHour("How many saves and removals of an avatar an hour an account may make.", 60),
  AVATAR_NAMES: perHour("How often an hour an account may send a name.", 10),
  AVATAR_FACTOR_TRIES: perHour(
    "How often an hour an account's second factor may be tried: wrongly while signing in, or to turn it on or off.",
    20,
  ),
  AVATAR_PHOTOS: perHour("How many photos an hour an account may have described.", 5),
  AVATAR_GRANTS: perHour("How often an hour an admin may make others admins.", 60),
  AVATAR_DATABASE_URL: shared(
    "FRONTDESK_DATABASE_URL",
    optional(
      url({
        about:
          "`postgres://…` to share one database between several copies. Without it: SQLite under FRONTDESK_HOME.",
        schemes: DATABASE_SCHEMES,
        secret: true,
      }),
    ),
  ),
  AVATAR_OBJECTS_URL: optional(
    url({
      about:
        "Where saved images are kept: `s3+https://KEY:SECRET@host/bucket?region=…` or `file:///…`. Without it: a folder under FRONTDESK_HOME.",
      schemes: OBJECT_SCHEMES,
      secret: true,
      percentEncoded: true,
    }),
  ),
  AVATAR_REDIRECT_HOSTS: list({
    about:
      "The hosts that `d=<url>` may redirect to, separated by commas: names, `*.example.org` for all below one, or `*` for any.",
    fallback: "*",
  }),
  AVATAR_CACHE_MB: integer({
    about: "How much memory rendered images may take, in MiB.",
    min: 1,
    max: 65_536,
    fallback: "64",
  }),
};

export type AvatarSettings = Values<typeof settings>;

export const databaseUrlOf = (config: AvatarSettings, home: string): URL =>
  config.AVATAR_DATABASE_URL ?? pathToFileURL(join(home, "avatar.db"));
