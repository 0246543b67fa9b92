import { join, resolve } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { createHostGuard } from "@frontdesk/kit/host-guard";
import { speakHttpsToo } from "@frontdesk/kit/http-and-https";
import { listenOn } from "@frontdesk/kit/listen-on";
import { authorityPath, localIdentity, watchIdentity } from "@frontdesk/kit/local-ca";
import { lockFile } from "@frontdesk/kit/lock-file";
import { StartProblem } from "@frontdesk/kit/problem";
import { runService } from "@frontdesk/kit/service";
import type { Values } from "@frontdesk/kit/settings";
import { TRIAL_FILE } from "@frontdesk/lease-config/kept-trial";
import { leaseSettings } from "@frontdesk/lease-settings/settings";
import { withConfigFile } from "./adapters/config-file.ts";
import { controlAddress } from "./adapters/control-address.ts";
import { createControlClient } from "./adapters/control-client.ts";
import { removeEngineState } from "./adapters/engine-state.ts";
import { openKeeper } from "./adapters/keeper-client.ts";
import { type CertificateFiles, usableCertificate, watchCertificate } from "./adapters/own-certificate.ts";
import { madeFolders, ownerOf } from "./adapters/privileges.ts";
import { createResetMark } from "./adapters/reset-mark.ts";
import { MIN_PASSWORD } from "./domain/users.ts";
import { createManager } from "./manager.ts";

/** To listen there is to listen on every address of the machine: it is none by itself. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

await runService({
  name: "lease",
  settings: leaseSettings,
  start: async ({ config, log, home, existing, onClose }) => {
    if ((config.LEASE_ADMIN_PASSWORD?.length ?? MIN_PASSWORD) < MIN_PASSWORD)
      throw new StartProblem(`LEASE_ADMIN_PASSWORD must have at least ${MIN_PASSWORD} characters.`);
    const files = certificateFiles(config);
    const folder = join(home, "engine");
    const configPath = config.LEASE_CONFIG ? resolve(config.LEASE_CONFIG) : join(folder, "engine.toml");

    const owner = ownerOf(existing, log);
    for (const made of madeFolders(home, existing)) owner.own(made);
    // Before anything else: the engine and every file belong to the manager that is there.
    onClose(
      owner.act(() =>
        lockFile(
          join(home, "manager.lock"),
          `Another lease manager runs in ${home}: stop it, or set FRONTDESK_HOME to another folder.`,
        ),
      ),
    );
    // As root, where root started it: the keeper starts the engine, which opens what only root may open.
    const opening = openKeeper(join(home, "keeper.sock"), configPath, owner.identity, log);
    // Also where it is told to stop before the keeper is there.
    onClose(() => opening.then((keeper) => keeper.quit()).catch(() => {}));
    const keeper = await opening;
    owner.become();
    // By the rights that it is read with again when it changes.
    const own = files && usableCertificate(files);

    const resetMark = createResetMark(home);
    const isCutOff = resetMark.actor() !== undefined;
    if (isCutOff) {
      log.warn("a factory reset was cut off: it is finished now");
      await keeper.takeUp();
    }
    const { host, port } = config.LEASE_CONSOLE_LISTEN;
    const name = host.includes(":") ? `[${host}]` : host;
    const manager = await createManager({
      home,
      log,
      clock: systemClock,
      engine: withConfigFile(
        createControlClient(() => controlAddress(configPath, folder)),
        keeper,
        { path: configPath, trialPath: join(folder, TRIAL_FILE), now: systemClock.now },
      ),
      keeper,
      publicUrl: `https://${name}:${port}`,
      isOurs: createHostGuard([...config.LEASE_HOSTS, name]),
      adminPassword: config.LEASE_ADMIN_PASSWORD,
      removeEngineState: () => removeEngineState(folder, config.LEASE_CONFIG && configPath),
      resetMark,
      network: keeper.network,
    });
    onClose(() => manager.close());
    const hosts = EVERYWHERE.has(host) ? config.LEASE_HOSTS : [...config.LEASE_HOSTS, host];
    const ca = { home, name: "Frontdesk lease", hosts, clock: systemClock };
    const identity = own ?? (await localIdentity(ca));
    const secured = speakHttpsToo(manager.app.server, identity);
    onClose(() => secured.cutUnserved());
    if (files && own) {
      const failed = (error: unknown) =>
        log.error({ err: error }, "LEASE_TLS_CERT cannot be taken up; the certificate that was read stays");
      onClose(watchCertificate(files, own, { changed: secured.setIdentity, failed }));
    } else {
      onClose(
        watchIdentity(ca, identity, secured.setIdentity, (error) =>
          log.error({ err: error }, "the certificate could not be renewed"),
        ),
      );
    }
    await listenOn(manager.app, config.LEASE_CONSOLE_LISTEN, "LEASE_CONSOLE_LISTEN");
    // Only now: a manager that cannot start leaves an engine that runs alone.
    await keeper.takeUp();
    // What a reset had stopped is started; what somebody stopped is not.
    const begun = isCutOff ? keeper.start() : keeper.begin();
    const { problem, isStoppedOnPurpose = false } = await begun.catch((error: Error) => ({
      problem: error.message,
      isStoppedOnPurpose: false,
    }));
    if (problem)
      log.error({ problem }, "the engine did not start: put right what the problem names, it is tried again");
    await manager.start();

    const address = `https://${name}:${port}`;
    const password = manager.password ?? "the password that was printed at the first start";
    return [
      ["console", `${address}/ (user admin, password: ${password})`],
      ["certificate", own ? "LEASE_TLS_CERT" : `trust ${authorityPath(home)} in your browser`],
      ["engine", engineLine(problem, isStoppedOnPurpose, configPath)],
      ["clients", "npx frontdesk lease simulate --clients 50"],
      ["ask", "npx leasectl explain 02:00:00:00:00:50"],
    ];
  },
});

function engineLine(problem: string | null, isStoppedOnPurpose: boolean, configPath: string): string {
  if (problem) return `not running: ${problem}`;
  return isStoppedOnPurpose
    ? "stopped by somebody: start it in the console, page System"
    : `serves by ${configPath}`;
}

function certificateFiles(config: Values<typeof leaseSettings>): CertificateFiles | undefined {
  const { LEASE_TLS_CERT: cert, LEASE_TLS_KEY: key } = config;
  if (!cert && !key) return undefined;
  if (!cert || !key) throw new StartProblem("LEASE_TLS_CERT and LEASE_TLS_KEY are given both or not at all.");
  return { cert, key };
}
