import type { ChildProcess } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestNetwork } from "./test-network.ts";

/** Puts the address on the interface and writes down what the client was told, for dhclient and udhcpc alike. */
const SCRIPT = `#!/bin/sh
address=\${new_ip_address:-$ip}
bits=\${mask:-24}
case "\${reason:-$1}" in
  BOUND|RENEW|REBIND|REBOOT|bound|renew) ip addr replace "$address/$bits" dev "$interface" ;;
  EXPIRE|FAIL|RELEASE|STOP|deconfig) ip -4 addr flush dev "$interface" ;;
esac
{ echo "\${reason:-$1}"; env; } >> "$CLIENT_LOG"
`;

export interface DhcpClient {
  /** Starts it; it asks for an address. */
  begin(): void;
  release(): void;
}

/** The clients of Debian, each on an interface of its host. */
export function dhcpClients(network: TestNetwork, programs: Record<string, string>) {
  const script = join(network.folder, "client-script");
  writeFileSync(script, SCRIPT);
  chmodSync(script, 0o755);
  const at = (host: string, name: string) => join(network.folder, `${host}.${name}`);
  const env = (host: string) => ({ CLIENT_LOG: at(host, "log") });

  return {
    log: (host: string) => at(host, "log"),

    dhclient(
      host: string,
      device: string,
      options: { broadcast?: boolean; leases?: string } = {},
    ): DhcpClient {
      const leases = at(host, "leases");
      const conf = at(host, "conf");
      writeFileSync(leases, options.leases ?? "");
      const patience = "initial-interval 1;\nbackoff-cutoff 2;\n";
      writeFileSync(conf, patience + (options.broadcast ? "bootp-broadcast-always;\n" : ""));
      const words = ["-4", "-cf", conf, "-lf", leases, "-pf", at(host, "pid"), "-sf", script];
      const passed = ["-e", `CLIENT_LOG=${at(host, "log")}`];
      return {
        begin: () =>
          void network.start(host, programs.dhclient as string, ["-d", ...words, ...passed, device]),
        release: () => void network.run(host, programs.dhclient as string, "-r", ...words, ...passed, device),
      };
    },

    udhcpc(host: string, device: string, flags: string[] = []): DhcpClient & { oneShot(): string } {
      const words = ["-i", device, "-s", script, "-p", at(host, "pid"), ...flags];
      return {
        begin: () => void network.start(host, programs.udhcpc as string, ["-f", "-R", ...words], env(host)),
        release: () => {
          const pids = network.run(host, "cat", at(host, "pid")).trim();
          process.kill(Number(pids), "SIGTERM");
        },
        /** Gets one lease and ends; answers with what the client was told. */
        oneShot: () => {
          network.run(
            host,
            "env",
            `CLIENT_LOG=${at(host, "log")}`,
            programs.udhcpc as string,
            "-n",
            "-q",
            "-f",
            "-t",
            "5",
            ...words,
          );
          return network.run(host, "cat", at(host, "log"));
        },
      };
    },

    dhcpcd(host: string, device: string, flags: string[] = []): DhcpClient {
      // Its state is kept apart from the machine's own: every host has its own folders.
      const inside = (words: string[]) => [
        "--mount",
        "sh",
        "-c",
        `mount -t tmpfs none /var/lib/dhcpcd && mount --bind "$0" /run && exec "$@"`,
        at(host, "run"),
        programs.dhcpcd as string,
        ...words,
      ];
      return {
        begin: () => {
          network.run(host, "mkdir", "-p", at(host, "run"));
          network.start(
            host,
            "unshare",
            inside(["-4", "-B", "-f", "/dev/null", "-c", "/bin/true", "--noarp", ...flags, device]),
          );
        },
        release: () => {
          network.run(host, "unshare", ...inside(["-4", "-k", device]));
        },
      };
    },

    networkd(host: string, device: string, section = ""): DhcpClient {
      // It asks udev about a device unless /sys is read-only, as it is in a container.
      const setUp = `
        mount -t tmpfs none /run && mkdir -p /run/systemd/network /run/systemd/netif/leases /run/systemd/netif/links
        chown -R systemd-network /run/systemd/netif
        printf '[Match]\\nName=${device}\\n[Network]\\nDHCP=ipv4\\nLinkLocalAddressing=no\\n[DHCPv4]\\n${section}' > /run/systemd/network/a.network
        mount -o remount,bind,ro /sys
        exec "$0"`;
      const path = programs["systemd-networkd"] as string;
      let running: ChildProcess | undefined;
      return {
        begin: () => {
          running = network.start(host, "unshare", ["--mount", "sh", "-c", setUp, path], {
            SYSTEMD_LOG_LEVEL: "debug",
            SYSTEMD_LOG_TARGET: "console",
          }).child;
        },
        release: () => void running?.kill("SIGTERM"),
      };
    },
  };
}
