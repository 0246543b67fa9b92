import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { enterOwnNetwork } from "@frontdesk/testkit/own-network";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createHostNetwork } from "../src/keeper/host-network.ts";

const CHANGE = { interface: "lan0", address: "192.0.2.10/24", gateway: "192.0.2.1", dns: ["192.0.2.53"] };
const BEFORE = "192.0.2.77/24";
const INTERFACES = `# The machine's own
auto lo
iface lo inet loopback

auto lan0
iface lan0 inet dhcp
    hostname front

# the other one
iface lan1 inet static
    address 198.51.100.1/24
`;

/** Files that each tool has while it has the interface, and a stand-in for it that does as its files say. */
const TOOLS = {
  "systemd-networkd": {
    files: (index: string) => ({ [`run/systemd/netif/links/${index}`]: "ADMIN_STATE=configured\n" }),
    programs: {
      networkctl: `f=$ROOT/etc/systemd/network/00-frontdesk-lan0.network
if [ -e $f ]; then address=$(sed -n s/^Address=//p $f); else address=${BEFORE}; fi`,
    },
  },
  NetworkManager: {
    files: (index: string) => ({ [`run/NetworkManager/devices/${index}`]: "[device]\nmanaged=true\n" }),
    programs: {
      nmcli: `case "$1 $2" in "connection load"|"connection reload") exit 0;; esac
f=$ROOT/etc/NetworkManager/system-connections/frontdesk-lan0.nmconnection
if [ -e $f ]; then address=$(sed -n 's/^address1=\\([^,]*\\).*/\\1/p' $f); else address=${BEFORE}; fi`,
    },
  },
  ifupdown: {
    files: () => ({ "etc/network/interfaces": INTERFACES }),
    programs: {
      ifdown: "ip addr flush dev lan0; exit 0",
      ifup: `address=$(sed -n '/^iface lan0 inet static/,/^iface/s/^ *address //p' $ROOT/etc/network/interfaces)
address=\${address:-${BEFORE}}`,
    },
  },
} as const;
type Tool = keyof typeof TOOLS;

const ip = (...words: string[]) => execFileSync("ip", words, { stdio: "pipe", encoding: "utf8" });

function machine(t: TestContext, tool: Tool | undefined) {
  const root = temporaryHome(t);
  ip("link", "add", "lan0", "type", "veth", "peer", "name", "far0");
  t.after(() => void ip("link", "del", "lan0"));
  ip("addr", "add", BEFORE, "dev", "lan0");
  ip("link", "set", "lan0", "up");
  const [{ ifindex }] = JSON.parse(ip("-json", "link", "show", "lan0"));
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  };
  put("etc/resolv.conf", "nameserver 192.0.2.53\n");
  if (tool) {
    for (const [path, text] of Object.entries(TOOLS[tool].files(String(ifindex)))) put(path, text);
    for (const [name, script] of Object.entries(TOOLS[tool].programs)) {
      const fails = `[ -e "$ROOT/fails" ] && { echo "it fails" >&2; exit 1; }`;
      const sets = `ip addr flush dev lan0; ip addr add $address dev lan0
[ $address = ${BEFORE} ] || ip route add default via ${CHANGE.gateway} dev lan0`;
      put(
        `bin/${name}`,
        `#!/bin/sh\necho ${name} "$@" >> $ROOT/calls\n${fails}\n${script}\n${sets}\n`,
        0o755,
      );
    }
  }
  let now = 1_000_000;
  let due: { at: number; act: () => void } | undefined;
  let holder: object | undefined;
  const lockIfFree = () => {
    if (holder) return undefined;
    const own = {};
    holder = own;
    return () => {
      if (holder === own) holder = undefined;
    };
  };
  const openBeside = (isRoot = true, path = `${join(root, "bin")}:${process.env.PATH}`) =>
    createHostNetwork({
      root,
      run: async (program, words) => {
        const env = { ...process.env, ROOT: root, PATH: path };
        return (await promisify(execFile)(program, [...words], { env })).stdout;
      },
      now: () => now,
      monotonic: () => now,
      schedule: (milliseconds, act) => {
        const own = { at: now + milliseconds, act };
        due = own;
        return () => {
          if (due === own) due = undefined;
        };
      },
      wait: async () => {},
      lockIfFree,
      isRoot,
    });
  /** The system lets go of what a keeper that ended had locked. */
  const end = () => {
    holder = undefined;
  };
  /** In the place of one that has ended. */
  const open = (...how: Parameters<typeof openBeside>) => {
    end();
    return openBeside(...how);
  };
  return {
    root,
    open,
    openBeside,
    end,
    put,
    /** What the kernel has. */
    address: () => JSON.parse(ip("-json", "-4", "address", "show", "lan0"))[0].addr_info[0]?.local as string,
    calls: () => (existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : ""),
    pass: (milliseconds: number) => {
      now += milliseconds;
      const { at, act } = due ?? assert.fail("nothing is due");
      assert.ok(at <= now, `due in ${at - now} ms`);
      due = undefined;
      act();
    },
    isDue: () => due !== undefined,
  };
}

for (const tool of Object.keys(TOOLS) as Tool[]) {
  test(`${tool}: what is tried out is the kernel's, and is taken back unless it is confirmed`, async (t) => {
    if (!enterOwnNetwork(t)) return;
    const it = machine(t, tool);
    const network = it.open();
    const before = await network.state();
    const [lan] = before.interfaces.filter(({ name }) => name === "lan0");
    assert.deepEqual([lan?.tool, lan?.addresses[0], lan?.up], [tool, BEFORE, true]);
    assert.deepEqual(before.dns, ["192.0.2.53"]);

    const plan = await network.preview(CHANGE);
    const [file] = plan.files;
    assert.equal(plan.tool, tool);
    assert.match(file?.after ?? "", /192\.0\.2\.10\/24/);
    assert.equal(it.calls(), "", "a preview runs nothing");
    assert.equal(existsSync(file?.path ?? "") ? readFileSync(file?.path ?? "", "utf8") : null, file?.before);

    const tried = await network.tryOut(CHANGE, 60);
    assert.equal(it.address(), "192.0.2.10");
    assert.deepEqual(tried.trial, { change: CHANGE, deadline: 1_060_000, secondsLeft: 60, problem: null });
    await assert.rejects(network.tryOut(CHANGE, 60), { code: "network_trial_open" });
    it.pass(60_000);
    assert.equal((await network.state()).trial, null);
    assert.equal(it.address(), BEFORE.split("/")[0]);
    assert.equal(existsSync(file?.path ?? "") ? readFileSync(file?.path ?? "", "utf8") : null, file?.before);

    await network.tryOut(CHANGE, 60);
    assert.equal((await network.confirm()).trial, null);
    assert.equal(it.isDue(), false);
    assert.equal(it.address(), "192.0.2.10");
    await assert.rejects(network.confirm(), { code: "no_network_trial" });
  });
}

/** What a test has mocked of node:fs is so for those, too, who import its functions by name; until the test ends. */
function mockFiles(t: TestContext): void {
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test("ifupdown: of the file only the stanza of the interface changes", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const { files } = await it.open().preview(CHANGE);
  const stanza = `iface lan0 inet static
    address 192.0.2.10/24
    gateway 192.0.2.1
    dns-nameservers 192.0.2.53
`;
  const old = "iface lan0 inet dhcp\n    hostname front\n";
  assert.equal(files[0]?.after, INTERFACES.replace(old, stanza));
});

test("ifupdown: a file that is a link stays one, and whoever could read it still can", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const [link, file] = [join(it.root, "etc/network/interfaces"), join(it.root, "data/interfaces")];
  it.put("data/interfaces", INTERFACES, 0o640);
  const group = 65_534;
  chownSync(file, 0, group);
  rmSync(link);
  symlinkSync("../../data/interfaces", link);
  const network = it.open();
  const look = () => {
    const { mode, uid, gid } = statSync(file);
    return { link: readlinkSync(link), mode: mode & 0o777, uid, gid, text: readFileSync(file, "utf8") };
  };
  const before = look();
  const [change] = (await network.preview(CHANGE)).files;
  await network.tryOut(CHANGE, 60);
  assert.deepEqual(look(), { ...before, text: change?.after });
  await network.takeBack();
  assert.deepEqual(look(), before);
});

test("what somebody else tries out by now is neither kept nor taken back by whoever means another trial", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const network = it.open();
  const seen = (await network.tryOut(CHANGE, 60)).trial?.deadline;
  it.pass(60_000);
  const others = (await network.tryOut({ ...CHANGE, address: "192.0.2.11/24" }, 60)).trial?.deadline;
  await assert.rejects(network.confirm(seen), { code: "network_trial_other" });
  await assert.rejects(network.takeBack(seen), { code: "network_trial_other" });
  assert.equal((await network.state()).trial?.deadline, others);
  assert.equal(it.address(), "192.0.2.11");
  assert.equal((await network.confirm(others)).trial, null);
  await assert.rejects(network.takeBack(others), { code: "no_network_trial" });
});

test("what is tried out next has its own time, also where that of the one before runs out while it is taken back", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const network = it.open();
  await network.tryOut(CHANGE, 60);
  const takenBack = network.takeBack();
  const next = network.tryOut({ ...CHANGE, address: "192.0.2.11/24" }, 60);
  it.pass(60_000);
  await takenBack;
  await next;
  const { trial } = await network.state();
  assert.deepEqual([trial?.change.address, trial?.secondsLeft], ["192.0.2.11/24", 60]);
});

test("a tool that fails: everything is as before, and it is told why", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  const network = it.open();
  it.put("fails", "");
  await assert.rejects(network.tryOut(CHANGE, 60), (error: Error & { code: string }) => {
    assert.equal(error.code, "network_failed");
    assert.match(error.message, /Taking it back failed too: that is tried again every 10 seconds.*it fails/s);
    return true;
  });
  const { trial } = await network.state();
  assert.match(trial?.problem ?? "", /it fails/, "it could not be taken back either, and is tried again");
  assert.equal(existsSync(join(it.root, "etc/systemd/network/00-frontdesk-lan0.network")), false);
  execFileSync("rm", [join(it.root, "fails")]);
  it.pass(10_000);
  assert.equal((await network.state()).trial, null);
  assert.equal(it.address(), BEFORE.split("/")[0]);
});

test("what could not be taken back yet is not kept, and nobody is told that it is taken back", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const network = it.open();
  const file = join(it.root, "etc/network/interfaces");
  await network.tryOut(CHANGE, 60);
  it.put("fails", "");
  await assert.rejects(network.takeBack(), {
    code: "network_failed",
    message: /^Taking it back failed: that is tried again every 10 seconds\. .*it fails/s,
  });
  assert.equal(readFileSync(file, "utf8"), INTERFACES);
  await assert.rejects(network.confirm(), { code: "network_ending", message: /it fails/ });
  it.pass(10_000);
  assert.match((await network.state()).trial?.problem ?? "", /it fails/);
  execFileSync("rm", [join(it.root, "fails")]);
  const other = it.open();
  it.pass(0);
  await assert.rejects(other.confirm(), { code: "no_network_trial" });
  assert.equal(it.address(), BEFORE.split("/")[0]);
});

test("what a keeper that ended left half set up or half taken back is taken back by the next at once, and not kept", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const [ifup, midst] = ["bin/ifup", join(it.root, "midst")];
  const kept = "var/lib/frontdesk-network/lease-network-trial.json";
  const script = readFileSync(join(it.root, ifup), "utf8");
  it.put(ifup, script.replace("\n", `\ncp $ROOT/${kept} $ROOT/midst\n`), 0o755);
  const first = it.open();
  await first.tryOut(CHANGE, 60);
  const settingUp = readFileSync(midst, "utf8");
  await first.takeBack();
  const takingBack = readFileSync(midst, "utf8");
  for (const left of [settingUp, takingBack]) {
    await it.open().tryOut(CHANGE, 60);
    it.put(kept, left, 0o600);
    const next = it.open();
    await assert.rejects(next.confirm(), { code: "network_ending" });
    it.pass(0);
    assert.equal((await next.state()).trial, null);
    assert.equal(it.address(), BEFORE.split("/")[0]);
  }
});

test("root does nothing that somebody else has written where a trial is kept, and keeps none there", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const kept = "var/lib/frontdesk-network/lease-network-trial.json";
  const [path, folder] = [join(it.root, kept), dirname(join(it.root, kept))];
  const nobody = 65_534;
  await it.open().tryOut(CHANGE, 60);
  const left = readFileSync(path, "utf8").replace('"ifup"', '"planted"');
  const plants: Readonly<Record<string, () => void>> = {
    "a file of his": () => chownSync(path, nobody, nobody),
    "a file that all may write": () => chmodSync(path, 0o666),
    "a folder of his": () => chownSync(folder, nobody, nobody),
    "a link of his": () => {
      renameSync(folder, `${folder}-before`);
      symlinkSync(`${folder}-before`, folder);
      lchownSync(folder, nobody, nobody);
    },
  };
  for (const [name, plant] of Object.entries(plants)) {
    chownSync(folder, 0, 0);
    it.put(kept, left, 0o600);
    chownSync(path, 0, 0);
    plant();
    assert.equal((await it.open().state()).trial, null, name);
  }
  await assert.rejects(it.open().tryOut(CHANGE, 60), { message: /frontdesk-network is not root's alone/ });
});

test("a state folder that is /var/lib/frontdesk has no say in what root does", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  await it.open().tryOut(CHANGE, 60);
  mkdirSync(join(it.root, "var/lib/frontdesk"));
  const [own, others] = ["frontdesk-network", "frontdesk"].map((folder) =>
    join(it.root, "var/lib", folder, "lease-network-trial.json"),
  ) as [string, string];
  renameSync(own, others);
  assert.equal((await it.open().state()).trial, null);
});

test("a full disk takes no interface down: nothing is begun, and what is on trial stays until there is room", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const file = join(it.root, "etc/network/interfaces");
  let isFull = true;
  const write = fs.writeFileSync;
  t.mock.method(fs, "writeFileSync", (...[path, ...rest]: Parameters<typeof write>) => {
    if (isFull && dirname(String(path)) === dirname(file)) throw new Error("ENOSPC: no space left");
    write(path, ...rest);
  });
  mockFiles(t);
  const network = it.open();
  await assert.rejects(network.tryOut(CHANGE, 60), { message: /Nothing was changed\. ENOSPC/ });
  assert.equal((await network.state()).trial, null);
  assert.equal(it.calls(), "");

  isFull = false;
  await network.tryOut(CHANGE, 60);
  const calls = it.calls();
  isFull = true;
  it.pass(60_000);
  assert.match((await network.state()).trial?.problem ?? "", /ENOSPC/);
  assert.equal(it.calls(), calls);
  assert.equal(it.address(), "192.0.2.10");
  isFull = false;
  it.pass(10_000);
  assert.equal((await network.state()).trial, null);
  assert.equal(it.address(), BEFORE.split("/")[0]);
  assert.equal(readFileSync(file, "utf8"), INTERFACES);
});

test("an interface comes up again also where its file cannot be replaced any more", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const network = it.open();
  const rename = fs.renameSync;
  let isRefused = false;
  t.mock.method(fs, "renameSync", (from: string, to: string) => {
    if (isRefused && to === join(it.root, "etc/network/interfaces")) throw new Error("EPERM: immutable");
    rename(from, to);
  });
  mockFiles(t);
  await network.tryOut(CHANGE, 60);
  isRefused = true;
  await assert.rejects(network.takeBack(), { code: "network_failed", message: /EPERM/ });
  assert.equal(it.address(), "192.0.2.10");
  isRefused = false;
  it.pass(10_000);
  assert.equal((await network.state()).trial, null);
  assert.equal(it.address(), BEFORE.split("/")[0]);
});

test("root writes through no link that is put where it is about to write", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const [folder, target] = [join(it.root, "etc/network"), join(it.root, "target")];
  const remove = fs.rmSync;
  t.mock.method(fs, "rmSync", (path: string, options: fs.RmOptions) => {
    remove(path, options);
    if (dirname(path) === folder && !existsSync(target)) symlinkSync(target, path);
  });
  mockFiles(t);
  await assert.rejects(it.open().tryOut(CHANGE, 60), { message: /Nothing was changed\. EEXIST/ });
  assert.equal(existsSync(target), false);
  assert.equal(it.calls(), "");
});

test("what a killed keeper left half written is in no file that a tool reads", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "ifupdown");
  const folder = join(it.root, "etc/network");
  const rename = fs.renameSync;
  let seen: string[] = [];
  t.mock.method(fs, "renameSync", (from: string, to: string) => {
    if (dirname(to) === folder) seen = readdirSync(folder);
    rename(from, to);
  });
  mockFiles(t);
  await it.open().tryOut(CHANGE, 60);
  assert.deepEqual(
    seen.filter((name) => !name.startsWith(".")),
    ["interfaces"],
  );
  it.put("etc/network/interfaces", "");
  it.put("etc/network/interfaces.d/.lan0.new", INTERFACES);
  it.put("etc/network/interfaces.d/lan0", INTERFACES);
  const { files } = await it.open().preview(CHANGE);
  assert.equal(files[0]?.path, join(folder, "interfaces.d/lan0"));
});

test("a tool that says it is done and sets no address: everything is as before, and it is told", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  it.put("bin/networkctl", "#!/bin/sh\n", 0o755);
  const network = it.open();
  await assert.rejects(network.tryOut(CHANGE, 60), {
    code: "network_failed",
    message: /It is taken back\. lan0 did not get 192\.0\.2\.10\/24/,
  });
  assert.equal((await network.state()).trial, null);
  assert.equal(existsSync(join(it.root, "etc/systemd/network/00-frontdesk-lan0.network")), false);
});

test("a tool that sets the address and no gateway: everything is as before, and it is told", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  const sets = `[ -e $ROOT/etc/systemd/network/00-frontdesk-lan0.network ] && ip addr add ${CHANGE.address} dev lan0`;
  it.put("bin/networkctl", `#!/bin/sh\n${sets}\nexit 0\n`, 0o755);
  const network = it.open();
  await assert.rejects(network.tryOut(CHANGE, 60), {
    code: "network_failed",
    message: /lan0 did not get the gateway 192\.0\.2\.1/,
  });
  assert.equal((await network.state()).trial, null);
});

test("whoever comes after the one who tried it out takes it back in time", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  await it.open().tryOut(CHANGE, 60);
  const kept = join(it.root, "var/lib/frontdesk-network/lease-network-trial.json");
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  const other = it.open();
  assert.equal((await other.state()).trial?.deadline, 1_060_000);
  it.pass(60_000);
  assert.equal((await other.state()).trial, null);
  assert.equal(it.address(), BEFORE.split("/")[0]);
  assert.equal(existsSync(kept), false);
});

test("a keeper of another state folder leaves a trial to the one that lives, and takes it back in time where that one ended", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  const first = it.open();
  await first.tryOut(CHANGE, 60);
  const other = it.openBeside();
  assert.equal((await other.state()).trial, null);
  await assert.rejects(other.takeBack(), { code: "no_network_trial" });
  const others = { ...CHANGE, address: "192.0.2.11/24" };
  await assert.rejects(other.tryOut(others, 60), { code: "network_trial_elsewhere" });
  await first.confirm();
  it.pass(10_000);
  assert.equal((await other.state()).trial, null);
  assert.equal(it.isDue(), false);
  assert.equal(it.address(), "192.0.2.10", "what is confirmed is kept");

  await other.tryOut(others, 60);
  const third = it.openBeside();
  it.end();
  it.pass(10_000);
  assert.deepEqual((await third.state()).trial?.change, others);
  it.pass(50_000);
  assert.equal((await third.state()).trial, null);
});

test("one that cannot be tried out keeps no other keeper from trying", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  await assert.rejects(it.open().tryOut({ ...CHANGE, interface: "lan9" }, 60), { code: "no_interface" });
  assert.ok((await it.openBeside().tryOut(CHANGE, 60)).trial);
});

test("what is not sound is refused before anything is written; nobody but root changes anything", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, "systemd-networkd");
  const network = it.open();
  const code = (change: object) =>
    network.tryOut({ ...CHANGE, ...change }, 60).then(
      () => "",
      (error: { code: string }) => error.code,
    );
  assert.equal(await code({ interface: "lan9" }), "no_interface");
  assert.equal(await code({ interface: "../../etc" }), "no_interface");
  for (const wrong of [
    { address: "192.0.2.10" },
    { address: "192.0.2.10/24\nGateway=192.0.2.9" },
    { address: "192.0.2.300/24" },
    { address: "192.0.2.10/32" },
    { gateway: "198.51.100.1" },
    { gateway: "192.0.2.10" },
    { dns: ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"] },
    { dns: ["here"] },
  ])
    assert.equal(await code(wrong), "bad_network", JSON.stringify(wrong));
  assert.equal(it.calls(), "");
  const guest = it.open(false);
  assert.equal((await guest.state()).changeable, false);
  await assert.rejects(guest.tryOut(CHANGE, 60), { code: "network_not_root" });
});

test("an interface that no known tool has is shown, and not changed", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const network = machine(t, undefined).open();
  await assert.rejects(network.preview(CHANGE), { code: "network_unmanaged" });
  assert.equal((await network.state()).interfaces.find(({ name }) => name === "lan0")?.tool, null);
});

test("a machine without the program ip says so; a program that fails is quoted", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const it = machine(t, undefined);
  const alone = it.open(true, join(it.root, "bin"));
  await assert.rejects(alone.state(), { code: "network_no_ip" });
  await assert.rejects(alone.preview(CHANGE), { code: "network_no_ip" });
  it.put("bin/ip", "#!/bin/sh\necho 'no netlink here' >&2\nexit 1\n", 0o755);
  await assert.rejects(alone.state(), { code: "network_unreadable", message: /no netlink here/ });
});
