import { monotonicClock, systemClock } from "@frontdesk/kit/clock";
import { listenOn } from "@frontdesk/kit/listen-on";
import { StartProblem } from "@frontdesk/kit/problem";
import { runService } from "@frontdesk/kit/service";
import { publicUrl } from "@frontdesk/kit/settings";
import { oneServicePerFile } from "@frontdesk/store/one-service";
import { createAvatarService } from "./avatar.ts";
import { createRenderPool } from "./render/render-pool.ts";
import { databaseUrlOf, settings } from "./settings.ts";

const SWEEP_EVERY_MS = 60_000;

await runService({
  name: "avatar",
  settings,
  start: async ({ config, log, home, onClose }) => {
    onClose(oneServicePerFile("avatar", databaseUrlOf(config, home)));
    const pool = createRenderPool((err) => log.error({ err }, "a drawing thread died and is replaced"));
    onClose(() => pool.close());
    await pool.draw({ kind: "blank", size: 16, format: "png" }).catch((error: Error) => {
      throw new StartProblem(
        `No image can be drawn (${error.message}): the lines of the log before this say why.`,
      );
    });
    const mediaUrl = publicUrl(config.AVATAR_MEDIA_URL, config.AVATAR_MEDIA_LISTEN);
    const apiUrl = publicUrl(config.AVATAR_API_URL, config.AVATAR_API_LISTEN);
    const service = await createAvatarService({
      config,
      mediaUrl,
      apiUrl,
      home,
      faces: pool,
      clock: systemClock,
      monotonic: monotonicClock,
      log,
    });
    onClose(() => service.close());
    await listenOn(service.media, config.AVATAR_MEDIA_LISTEN, "AVATAR_MEDIA_LISTEN");
    await listenOn(service.api, config.AVATAR_API_LISTEN, "AVATAR_API_LISTEN");

    const sweep = () =>
      service.shelf
        .sweep()
        .catch((err) => log.warn({ err }, "sweep of unused objects failed; the next one tries again"));
    const sweeping = setInterval(sweep, SWEEP_EVERY_MS);
    onClose(() => clearInterval(sweeping));
    void sweep();

    return [
      ["images", `${mediaUrl}/<SHA-256 of an e-mail address>`],
      ["styles", `${mediaUrl}/credits`],
      ["console", `${apiUrl}/`],
      [
        "sign in",
        config.AVATAR_MAIL_URL ? "with the code that is mailed" : `with the code in ${home}/outbox`,
      ],
      ["try", `curl -o face.png "${mediaUrl}/$(printf %s you@example.org | sha256sum | cut -c1-64)?s=256"`],
    ];
  },
});
