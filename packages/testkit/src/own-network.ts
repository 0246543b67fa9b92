import { execFileSync } from "node:child_process";
import type { TestContext } from "node:test";
import koffi from "koffi";
import { debianProgram } from "./debian.ts";

const CLONE_NEWNET = 0x40000000;
let entered = false;

/**
 * Takes this whole test process, and whatever it starts from now on, into a network of its own where there
 * is nothing but loopback: well-known ports are free and nobody outside hears of it. It cannot be left again,
 * so the programs that are needed there, each with Debian's package of it, are fetched before.
 */
export function enterOwnNetwork(
  t: Pick<TestContext, "skip">,
  programs: Readonly<Record<string, string>> = {},
): boolean {
  if (entered) return true;
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    t.skip("a network of one's own needs root on Linux");
    return false;
  }
  for (const [program, debianPackage] of Object.entries({ ip: "iproute2", ...programs }))
    if (!debianProgram(t, program, debianPackage)) return false;
  // Namespaces belong to threads; sockets are opened, and programs started, by this one.
  const unshare = koffi.load("libc.so.6").func("int unshare(int flags)");
  if (unshare(CLONE_NEWNET) !== 0) throw new Error("this machine gives no network of one's own");
  entered = true;
  ip("link", "set", "lo", "up");
  return true;
}

let hosts = 0;

/** Another machine at the end of a cable: what runs a program there. Gone with the test. */
export function neighbour(
  t: Pick<TestContext, "after">,
  addresses: { readonly ours: string; readonly theirs: string },
): { readonly words: readonly string[]; readonly link: string } {
  const name = `fdn${process.pid}n${hosts++}`;
  const link = `lan${hosts}`;
  ip("netns", "add", name);
  t.after(() => void ip("netns", "del", name));
  ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
  ip("addr", "add", addresses.ours, "broadcast", "+", "dev", link);
  ip("link", "set", link, "up");
  for (const words of [
    ["addr", "add", addresses.theirs, "broadcast", "+", "dev", "eth0"],
    ["link", "set", "eth0", "up"],
    ["link", "set", "lo", "up"],
  ])
    ip("-n", name, ...words);
  return { words: ["ip", "netns", "exec", name], link };
}

function ip(...words: string[]): void {
  execFileSync("ip", words, { stdio: "pipe" });
}
