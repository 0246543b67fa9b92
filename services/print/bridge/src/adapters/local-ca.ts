import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "@frontdesk/kit/clock";
import { writeWhole } from "./kept-file.ts";

const RENEW_BEFORE_MS = 30 * 24 * 60 * 60_000;

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export const authorityPath = (home: string) => join(home, "tls", "ca.crt");
export const certificatePath = (home: string) => join(home, "tls", "server.crt");

/**
 * The certificate this bridge shows, from an authority that exists on this machine alone. Both are
 * made on first start; the leaf is made anew before it runs out or when the names change.
 */
export async function localIdentity(home: string, names: readonly string[], clock: Clock): Promise<Identity> {
  const folder = join(home, "tls");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  const wanted = ["localhost", "127.0.0.1", "::1", ...names];

  if (!existsSync(path("ca.crt")) || !existsSync(path("ca.key"))) {
    const { makeAuthority } = await import("./make-certificates.ts");
    const name = `Frontdesk print bridge on ${hostname().replace(/[^\w.-]/g, "")}`;
    const authority = await makeAuthority(name, clock.now());
    writeWhole(path("ca.key"), authority.key, 0o600);
    writeWhole(path("ca.crt"), authority.cert, 0o644);
  }
  if (
    !existsSync(path("server.key")) ||
    !leafServes(path("server.crt"), read("ca.crt"), wanted, clock.now())
  ) {
    const { makeLeaf } = await import("./make-certificates.ts");
    const leaf = await makeLeaf({ key: read("ca.key"), cert: read("ca.crt") }, wanted, clock.now());
    writeWhole(path("server.key"), leaf.key, 0o600);
    writeWhole(path("server.crt"), leaf.cert, 0o644);
  }
  return { key: read("server.key"), cert: `${read("server.crt").trim()}\n${read("ca.crt")}` };
}

function leafServes(path: string, authority: string, wanted: readonly string[], now: number): boolean {
  if (!existsSync(path)) return false;
  const leaf = new X509Certificate(readFileSync(path, "utf8"));
  const covers = (name: string) => leaf.checkHost(name) !== undefined || leaf.checkIP(name) !== undefined;
  return (
    leaf.checkIssued(new X509Certificate(authority)) &&
    Date.parse(leaf.validTo) - now > RENEW_BEFORE_MS &&
    wanted.every(covers)
  );
}
