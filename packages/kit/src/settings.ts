import { readFileSync } from "node:fs";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StartProblem } from "./problem.ts";

/** One value of the environment: how it reads, what it is without being set, what it is for. */
export interface Setting<T> {
  readonly about: string;
  readonly fallback: string | undefined;
  readonly secret: boolean;
  /** Where a service's own value is not given: the name that all services share, or what another value implies. */
  readonly otherwise?: Otherwise;
  /** Reads the text, or throws a Malformed that completes the sentence "NAME must be …". */
  readonly read: (text: string) => T;
}

export interface Otherwise {
  /** For the page of settings. */
  readonly about: string;
  readonly read: (env: Environment) => string | undefined;
}

/** Names and their values; a secret may stand in a file that `<NAME>_FILE` names. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type Values<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

class Malformed extends Error {}

const FILE = "_FILE";

type Options = { about: string; fallback?: string; secret?: boolean };

function setting<T>(options: Options, read: (text: string) => T): Setting<T> {
  return { about: options.about, fallback: options.fallback, secret: options.secret ?? false, read };
}

/** A setting that may be left out: its value is then undefined. */
export function optional<T>(inner: Setting<T>): Setting<T | undefined> {
  return { ...inner, fallback: "", read: (text) => (text === "" ? undefined : inner.read(text)) };
}

/** A setting of one service that falls back to the one of the same kind for all. */
export function shared<T>(name: string, inner: Setting<T>): Setting<T> {
  return { ...inner, otherwise: { about: `\`${name}\``, read: (env) => givenFor(name, env, true) } };
}

export const text = (options: Options) => setting(options, (value) => value);

export function integer(options: Options & { min: number; max: number }): Setting<number> {
  return setting(options, (value) => {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || number < options.min || number > options.max) {
      throw new Malformed(`a whole number from ${options.min} to ${options.max}`);
    }
    return number;
  });
}

export function choice<const T extends string>(options: Options & { of: readonly T[] }): Setting<T> {
  return setting(options, (value) => {
    const found = options.of.find((candidate) => candidate === value);
    if (found === undefined) throw new Malformed(`one of ${options.of.join(", ")}`);
    return found;
  });
}

/** Words separated by commas. */
export function list(options: Options): Setting<readonly string[]> {
  return setting(options, (value) =>
    value
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  );
}

/** Some of the words there are, separated by commas. */
export function choices<const T extends string>(
  options: Options & { of: readonly T[] },
): Setting<readonly T[]> {
  const isOne = (word: string): word is T => (options.of as readonly string[]).includes(word);
  const { read } = list(options);
  return setting(options, (value) => {
    const words = read(value);
    if (!words.every(isOne)) throw new Malformed(`some of ${options.of.join(", ")}, separated by commas`);
    return words;
  });
}

const isHostName = (name: string) =>
  name.length <= 253 && /^[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9][a-z0-9-]{0,62})*$/.test(name);

/** What ends in a number is an address or a mistake, and no name: programs would look it up as either. */
const endsInNumber = (host: string) => /(?:^|\.)\d+$/.test(host);

/** A name of a host or a domain, without scheme, port or path. */
export function hostName(options: Options): Setting<string> {
  return setting(options, (value) => {
    const name = value.toLowerCase();
    if (!isHostName(name))
      throw new Malformed("the name of a host like example.org, without https:// and without a port");
    return name;
  });
}

/** Names and addresses of hosts, separated by commas, each in its plain form: IPv6 without brackets, as certificates have it. */
export function hosts(options: Options): Setting<readonly string[]> {
  const words = list(options);
  return setting(options, (value) =>
    words.read(value).map((word) => {
      const host = word.toLowerCase();
      const address = /^\[(.+)\]$/.exec(host)?.[1] ?? host;
      if (isIPv6(address) && !address.includes("%"))
        return new URL(`http://[${address}]`).hostname.slice(1, -1);
      // What is in use as a name of a machine may have what RFC 952 leaves out.
      if (isIPv4(host) || (isHostName(host.replaceAll("_", "-")) && !endsInNumber(host))) return host;
      throw new Malformed("names or addresses like desk.example.org,10.0.0.5,fd00::5, each without a port");
    }),
  );
}

/** Addresses and networks of IPv4 and IPv6, separated by commas. */
export function networks(options: Options): Setting<readonly string[]> {
  const words = list(options);
  return setting(options, (value) => {
    const given = words.read(value);
    if (!given.every(isNetwork))
      throw new Malformed("addresses or networks like 10.0.0.1,192.168.0.0/16,fd00::/8, separated by commas");
    return given;
  });
}

function isNetwork(word: string): boolean {
  const [address = "", bits, more] = word.split("/");
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  // A network of all addresses is none that could be told from the rest.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with an IPv6 host in brackets. */
export function listen(options: Options): Setting<ListenAddress> {
  return setting(options, (value) => {
    const match = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(value);
    const port = Number(match?.[3]);
    const [, inBrackets, plain = ""] = match ?? [];
    const isHost = inBrackets === undefined ? isIPv4(plain) || !endsInNumber(plain) : isIPv6(inBrackets);
    if (!match || !isHost || port < 1 || port > 65_535)
      throw new Malformed("an address and a port like 127.0.0.1:8080 or [::1]:8080");
    return { host: inBrackets ?? plain, port };
  });
}

/** Under which address a listener is reached: the one that was set, else where it listens; no slash at its end. */
export function publicUrl(set: URL | undefined, { host, port }: ListenAddress): string {
  return (set?.href ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`).replace(/\/$/, "");
}

function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

function isLocalFile(file: URL): boolean {
  try {
    fileURLToPath(file);
    return true;
  } catch {
    return false;
  }
}

/**
 * A URL of one of the given schemes. `percentEncoded`: whoever connects by it decodes its name, password and path, which
 * a bare % makes impossible; the drivers of mail servers and PostgreSQL take that as it is.
 */
export function url(
  options: Options & { schemes: readonly string[]; percentEncoded?: boolean },
): Setting<URL> {
  return setting(options, (value) => {
    const parsed = URL.parse(value);
    if (!parsed || !options.schemes.includes(parsed.protocol.slice(0, -1))) {
      throw new Malformed(
        `a URL that begins with ${options.schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
      );
    }
    if (options.percentEncoded && !isDecodable(parsed))
      throw new Malformed("a URL in which a % that stands for itself is written %25");
    if (parsed.protocol === "file:" && !isLocalFile(parsed))
      throw new Malformed("a path of this machine, file:///srv/frontdesk, where it begins with file:");
    return parsed;
  });
}

export function folder(options: Options): Setting<string> {
  return setting(options, (value) => resolve(repository, value));
}

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** What every service understands. What several services have is read here, unless a service has its own. */
export const houseSettings = {
  FRONTDESK_HOME: folder({
    about: "The folder that holds all state; deleting it is a fresh start.",
    fallback: ".frontdesk",
  }),
  FRONTDESK_USER: optional(
    text({
      about:
        "Where `npm start` is run by root: the unprivileged user that avatar, presence and print run as. (lease opens privileged ports and gives up root by itself.)",
    }),
  ),
  FRONTDESK_DATABASE_URL: optional(
    url({
      about: "`postgres://…`: the database of every service that has none of its own. Without it: files.",
      schemes: ["postgres", "postgresql"],
      secret: true,
    }),
  ),
  FRONTDESK_MAIL_URL: optional(
    url({
      about: "The mail server of every service that has none of its own: `smtp://user:password@host:587`.",
      schemes: ["smtp", "smtps"],
      secret: true,
    }),
  ),
  FRONTDESK_MAIL_FROM: optional(text({ about: "The sender of mails, unless a service has its own." })),
  FRONTDESK_TRUSTED_PROXIES: networks({
    about:
      "Addresses and networks of reverse proxies whose `X-Forwarded-For` is believed, separated by commas, unless a service has its own.",
    fallback: "",
  }),
  FRONTDESK_LOG_LEVEL: choice({
    about: "How much is logged.",
    of: ["trace", "debug", "info", "warn", "error", "silent"],
    fallback: "info",
  }),
} satisfies Settings;

/**
 * Reads the environment once, into a frozen value. Every mistake is told, a sentence each: a value
 * that does not parse, one that is missing, and a name with the service's prefix that nothing reads.
 */
export function readSettings<S extends Settings>(settings: S, env: Environment, prefix: string): Values<S> {
  const mistakes = unknownNames(settings, env, prefix);
  const values: Record<string, unknown> = {};
  for (const [name, { read, fallback, secret, otherwise }] of Object.entries(settings)) {
    let given: string | undefined;
    try {
      given = givenFor(name, env, secret) || otherwise?.read(env) || fallback;
      if (given === undefined) mistakes.push(`${name} must be set.`);
      else values[name] = read(given);
    } catch (error) {
      if (error instanceof StartProblem) mistakes.push(error.message);
      else if (error instanceof Malformed)
        mistakes.push(`${name} must be ${error.message}, not ${secret ? "what it is now" : `"${given}"`}.`);
      else throw error;
    }
  }
  if (mistakes.length > 0) throw new StartProblem(mistakes.join("\n"));
  return Object.freeze(values) as Values<S>;
}

/** What the environment says for a name; of a secret, also what stands in the file that `<NAME>_FILE` names. */
function givenFor(name: string, env: Environment, secret: boolean): string | undefined {
  const file = secret ? env[`${name}${FILE}`] : undefined;
  if (!file) return env[name];
  if (env[name]) throw new StartProblem(`${name} and ${name}${FILE} are both set: keep one of them.`);
  const value = contentOf(file, name);
  // One that is not written yet, or was cut off: the default would be something else than what was meant.
  if (value === "")
    throw new StartProblem(`${name}${FILE} must name a file that holds a value: "${file}" is empty.`);
  return value;
}

/** A relative path is below the program's folder, where services run; commands run where their caller is. */
function contentOf(file: string, name: string): string {
  try {
    return readFileSync(resolve(repository, file), "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartProblem(`${name}${FILE} must name a file that can be read, not "${file}" (${code}).`);
  }
}

function isKnown(settings: Settings, name: string): boolean {
  if (Object.hasOwn(settings, name)) return true;
  const base = name.endsWith(FILE) ? name.slice(0, -FILE.length) : "";
  return Object.hasOwn(settings, base) && settings[base]?.secret === true;
}

function unknownNames(settings: Settings, env: Environment, prefix: string): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !isKnown(settings, name))
    .map((name) => {
      const known = Object.keys(settings).filter((candidate) => candidate.startsWith(prefix));
      return `${name} is not a setting. The settings that begin with ${prefix} are ${known.join(", ")}.`;
    });
}
