import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { believed } from "@frontdesk/kit/believed";
import type { Clock } from "@frontdesk/kit/clock";
import { loopbackHostGuard } from "@frontdesk/kit/host-guard";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { countingIds, randomIds } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { createMailer } from "@frontdesk/kit/mailer";
import { createOutbox } from "@frontdesk/kit/outbox";
import { createDevices } from "@frontdesk/signin/devices";
import { createOneTimeCodes } from "@frontdesk/signin/one-time-codes";
import { createSecondFactor } from "@frontdesk/signin/second-factor";
import { sessionKeys } from "@frontdesk/signin/session-keys";
import { createSessions } from "@frontdesk/signin/sessions";
import { createSignIn } from "@frontdesk/signin/sign-in";
import { openLimitStore } from "@frontdesk/store/limit-store";
import { openStore } from "@frontdesk/store/open-store";
import type { Store } from "@frontdesk/store/store";
import { createHourlyLimits } from "@frontdesk/store/timed-limits";
import { avatarRows } from "./adapters/avatar-rows.ts";
import { storeCounts } from "./adapters/counts.ts";
import { ldapDirectory } from "./adapters/ldap-directory.ts";
import { migrations } from "./adapters/migrations.ts";
import { createObjectShelf, type ObjectShelf } from "./adapters/object-shelf.ts";
import { openObjects } from "./adapters/open-objects.ts";
import { photoReader } from "./adapters/photos.ts";
import { savedPictures } from "./adapters/saved-pictures.ts";
import { signinStore } from "./adapters/signin-store.ts";
import { storeLedger } from "./adapters/store-rows.ts";
import type { Tables } from "./adapters/tables.ts";
import { uploadReader } from "./adapters/uploads.ts";
import { createAccounts } from "./domain/accounts.ts";
import { createAvatars } from "./domain/avatars.ts";
import { createClaims } from "./domain/claims.ts";
import type { Limited, Limits } from "./domain/limits.ts";
import { createNames, localDirectory } from "./domain/names.ts";
import { createPersonalData } from "./domain/personal-data.ts";
import { createPhotos } from "./domain/photo.ts";
import { createPictureCache } from "./domain/picture-cache.ts";
import { createPlatform } from "./domain/platform.ts";
import { createReads, type Faces } from "./domain/read-avatar.ts";
import { allowedHosts } from "./domain/redirect-target.ts";
import { createApiServer } from "./http/api.ts";
import { createMediaServer } from "./http/media.ts";
import { attributions } from "./render/attribution.ts";
import { cachedFaces } from "./render/cached-faces.ts";
import { createStyleCatalogue } from "./render/style-catalogue.ts";
import { type AvatarSettings, databaseUrlOf } from "./settings.ts";
import { openVision } from "./vision/open-vision.ts";

const VERSION = "1.0.0";
const COOKIE = "avatar_session";
/** So many networks may each have an inbox's codes asked for: somebody elsewhere locks nobody out alone. */
const SENDERS_PER_INBOX = 4;
/** A network of many people may do so many times what one address of it may. */
const HOSTS_PER_NETWORK = 10;
const CONSOLE = fileURLToPath(new URL("../console/dist", import.meta.url));

export interface AvatarService {
  readonly media: HttpServer;
  readonly api: HttpServer;
  readonly shelf: ObjectShelf;
  readonly store: Store<Tables>;
  close(): Promise<void>;
}

/** The whole service but for its sockets: what `main.ts` puts on the network and tests ask directly. */
export async function createAvatarService(options: {
  config: AvatarSettings;
  mediaUrl: string;
  apiUrl: string;
  home: string;
  faces: Faces;
  clock: Clock;
  /** For limits, which a clock that is set must not stretch. */
  monotonic?: Clock;
  log: Log;
  consoleFolder?: string;
}): Promise<AvatarService> {
  const { config, home, clock, log, mediaUrl, apiUrl, monotonic = clock } = options;
  const closers: Array<() => unknown> = [];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const databaseUrl = databaseUrlOf(config, home);
    const store = await openStore<Tables>({ url: databaseUrl, migrations, clock });
    closers.push(() => store.close());
    const objects = await openObjects(config.AVATAR_OBJECTS_URL ?? pathToFileURL(join(home, "objects/")));
    const limitStore = await openLimitStore(databaseUrl, home, { clock, monotonic, log });
    closers.push(() => limitStore.close());

    const cache = createPictureCache(config.AVATAR_CACHE_MB * 1024 * 1024);
    const faces = cachedFaces(options.faces, cache);
    // Each is a request that an operator may have to pay for.
    const objectsCheck = believed(() => objects.ping());
    // Not through the cache, which would answer although nothing can draw any more.
    const health = () =>
      Promise.all([
        store.ping().then(store.checkWrite),
        objectsCheck.check(),
        options.faces.draw({ kind: "blank", size: 16, format: "png" }),
      ]);

    const media = await createMediaServer({
      reads: createReads({ rows: avatarRows(store), saved: savedPictures(objects, cache, log), faces }),
      allowsHost: allowedHosts(config.AVATAR_REDIRECT_HOSTS),
      attributions,
      publicUrl: mediaUrl,
      version: VERSION,
      health,
      log,
      ids: countingIds(),
    });
    closers.push(() => media.close());

    const keys = sessionKeys({
      listed: config.AVATAR_SESSION_KEYS,
      setting: "AVATAR_SESSION_KEYS",
      file: join(home, "session-key"),
    });
    const ledger = storeLedger(store);
    const shelf = createObjectShelf({ store, objects, clock, ids: randomIds, log });
    closers.push(() => shelf.close());
    const limits: Limits = createHourlyLimits<Limited>(limitStore, "avatar", {
      mail_per_inbox: config.AVATAR_MAILS_PER_INBOX,
      mail_per_inbox_in_all: SENDERS_PER_INBOX * config.AVATAR_MAILS_PER_INBOX,
      guesses: config.AVATAR_GUESSES,
      guesses_per_network: HOSTS_PER_NETWORK * config.AVATAR_GUESSES,
      mail_per_sender: config.AVATAR_MAILS_PER_SENDER,
      mail_per_network: HOSTS_PER_NETWORK * config.AVATAR_MAILS_PER_SENDER,
      avatar_writes: config.AVATAR_WRITES,
      names: config.AVATAR_NAMES,
      factor_tries: config.AVATAR_FACTOR_TRIES,
      factor_begins: config.AVATAR_FACTOR_TRIES,
      photos: config.AVATAR_PHOTOS,
      grants: config.AVATAR_GRANTS,
    });
    const mail = createMailer({
      url: config.AVATAR_MAIL_URL,
      from: config.AVATAR_MAIL_FROM,
      outbox: join(home, "outbox"),
      log,
    });
    const catalogue = createStyleCatalogue();
    const codes = createOneTimeCodes({ keys, clock });
    const factor = createSecondFactor({ keys, clock, issuer: new URL(apiUrl).hostname });
    const cookie = {
      name: COOKIE,
      domain: config.AVATAR_COOKIE_DOMAIN,
      secure: apiUrl.startsWith("https:"),
    };
    const sessions = createSessions({ keys, clock, cookie });
    const accounts = createAccounts({ ledger, clock, ids: randomIds });
    const avatars = createAvatars({ ledger, shelf, faces, uploads: uploadReader, catalogue, clock });
    const signIn = createSignIn({
      store: signinStore(ledger, accounts),
      codes,
      factor,
      sessions,
      devices: createDevices({ keys, clock, session: cookie }),
      limits,
      mail,
      publicUrl: apiUrl,
      log,
    });

    const vision = openVision(config, catalogue.optionsOf("avataaars"));
    closers.push(() => vision?.close?.());
    const photos = createPhotos({
      vision,
      reader: photoReader,
      catalogue,
      onFailure: (err) => log.warn({ err }, "a photo could not be described"),
    });

    const api = await createApiServer({
      parts: {
        accounts,
        avatars,
        signIn,
        limits,
        catalogue,
        claims: createClaims({ ledger, codes, factor, limits, mail, clock, apiUrl }),
        names: createNames({
          ledger,
          directory: config.AVATAR_DIRECTORY_URL
            ? ldapDirectory(config.AVATAR_DIRECTORY_URL)
            : localDirectory,
          clock,
          onDirectoryError: (err) => log.warn({ err }, "the directory refused a name"),
        }),
        personalData: createPersonalData({
          ledger,
          shelf,
          clock,
          deleteMails: createOutbox(join(home, "outbox")).deleteTo,
        }),
        platform: createPlatform({ ledger, count: storeCounts(store), named: config.AVATAR_ADMINS, clock }),
        attributions,
        mediaUrl,
        photos,
        mail: config.AVATAR_MAIL_URL ? "smtp" : "outbox",
      },
      publicUrl: apiUrl,
      version: VERSION,
      consoleFolder: options.consoleFolder ?? CONSOLE,
      trustedProxies: config.AVATAR_TRUSTED_PROXIES,
      isOurHost: loopbackHostGuard(config.AVATAR_API_LISTEN, apiUrl),
      health,
      clock,
      log,
      ids: countingIds(),
    });
    // Both at once, before anything else: whoever asks now is sent to another copy.
    closers.push(() => Promise.all([api.close(), media.close()]));
    return { media, api, shelf, store, close };
  } catch (error) {
    await close();
    throw error;
  }
}
