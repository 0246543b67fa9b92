import { join } from "node:path";
import { identityFor, warnAboutRoot } from "./identity.js";
import { home, root } from "./places.js";
import { ServiceProcess } from "./service-process.js";
import { services } from "./services.js";

const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;
/** A service that ran this long before it crashed is restarted at once the next time. */
const STABLE_MS = 60_000;
/** A terminal and npm both pass one Ctrl-C on; a second within this time is the same one. */
const SAME_KEYPRESS_MS = 1_000;

/**
 * Runs the services until a person stops them, or until one cannot start; returns the exit code.
 * A service that crashes after it was up is restarted with backoff; the others keep running. `mains` names
 * another program for a service. What is no service is begun when every service is up: until then another's may be what
 * answers where one of ours is about to listen.
 */
export async function supervise(names, node, mains = {}) {
  const identity = identityFor(names, home(), node);
  if (!identity.user) warnAboutRoot(names);
  const stop = stopRequest();
  const running = [];
  for (const name of names) {
    const main = join(root, mains[name] ?? services[name].main);
    const after = name in services ? undefined : Promise.all(running.map(({ ready }) => ready));
    running.push(keepRunning(name, main, node, identity.of(name), stop, after));
  }
  Promise.all(running.map(({ ready }) => ready)).then((announcements) => {
    console.log(table(names.map((name, index) => [name, announcements[index]])));
  });
  const failure = await Promise.race([stop.requested, ...running.map(({ failed }) => failed)]);
  stop.now();
  const codes = await Promise.all(running.map(({ ended }) => ended));
  if (failure) console.error(failure);
  return failure || codes.some((code) => code !== 0) ? 1 : 0;
}

/**
 * One service, started again whenever it ends by itself. `ready` resolves with its first announcement,
 * `failed` with a sentence when it never came up, `ended` with its exit code once it was told to stop. `after`: what it
 * waits for.
 */
function keepRunning(name, main, node, identity, stop, after) {
  const { promise: ready, resolve: isReady } = promiseWithResolvers();
  const { promise: failed, resolve: hasFailed } = promiseWithResolvers();
  const ended = run();
  return { ready, failed, ended };

  async function run() {
    await Promise.race([stop.requested, after]);
    if (stop.isRequested()) return 0;
    let hasBeenUp = false;
    for (let waitMs = MIN_RESTART_MS; ; waitMs = Math.min(waitMs * 2, MAX_RESTART_MS)) {
      const startedAt = performance.now();
      const service = new ServiceProcess({
        name,
        node,
        main,
        env: { ...process.env, FRONTDESK_HOME: home() },
        identity,
      });
      service.ready.then((announcement) => {
        if (hasBeenUp) console.log(`${name} is up again.`);
        hasBeenUp = true;
        isReady(announcement);
      });
      stop.requested.then(() => service.stop());
      const end = await service.ended;
      if (stop.isRequested()) return end.code ?? 1;
      if (!hasBeenUp) {
        hasFailed(service.epitaph(end));
        await stop.requested;
        return 1;
      }
      if (performance.now() - startedAt > STABLE_MS) waitMs = MIN_RESTART_MS;
      console.error(`${service.epitaph(end)}\n${name} is started again in ${waitMs / 1_000} s.`);
      await Promise.race([stop.requested, new Promise((resolve) => setTimeout(resolve, waitMs))]);
      if (stop.isRequested()) return 0;
    }
  }
}

/** Asked for by a signal, or by `now()` when there is nothing left to run. */
function stopRequest() {
  const { promise: requested, resolve } = promiseWithResolvers();
  let requestedAt;
  const now = () => {
    requestedAt ??= performance.now();
    resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (requestedAt && performance.now() - requestedAt > SAME_KEYPRESS_MS) process.exit(1);
      if (!requestedAt) console.log("\nStopping …");
      now();
    });
  }
  return { requested, isRequested: () => requestedAt !== undefined, now };
}

/** Promise.withResolvers, which Node 18 and 20 lack. */
function promiseWithResolvers() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function table(announcements) {
  const rows = announcements.flatMap(([name, announcement]) =>
    announcement.map(([label, value], index) => [index === 0 ? name : "", label, value]),
  );
  const width = (column) => Math.max(...rows.map((row) => row[column].length));
  const lines = rows.map((row) => `  ${row[0].padEnd(width(0))}  ${row[1].padEnd(width(1))}  ${row[2]}`);
  return ["", "Frontdesk is running. Ctrl-C stops it.", "", ...lines, ""].join("\n");
}
