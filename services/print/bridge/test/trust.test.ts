import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { bridgeProcess } from "./bridge-process.ts";
import { PROGRAM } from "./discovery-peers.ts";

const LOCAL = "/usr/local/share/ca-certificates";
/** curl's exit code for a certificate that no known authority has signed. */
const NOT_BELIEVED = 60;

type Report = { store: string; done: boolean; what: string };

test("trust: this machine's programs and browsers believe the bridge after one command, also when it is given twice, and no longer after its removal", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("a store of one's own in place of the system's needs root");
  const certutil = debianProgram(t, "certutil", "libnss3-tools");
  const curl = debianProgram(t, "curl", "curl");
  const refresh = debianProgram(t, "update-ca-certificates", "ca-certificates");
  if (!certutil || !curl || !refresh) return;
  const before = existsSync(LOCAL) ? readdirSync(LOCAL) : [];
  const b = await bridgeProcess(t);
  await b.start();

  // The system's folders, as what this test runs sees them, with one of the world's authorities: all of them
  // would only take time. The machine's own stay as they are.
  const folder = temporaryHome(t);
  const [local, certificates, hooks] = ["local", "certs", "hooks"].map((name) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  }) as [string, string, string];
  const wanted = join(folder, "ca-certificates.conf");
  const [first = ""] = /^mozilla\/.*$/m.exec(readFileSync("/etc/ca-certificates.conf", "utf8")) ?? [];
  writeFileSync(wanted, `${first}\n`);
  const mounts = [
    `mount --bind "${local}" ${LOCAL}`,
    `mount --bind "${certificates}" /etc/ssl/certs`,
    `mount --bind "${wanted}" /etc/ca-certificates.conf`,
    `if [ -d /etc/ca-certificates/update.d ]; then mount --bind "${hooks}" /etc/ca-certificates/update.d; fi`,
  ];
  const inside = (words: string[], { readOnly = false, bare = false } = {}) => {
    const script = [
      ...mounts,
      ...(readOnly ? [`mount -o remount,ro,bind ${LOCAL}`] : []),
      ...(bare ? ["mount -t tmpfs none /usr/sbin", "PATH=/does/not/exist"] : []),
      'exec "$@"',
    ];
    const shell = ["-m", "sh", "-c", script.join(" && "), "sh", ...words];
    return spawnSync("unshare", shell, {
      env: {
        PATH: process.env.PATH,
        FRONTDESK_HOME: b.home,
        HOME: b.home,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(b.home, "compiled"),
        NODE_COMPILE_CACHE_PORTABLE: process.env.NODE_COMPILE_CACHE_PORTABLE,
      },
      encoding: "utf8",
    });
  };
  const trust = (options?: Parameters<typeof inside>[1], ...words: string[]) => {
    const { status, stdout, stderr } = inside(
      [process.execPath, PROGRAM, "trust", "--json", ...words],
      options,
    );
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Report[];
  };
  const fetched = () => inside([curl, "-sS", `https://127.0.0.1:${b.port}/healthz`]);
  const stores = [join(b.home, ".pki/nssdb"), join(b.home, ".mozilla/firefox/a1b2.default")];
  const believers = () =>
    stores.map((store) => {
      const { stdout } = spawnSync(certutil, ["-d", `sql:${store}`, "-L"], { encoding: "utf8" });
      return stdout.match(/^Frontdesk print bridge +C,,/gm)?.length ?? 0;
    });
  const profile = stores[1] as string;
  mkdirSync(profile, { recursive: true });
  assert.equal(spawnSync(certutil, ["-d", `sql:${profile}`, "-N", "--empty-password"]).status, 0);
  assert.equal(inside([refresh]).status, 0);
  assert.equal(fetched().status, NOT_BELIEVED);

  await t.test("added, and added again", () => {
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(
        trust().map(({ store, done, what }) => [store, done, what]),
        [
          ["system", true, `added to ${LOCAL}`],
          ["Chromium and Chrome", true, `added to ${stores[0]}`],
          [`Firefox (${profile})`, true, `added to ${profile}`],
        ],
      );
      assert.deepEqual(JSON.parse(fetched().stdout), { status: "ok" });
      assert.deepEqual([readdirSync(local), believers()], [["frontdesk-print.crt"], [1, 1]]);
    }
  });

  await t.test("removed, and removed again", () => {
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(
        trust({}, "--remove").map(({ done }) => done),
        [true, true, true],
      );
      assert.equal(fetched().status, NOT_BELIEVED);
      assert.deepEqual([readdirSync(local), believers()], [[], [0, 0]]);
    }
  });

  await t.test("a store that cannot be changed is told and left as it was; the others are changed", () => {
    const [system, chromium] = trust({ readOnly: true });
    assert.equal(system?.done, false);
    assert.match(system?.what ?? "", /^left as it was: .*read-only/);
    assert.equal(chromium?.done, true);
    // The programs that make the stores notice are missing: nothing is left half done.
    const [noRefresh, noTool] = ((): Report[] => {
      const { stdout } = inside([process.execPath, PROGRAM, "trust", "--json"], { bare: true });
      return JSON.parse(stdout);
    })();
    assert.match(noRefresh?.what ?? "", /^left as it was: update-ca-certificates is not here/);
    assert.match(noTool?.what ?? "", /^left as it was: certutil is not here \(Debian: libnss3-tools/);
    assert.deepEqual(readdirSync(local), []);
  });
  assert.deepEqual(
    existsSync(LOCAL) ? readdirSync(LOCAL) : [],
    before,
    "the machine's own store is as it was",
  );
});
