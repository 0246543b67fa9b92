import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DomainError } from "@frontdesk/kit/domain-error";
import { parseIpv4 } from "@frontdesk/lease-options/address";
import { CODES, type Code } from "../domain/codes.ts";
import type {
  HostInterface,
  HostNetwork,
  NetworkChange,
  NetworkPlan,
  NetworkState,
} from "../domain/host-network.ts";
import { preparedTexts } from "./kept-text.ts";
import { type FullPlan, planOf, toolOf } from "./network-plan.ts";
import { withoutSecrets } from "./network-secrets.ts";
import { type KeptTrial, networkTrialFile } from "./network-trial-file.ts";

/** After taking back has failed. */
const RETRY_MS = 10_000;
const NOTHING_CHANGED = "Nothing was changed.";
const TAKEN_BACK = "It is taken back.";
const TRIED_AGAIN = `that is tried again every ${RETRY_MS / 1000} seconds.`;
const NOT_TAKEN_BACK = `Taking it back failed too: ${TRIED_AGAIN}`;
const MAX_DNS = 3;
/** Tools answer before the kernel has the address; after so many looks it will not come. */
const MAX_LOOKS = 60;
const LOOK_EVERY_MS = 250;

export interface HostNetworkParts {
  /** Where the machine's files are. */
  readonly root: string;
  /** Runs a program; answers with what it printed, or rejects with what it complained of. */
  readonly run: (program: string, words: readonly string[]) => Promise<string>;
  readonly now: () => number;
  /** Never set: by it a trial has the time that its timer gives it. */
  readonly monotonic: () => number;
  /** Calls back once; answers how to call it off. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Locks a file, until it is let go of or this process ends; undefined where another process has it. */
  readonly lockIfFree: (path: string) => (() => void) | undefined;
  readonly isRoot: boolean;
}

const refuse = (code: Code, message: string = CODES[code]): never => {
  throw new DomainError(code, message);
};

/** Changes the machine's network, and takes the change back unless it is confirmed in time, whoever asked for it. */
export function createHostNetwork(parts: HostNetworkParts): HostNetwork {
  const { root, run, now, monotonic, schedule, wait, lockIfFree, isRoot } = parts;
  const file = networkTrialFile(root, lockIfFree);
  let trial: KeptTrial | undefined;
  /** While a trial is this keeper's: others of the machine, on other state folders, leave it alone. */
  let letGo: (() => void) | undefined;
  /** When its timer rings, by the monotonic clock. */
  let rings = 0;
  let problem: string | null = null;
  let callOff = () => {};
  let queue: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = queue.then(act);
    queue = done.catch(() => {});
    return done;
  };

  const runAll = async (commands: ReadonlyArray<readonly string[]>) => {
    for (const [program = "", ...words] of commands) await run(program, words);
  };

  /** Set up again by the files as they are, also where a disk refuses them: nothing else takes an interface up. */
  const thenUp = async (putInPlace: () => void, up: FullPlan["up"]) => {
    try {
      putInPlace();
    } finally {
      await runAll(up);
    }
  };

  /** What the kernel has, by the one program that tells it all. */
  const ipJson = async <Row>(...words: string[]): Promise<Row[]> => {
    try {
      return JSON.parse(await run("ip", ["-json", ...words])) as Row[];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === "ENOENT" ? refuse("network_no_ip") : refuse("network_unreadable", message);
    }
  };

  const links = async (): Promise<IpLink[]> =>
    (await ipJson<IpLink>("address", "show")).filter(({ flags = [] }) => !flags.includes("LOOPBACK"));

  const interfaces = async (): Promise<HostInterface[]> => {
    const all = await links();
    const routes = await ipJson<IpRoute>("route", "show", "default");
    return all.map((link) => ({
      name: link.ifname,
      mac: link.address ?? null,
      up: link.flags?.includes("UP") ?? false,
      addresses: (link.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`),
      gateway: routes.find(({ dev }) => dev === link.ifname)?.gateway ?? null,
      tool: toolOf(root, link.ifname, link.ifindex),
    }));
  };

  /** None while it is being taken back: what rings then is the next attempt. */
  const secondsLeft = () => (trial?.seconds ? Math.max(0, Math.ceil((rings - monotonic()) / 1000)) : 0);

  const state = async (): Promise<NetworkState> => ({
    interfaces: await interfaces(),
    dns: nameServers(root),
    changeable: isRoot,
    trial: trial
      ? { change: trial.change, deadline: trial.deadline, secondsLeft: secondsLeft(), problem }
      : null,
  });

  const planFor = async (change: NetworkChange): Promise<FullPlan> => {
    assertSound(change);
    const { ifname, ifindex } =
      (await links()).find((link) => link.ifname === change.interface) ?? refuse("no_interface");
    const tool = toolOf(root, ifname, ifindex) ?? refuse("network_unmanaged");
    return planOf(root, tool, change, ifindex);
  };

  const untilSet = async ({ interface: wanted, address, gateway }: NetworkChange) => {
    let hasAddress = false;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const found = (await interfaces()).find(({ name }) => name === wanted);
      hasAddress = found?.addresses.includes(address) ?? false;
      if (hasAddress && (gateway === null || found?.gateway === gateway)) return;
      await wait(LOOK_EVERY_MS);
    }
    const missing = hasAddress ? `the gateway ${gateway}` : address;
    throw new Error(`${wanted} did not get ${missing}: is its cable plugged in?`);
  };

  /** First the files, then the tool: as they were before. While a disk is full, the interface stays up. */
  const restore = async ({ files, mode, down, upAgain }: FullPlan) => {
    const putBack = preparedTexts(
      files.map(({ path, before }) => ({ path, text: before })),
      mode,
    );
    await runAll(down).catch(() => {});
    await thenUp(putBack, upAgain);
  };

  /** What is being tried out, if it is what is meant: by now it may be somebody else's. */
  const meant = (deadline: number | undefined): KeptTrial => {
    const open = trial ?? refuse("no_network_trial");
    return deadline === undefined || deadline === open.deadline ? open : refuse("network_trial_other");
  };

  const endTrial = () => {
    file.remove();
    callOff();
    trial = undefined;
    problem = null;
    leave();
  };

  const leave = () => {
    letGo?.();
    letGo = undefined;
  };

  const keep = (next: KeptTrial) => {
    file.write(next);
    trial = next;
  };

  const takeBack = async () => {
    if (!trial) return;
    giveNoMoreTime(trial);
    try {
      await restore(trial.plan);
      endTrial();
    } catch (error) {
      problem = (error as Error).message;
      watch(RETRY_MS);
    }
  };

  /** A later keeper goes on with taking back at once; where that cannot be written, at the deadline. */
  const giveNoMoreTime = (ending: KeptTrial) => {
    if (!ending.seconds) return;
    try {
      keep({ ...ending, seconds: 0 });
    } catch {
      // A full disk does not keep it from being taken back; where that fails too, whoever asks is told why.
    }
  };

  const watch = (milliseconds: number) => {
    rings = monotonic() + milliseconds;
    inTime(milliseconds, takeBack);
  };

  /** One at a time; what has rung and waits for its turn is called off, too: by then another may be on trial. */
  const inTime = (milliseconds: number, act: () => Promise<void>) => {
    callOff();
    let isOver = false;
    const stop = schedule(milliseconds, () => {
      void inTurn(async () => {
        if (!isOver) await act();
      });
    });
    callOff = () => {
      isOver = true;
      stop();
    };
  };

  /** Takes up what a keeper that ended has left on trial; while that one lives, looks again. */
  const takeOver = () => {
    if (trial || !file.exists()) return;
    callOff();
    letGo = file.lock();
    if (!letGo) {
      inTime(RETRY_MS, async () => takeOver());
      return;
    }
    trial = file.read();
    if (!trial) return leave();
    // The clock may have been set since it was open, but it is never given more time.
    watch(Math.min(Math.max(0, trial.deadline - now()), (trial.seconds ?? 0) * 1000));
  };

  if (isRoot) takeOver();

  return {
    state: () => inTurn(state),

    preview: (change) =>
      inTurn(async (): Promise<NetworkPlan> => {
        const { tool, files, down, up } = await planFor(change);
        const shown = files.map(({ path, before, after }) => ({
          path,
          before: before === null ? null : withoutSecrets(before),
          after: withoutSecrets(after),
        }));
        return { tool, files: shown, commands: [...down, ...up] };
      }),

    tryOut: (change, seconds) =>
      inTurn(async () => {
        if (!isRoot) refuse("network_not_root");
        takeOver();
        if (trial) refuse("network_trial_open");
        letGo = file.lock() ?? refuse("network_trial_elsewhere");
        let plan: FullPlan;
        let putInPlace: () => void;
        try {
          plan = await planFor(change);
          const texts = plan.files.map(({ path, after }) => ({ path, text: after }));
          putInPlace = preparedTexts(texts, plan.mode);
          // Kept before anything is changed: whatever happens from here on, it is taken back.
          keep({ change, deadline: now(), seconds: 0, plan });
        } catch (error) {
          leave();
          if (error instanceof DomainError) throw error;
          return refuse(
            "network_failed",
            `${CODES.network_failed} ${NOTHING_CHANGED} ${(error as Error).message}`,
          );
        }
        try {
          await runAll(plan.down);
          await thenUp(putInPlace, plan.up);
          await untilSet(change);
          keep({ change, deadline: now() + seconds * 1000, seconds, plan });
        } catch (error) {
          await takeBack();
          const end = trial ? NOT_TAKEN_BACK : TAKEN_BACK;
          return refuse("network_failed", `${CODES.network_failed} ${end} ${(error as Error).message}`);
        }
        watch(seconds * 1000);
        return state();
      }),

    confirm: (deadline) =>
      inTurn(async () => {
        const { seconds } = meant(deadline);
        // What is half set up or half taken back is not there to be kept.
        if (problem !== null) refuse("network_ending", `${CODES.network_ending} ${problem}`);
        if (!seconds) refuse("network_ending");
        endTrial();
        return state();
      }),

    takeBack: (deadline) =>
      inTurn(async () => {
        meant(deadline);
        await takeBack();
        if (problem !== null) refuse("network_failed", `Taking it back failed: ${TRIED_AGAIN} ${problem}`);
        return state();
      }),
  };
}

interface IpLink {
  readonly ifname: string;
  readonly ifindex: number;
  readonly address?: string;
  readonly flags?: readonly string[];
  readonly addr_info?: ReadonlyArray<{ readonly local: string; readonly prefixlen: number }>;
}
interface IpRoute {
  readonly dev: string;
  readonly gateway?: string;
}

/** Everything of a change goes into files that root reads: only what has exactly this form does. */
function assertSound({ interface: name, address, gateway, dns }: NetworkChange): void {
  const [ip = "", length = "", ...more] = address.split("/");
  const own = parseIpv4(ip) ?? refuse("bad_network");
  const bits = /^\d{1,2}$/.test(length) ? Number(length) : 0;
  if (!/^[A-Za-z0-9._-]{1,15}$/.test(name)) refuse("no_interface");
  if (bits < 8 || bits > 31 || more.length > 0) refuse("bad_network");
  if (dns.length > MAX_DNS || dns.some((each) => parseIpv4(each) === undefined)) refuse("bad_network");
  if (gateway === null) return;
  const next = parseIpv4(gateway) ?? refuse("bad_network");
  const networkOf = (value: number) => Math.floor(value / 2 ** (32 - bits));
  if (next === own || networkOf(next) !== networkOf(own)) refuse("bad_network");
}

function nameServers(root: string): string[] {
  const path = join(root, "etc/resolv.conf");
  if (!existsSync(path)) return [];
  return [...readFileSync(path, "utf8").matchAll(/^nameserver[ \t]+(\S+)/gm)].map(
    ([, server = ""]) => server,
  );
}
