import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestNetwork } from "./test-network.ts";

/** Puts the address on the interface, unless another host answers for it (exit 3), and writes down what dhclient was told. */
const SCRIPT = `#!/bin/sh
case "$reason" in
  PREINIT6)
    ip link set dev "$interface" up
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      ip -6 addr show dev "$interface" scope link | grep -q inet6 \\
        && ! ip -6 addr show dev "$interface" scope link | grep -q tentative && break
      sleep 0.2
    done ;;
  BOUND6|RENEW6|REBIND6|REBOOT6)
    if [ -n "$new_ip6_address" ]; then
      ip -6 addr replace "$new_ip6_address/128" dev "$interface"
      while ip -6 addr show dev "$interface" tentative -dadfailed | grep -q inet6; do sleep 0.1; done
      ip -6 addr show dev "$interface" dadfailed | grep -q inet6 && exit 3
    fi ;;
  EXPIRE6|RELEASE6|STOP6) ip -6 addr flush dev "$interface" scope global ;;
esac
{ echo "reason=$reason"; env | grep -E '^(new|old)_'; } >> "$CLIENT_LOG"
exit 0
`;

/** The clients of DHCPv6 that Debian has, each on an interface of its host. */
export function dhcp6Clients(network: TestNetwork, programs: Record<string, string>) {
  const script = join(network.folder, "client6-script");
  writeFileSync(script, SCRIPT);
  chmodSync(script, 0o755);
  const at = (host: string, name: string) => join(network.folder, `${host}.${name}`);

  return {
    log: (host: string) => at(host, "log6"),

    /** `flags`: -N for an address, -P for a prefix, several of them for several IAs; `conf`: more of dhclient.conf. */
    dhclient(host: string, device: string, flags: string[], conf = "") {
      writeFileSync(at(host, "leases6"), "");
      writeFileSync(at(host, "conf6"), `also request dhcp6.name-servers;\n${conf}`);
      const words = ["-6", "-cf", at(host, "conf6"), "-lf", at(host, "leases6"), "-pf", at(host, "pid6")];
      const passed = ["-sf", script, "-e", `CLIENT_LOG=${at(host, "log6")}`];
      const path = programs.dhclient as string;
      const start = () => network.start(host, path, ["-d", ...words, ...passed, ...flags, device]);
      return {
        begin: start,
        /** Starts it with the leases it had before. */
        again: start,
        release: () => network.run(host, path, "-r", ...words, ...passed, ...flags, device),
      };
    },

    /** `conf`: dhcpcd.conf. Its state is kept apart from the machine's own. */
    dhcpcd(host: string, device: string, conf: string) {
      const path = at(host, "dhcpcd.conf");
      const hook = at(host, "hook");
      writeFileSync(path, conf);
      writeFileSync(
        hook,
        `#!/bin/sh\n{ echo "reason=$reason"; env | grep -E '^new_'; } >> "${at(host, "log6")}"\n`,
      );
      chmodSync(hook, 0o755);
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
          return network.start(host, "unshare", inside(["-6", "-B", "-d", "-f", path, "-c", hook, device]));
        },
        release: () => network.run(host, "unshare", ...inside(["-6", "-k", device])),
      };
    },

    /** `section`: of its [DHCPv6]. */
    networkd(host: string, device: string, section = "") {
      const setUp = `
        mount -t tmpfs none /run && mkdir -p /run/systemd/network /run/systemd/netif/leases /run/systemd/netif/links
        chown -R systemd-network /run/systemd/netif
        printf '[Match]\\nName=${device}\\n[Network]\\nDHCP=ipv6\\nIPv6AcceptRA=no\\nLinkLocalAddressing=ipv6\\n[DHCPv6]\\nWithoutRA=solicit\\n${section}' > /run/systemd/network/a.network
        mount -o remount,bind,ro /sys
        exec "$0"`;
      return {
        begin: () =>
          network.start(
            host,
            "unshare",
            ["--mount", "sh", "-c", setUp, programs["systemd-networkd"] as string],
            { SYSTEMD_LOG_LEVEL: "debug", SYSTEMD_LOG_TARGET: "console" },
          ),
      };
    },
  };
}
