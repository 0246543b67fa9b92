import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { listenOn } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import { runService } from "@frontdesk/kit/service";
import { publicUrl } from "@frontdesk/kit/settings";
import { openStore } from "@frontdesk/store/open-store";
import { avatarRows } from "./adapters/avatar-rows.ts";
import { migrations } from "./adapters/migrations.ts";
import { openObjects } from "./adapters/open-objects.ts";
import { savedPictures } from "./adapters/saved-pictures.ts";
import type { Tables } from "./adapters/tables.ts";
import { createPictureCache } from "./domain/picture-cache.ts";
import { createReads } from "./domain/read-avatar.ts";
import { allowedHosts } from "./domain/redirect-target.ts";
import { createMediaServer } from "./http/media.ts";
import { cachedFaces } from "./render/cached-faces.ts";
import { createRenderPool } from "./render/render-pool.ts";
import { settings } from "./settings.ts";

await runService({
  name: "avatar",
  settings,
  start: async ({ config, log, home, onClose }) => {
    const store = await openStore<Tables>({
      url: config.AVATAR_DATABASE_URL ?? pathToFileURL(join(home, "avatar.db")),
      migrations,
      clock: systemClock,
    });
    onClose(() => store.close());
    const objects = await openObjects(config.AVATAR_OBJECTS_URL ?? pathToFileURL(join(home, "objects/")));
    const pool = createRenderPool((err) => log.error({ err }, "a drawing thread died and is replaced"));
    onClose(() => pool.close());

    const cache = createPictureCache(config.AVATAR_CACHE_MB * 1024 * 1024);
    const faces = cachedFaces(pool, cache);
    const reads = createReads({ rows: avatarRows(store), saved: savedPictures(objects, cache), faces });

    const mediaUrl = publicUrl(config.AVATAR_MEDIA_URL, config.AVATAR_MEDIA_LISTEN);
    const media = await createMediaServer({
      reads,
      allowsHost: allowedHosts(config.AVATAR_REDIRECT_HOSTS),
      publicUrl: mediaUrl,
      version: "1.0.0",
      health: () =>
        Promise.all([store.ping(), objects.ping(), faces.draw({ kind: "blank", size: 16, format: "png" })]),
      log,
      ids: countingIds(),
    });
    onClose(() => media.close());
    await listenOn(media, config.AVATAR_MEDIA_LISTEN, "AVATAR_MEDIA_LISTEN");

    return [
      ["images", `${mediaUrl}/<SHA-256 of an e-mail address>`],
      ["styles", `${mediaUrl}/credits`],
      ["try", `curl -o face.png "${mediaUrl}/$(printf %s you@example.org | sha256sum | cut -c1-64)?s=256"`],
    ];
  },
});
