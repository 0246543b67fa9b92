import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { monotonicClock, systemClock } from "@frontdesk/kit/clock";
import { loopbackHostGuard } from "@frontdesk/kit/host-guard";
import { listenOn } from "@frontdesk/kit/listen-on";
import { createMailer } from "@frontdesk/kit/mailer";
import { type Announcement, runService } from "@frontdesk/kit/service";
import { publicUrl as publicUrlOf } from "@frontdesk/kit/settings";
import { sessionKeys } from "@frontdesk/signin/session-keys";
import { oneServicePerFile } from "@frontdesk/store/one-service";
import { createAddressGuard } from "./delivery/address-guard.ts";
import { FIRST_MEMBER, FIRST_ORG } from "./first-org.ts";
import { firstTokenFile, hasFirstToken, prepareFirstStart } from "./first-start.ts";
import { createPresence, DELIVERY_TIMES, type Presence, RATE_POLICY } from "./presence.ts";
import { databaseUrlOf, secretBoxOf, settings, withoutSlash } from "./settings.ts";

const LOOPBACK = "127.0.0.1";
const WEBAPP = fileURLToPath(new URL("../webapp/dist", import.meta.url));

await runService({
  name: "presence",
  settings,
  start: async ({ config, log, home, onClose }) => {
    const publicUrl = publicUrlOf(config.PRESENCE_URL, config.PRESENCE_LISTEN);
    const guard = createAddressGuard(config.PRESENCE_WEBHOOK_ALLOW);
    const databaseUrl = databaseUrlOf(config, home);
    onClose(oneServicePerFile("presence", databaseUrl));
    const presence = await createPresence({
      databaseUrl,
      clock: systemClock,
      monotonic: monotonicClock,
      log,
      publicUrl,
      avatarUrl: withoutSlash(config.PRESENCE_AVATAR_URL),
      isOurHost: loopbackHostGuard(config.PRESENCE_LISTEN, publicUrl),
      guard,
      secrets: secretBoxOf(config, home),
      mailer: createMailer({
        url: config.PRESENCE_MAIL_URL,
        from: config.PRESENCE_MAIL_FROM,
        outbox: join(home, "outbox"),
        log,
      }),
      random: Math.random,
      delivery: DELIVERY_TIMES,
      policy: RATE_POLICY,
      webApp: {
        sessionKeys: sessionKeys({
          listed: config.PRESENCE_SESSION_KEYS,
          setting: "PRESENCE_SESSION_KEYS",
          file: join(home, "session-key"),
        }),
        home,
        mail: config.PRESENCE_MAIL_URL ? "smtp" : "outbox",
        trustedProxies: config.PRESENCE_TRUSTED_PROXIES,
        folder: WEBAPP,
      },
    });
    onClose(() => presence.close());
    const first = await prepareFirstStart(presence, systemClock, home);
    await listenOn(presence.app, config.PRESENCE_LISTEN, "PRESENCE_LISTEN");
    await presence.start();
    return [
      ...(await appAnnouncement(presence, publicUrl, home, config.PRESENCE_MAIL_URL !== undefined)),
      ...announcement(publicUrl, home, first?.token, guard(LOOPBACK) === "allowed"),
    ];
  },
});

/** How to get into the web app, where it is built: by a link that makes the first organisation, or by signing in. */
async function appAnnouncement(
  presence: Presence,
  publicUrl: string,
  home: string,
  hasMail: boolean,
): Promise<Announcement> {
  if (!existsSync(join(WEBAPP, "index.html"))) return [];
  const secret = await presence.firstRunSecret();
  return [
    ["web app", `${publicUrl}/`],
    ...(secret
      ? [
          [
            "begin",
            `${publicUrl}/first-run#${secret} (makes your organisation, once, within 7 days)`,
          ] as const,
        ]
      : []),
    ["sign in", hasMail ? "with the code that is mailed" : `with the code in ${home}/outbox`],
  ];
}

function announcement(
  publicUrl: string,
  home: string,
  token: string | undefined,
  webhooksReachUs: boolean,
): Announcement {
  const rows: Array<readonly [string, string]> = [
    ["API", `${publicUrl}/api/v1/external/orgs/<org>/`],
    ["docs", `${publicUrl}/docs`],
  ];
  if (!hasFirstToken(home)) {
    return [
      ...rows,
      ["token", "npx frontdesk presence token create <org> --integration <name> --scopes all"],
    ];
  }
  if (token)
    rows.push([
      "token",
      `${token} (initial token, all scopes, expires in 30 days; also stored in ${firstTokenFile(home)})`,
    ]);
  const base = `${publicUrl}/api/v1/external/orgs/${FIRST_ORG}`;
  const curl = `curl -sS -H "Authorization: Bearer $(cat ${firstTokenFile(home)})"`;
  const json = `${curl} -H "Content-Type: application/json"`;
  return [
    ...rows,
    ["set a status", `${json} -d '{"status":"focus"}' ${base}/members/${FIRST_MEMBER}/status`],
    [
      "create a TODO",
      `${json} -d '{"text":"Try it","externalSystem":"shell","externalRef":"1"}' ${base}/members/${FIRST_MEMBER}/todos`,
    ],
    ["… again", "the same line: one TODO"],
    [
      "complete it",
      `${curl} -X POST ${base}/todos/$(${curl} ${base}/todos/by-external-ref/shell/1 | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')/complete`,
    ],
    ...(webhooksReachUs
      ? [
          [
            "hear of it",
            `npx frontdesk presence webhook create ${FIRST_ORG} --url http://${LOOPBACK}:9000/ > secret.txt`,
          ] as const,
          ["… with", "the receiver of ten lines in docs/presence.md"] as const,
        ]
      : [
          [
            "hear of it",
            `start with PRESENCE_WEBHOOK_ALLOW=${LOOPBACK} to send webhooks to this machine (docs/presence.md)`,
          ] as const,
        ]),
  ];
}
