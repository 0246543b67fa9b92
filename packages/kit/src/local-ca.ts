import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import { writeWhole } from "./kept-file.ts";
import { permitsAll } from "./name-constraints.ts";

const RENEW_BEFORE_MS = 30 * 24 * 60 * 60_000;
const RENEWAL_CHECK_MS = 24 * 60 * 60_000;
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

const namesOf = ({ hosts }: LocalCaOptions) => [...new Set([...LOOPBACK, ...hosts])];

export interface Identity {
  readonly key: string;
  /** The leaf, and after it the authority's own certificate. */
  readonly cert: string;
}

export interface LocalCaOptions {
  /** The service's home; the files are in `tls/` there. */
  readonly home: string;
  /** Whose authority it is, as a person finds it among others: "Frontdesk print bridge". */
  readonly name: string;
  /** Hosts beside the loopback ones. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
}

export const authorityPath = (home: string) => join(home, "tls", "ca.crt");
export const certificatePath = (home: string) => join(home, "tls", "server.crt");

/**
 * The certificate a service shows, from an authority that exists on this machine alone and can speak for no
 * host but the loopback ones and those named. Both are made on first use. The leaf is made anew before it
 * runs out; the authority when it cannot speak for a host that was added, when it runs out, or when its
 * leaf does and its key was discarded.
 */
export async function localIdentity(options: LocalCaOptions): Promise<Identity> {
  const files = openFiles(options.home);
  const hosts = namesOf(options);
  const now = options.clock.now();
  const serves = () =>
    isPair(files.read("server.key"), files.read("server.crt")) &&
    leafServes(files.read("server.crt"), files.read("ca.crt"), hosts, now);
  if (!files.hasAll || !doesServe(serves)) {
    await makeLeaf(files, options, false);
  }
  return {
    key: files.read("server.key"),
    cert: `${files.read("server.crt").trim()}\n${files.read("ca.crt")}`,
  };
}

/**
 * Makes a last leaf and throws the authority's key away: nobody can sign with it any more, on this machine or
 * on those of a fleet that trust it. When the leaf runs out, there is a new authority to be trusted.
 */
export async function discardAuthorityKey(options: LocalCaOptions): Promise<void> {
  const files = openFiles(options.home);
  if (files.has("ca.crt") && !files.has("ca.key")) return;
  await makeLeaf(files, options, true);
  files.remove("ca.key");
}

/** Tells of a new identity whenever there is one, looking once a day. */
export function watchIdentity(
  options: LocalCaOptions,
  current: Identity,
  renewed: (identity: Identity) => void,
  failed: (error: unknown) => void,
): () => void {
  let shown = current;
  const timer = setInterval(() => {
    localIdentity(options)
      .then((identity) => {
        if (identity.cert === shown.cert) return;
        renewed(identity);
        // Only now: one that could not be taken is offered again.
        shown = identity;
      })
      .catch(failed);
  }, RENEWAL_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

type Files = ReturnType<typeof openFiles>;

function openFiles(home: string) {
  const folder = join(home, "tls");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (name: string) => join(folder, name);
  const has = (name: string) => existsSync(path(name));
  return {
    has,
    hasAll: ["ca.crt", "server.key", "server.crt"].every(has),
    read: (name: string) => readFileSync(path(name), "utf8"),
    write: (name: string, content: string) =>
      writeWhole(path(name), content, name.endsWith(".key") ? 0o600 : 0o644),
    remove: (name: string) => rmSync(path(name), { force: true }),
  };
}

async function makeLeaf(files: Files, options: LocalCaOptions, isLast: boolean): Promise<void> {
  const certificates = await import("./certificates.ts");
  const hosts = namesOf(options);
  const now = options.clock.now();
  const serves = () =>
    isPair(files.read("ca.key"), files.read("ca.crt")) && authorityServes(files.read("ca.crt"), hosts, now);
  if (!files.has("ca.crt") || !files.has("ca.key") || !doesServe(serves)) {
    const name = `${options.name} on ${hostname().replace(/[^\w.-]/g, "")}`;
    const authority = await certificates.makeAuthority(name, hosts, now);
    files.write("ca.key", authority.key);
    files.write("ca.crt", authority.cert);
  }
  const authority = { key: files.read("ca.key"), cert: files.read("ca.crt") };
  const leaf = await certificates.makeLeaf(authority, { subject: options.name, hosts, isLast }, now);
  files.write("server.key", leaf.key);
  files.write("server.crt", leaf.cert);
}

/** Whether a key is that of a certificate: who was killed between writing the one and the other left two that are not. */
const isPair = (key: string, cert: string) =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));

/** A file that is empty or garbled counts as none. */
function doesServe(serves: () => boolean): boolean {
  try {
    return serves();
  } catch {
    return false;
  }
}

/** An authority that is not constrained, or may not speak for a host, is not used any more. */
function authorityServes(cert: string, hosts: readonly string[], now: number): boolean {
  const authority = new X509Certificate(cert);
  return permitsAll(authority.raw, hosts) && isCurrent(authority, now);
}

/** One that was made while the clock was ahead is believed by nobody before its day. */
const isCurrent = ({ validFrom, validTo }: X509Certificate, now: number) =>
  Date.parse(validFrom) <= now && Date.parse(validTo) - now > RENEW_BEFORE_MS;

function leafServes(cert: string, ca: string, hosts: readonly string[], now: number): boolean {
  const leaf = new X509Certificate(cert);
  const authority = new X509Certificate(ca);
  const covers = (host: string) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined;
  return (
    leaf.checkIssued(authority) &&
    permitsAll(authority.raw, hosts) &&
    Date.parse(authority.validFrom) <= now &&
    isCurrent(leaf, now) &&
    hosts.every(covers)
  );
}
