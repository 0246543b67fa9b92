import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvironment } from "@frontdesk/kit/environment";
import {
  choice,
  choices,
  hostName,
  hosts,
  integer,
  list,
  listen,
  networks,
  optional,
  publicUrl,
  readSettings,
  shared,
  text,
  url,
} from "@frontdesk/kit/settings";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const settings = {
  DESK_LISTEN: listen({ about: "Where to listen.", fallback: "127.0.0.1:31071" }),
  DESK_URL: url({ about: "Our address.", schemes: ["http", "https"], fallback: "http://127.0.0.1:31071" }),
  DESK_COLOUR: choice({ about: "A colour.", of: ["red", "green"], fallback: "red" }),
  DESK_DAYS: choices({ about: "Some days.", of: ["monday", "friday"], fallback: "monday,friday" }),
  DESK_COUNT: integer({ about: "A number.", min: 1, max: 10, fallback: "3" }),
  DESK_HOSTS: list({ about: "Some hosts.", fallback: "*" }),
  DESK_KEY: optional(url({ about: "A secret.", schemes: ["s3"], secret: true })),
};
const read = (env: Record<string, string>) => readSettings(settings, env, "DESK_");

test("without an environment every setting has its default", () => {
  const config = read({});
  assert.deepEqual(config.DESK_LISTEN, { host: "127.0.0.1", port: 31071 });
  assert.equal(config.DESK_COLOUR, "red");
  assert.deepEqual(config.DESK_HOSTS, ["*"]);
  assert.equal(config.DESK_KEY, undefined);
  assert.ok(Object.isFrozen(config));
});

test("an empty value is the same as none", () => {
  assert.equal(read({ DESK_COUNT: "" }).DESK_COUNT, 3);
});

test("values are read into what they mean", () => {
  const config = read({ DESK_LISTEN: "[::1]:81", DESK_HOSTS: "a.example, b.example,", DESK_COUNT: "10" });
  assert.deepEqual(config.DESK_LISTEN, { host: "::1", port: 81 });
  assert.deepEqual(config.DESK_HOSTS, ["a.example", "b.example"]);
  assert.deepEqual(read({ DESK_DAYS: " friday," }).DESK_DAYS, ["friday"]);
  assert.equal(config.DESK_COUNT, 10);
});

const mistakes: Array<[env: Record<string, string>, sentence: RegExp]> = [
  [{ DESK_LISTEN: "31071" }, /^DESK_LISTEN must be an address and a port like .*, not "31071"\.$/],
  [{ DESK_LISTEN: "127.0.0.1:70000" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "127.0.0.1:0" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "127.0.0.256:81" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "10.0.0:81" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "::1:81" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "[::1::2]:81" }, /^DESK_LISTEN must be /],
  [{ DESK_LISTEN: "[127.0.0.1]:81" }, /^DESK_LISTEN must be /],
  [
    { DESK_URL: "ftp://x" },
    /^DESK_URL must be a URL that begins with http:\/\/ or https:\/\/, not "ftp:\/\/x"\.$/,
  ],
  [{ DESK_COLOUR: "blue" }, /^DESK_COLOUR must be one of red, green, not "blue"\.$/],
  [
    { DESK_DAYS: "friday,sunday" },
    /^DESK_DAYS must be some of monday, friday, separated by commas, not "friday,sunday"\.$/,
  ],
  [{ DESK_COUNT: "1e1" }, /^DESK_COUNT must be a whole number from 1 to 10, not "1e1"\.$/],
  [{ DESK_COUNT: "11" }, /^DESK_COUNT must be a whole number from 1 to 10/],
  [
    { DESK_COLOR: "red" },
    /^DESK_COLOR is not a setting\. The settings that begin with DESK_ are DESK_LISTEN, /,
  ],
];
for (const [env, sentence] of mistakes) {
  test(`a mistake is told in one sentence: ${JSON.stringify(env)}`, () => {
    assert.throws(() => read(env), { name: "StartProblem", message: sentence });
  });
}

test("all mistakes are told at once, and a secret is never shown", () => {
  assert.throws(
    () => read({ DESK_COUNT: "x", DESK_KEY: "hunter2" }),
    (error: Error) => {
      assert.equal(error.message.split("\n").length, 2);
      assert.ok(!error.message.includes("hunter2"));
      return true;
    },
  );
});

test("a URL that nobody could use is told, and not shown where it holds a secret", () => {
  const settings = {
    DESK_DIRECTORY: optional(
      url({ about: "A directory.", schemes: ["ldap"], secret: true, percentEncoded: true }),
    ),
    DESK_DATABASE: optional(url({ about: "A database.", schemes: ["file", "postgres"], secret: true })),
  };
  const read = (env: Record<string, string>) => readSettings(settings, env, "DESK_");
  for (const good of ["ldap://cn%3Da%25b:p%C3%A4ss@h/dc=x", "ldap://h"])
    assert.equal(read({ DESK_DIRECTORY: good }).DESK_DIRECTORY?.href, good);
  for (const good of ["postgres://u:100%@h/x", "file:///srv/a%20b.db", "file:///srv/b.db"])
    assert.equal(read({ DESK_DATABASE: good }).DESK_DATABASE?.href, good);
  for (const bad of ["ldap://u:100%@h/x", "ldap://%zz@h/x", "ldap://h/%ff"])
    assert.throws(
      () => read({ DESK_DIRECTORY: bad }),
      /^StartProblem: DESK_DIRECTORY must be a URL in which a % .* is written %25, not what it is now\.$/,
      bad,
    );
  for (const bad of ["file://host/x.db", "file://srv/frontdesk/x.db", "file:///a%2Fb", "file:///%zz"])
    assert.throws(
      () => read({ DESK_DATABASE: bad }),
      /^StartProblem: DESK_DATABASE must be a path of this machine, .* not what it is now\.$/,
      bad,
    );
});

test("without a public address a listener is reached where it listens", () => {
  assert.equal(publicUrl(undefined, { host: "::1", port: 81 }), "http://[::1]:81");
  assert.equal(
    publicUrl(new URL("https://desk.example/"), { host: "::1", port: 81 }),
    "https://desk.example",
  );
});

test("a setting without a default must be given", () => {
  assert.throws(() => readSettings({ A_B: text({ about: "Needed." }) }, {}, "A_"), /A_B must be set\./);
});

test("names of hosts and lists of networks are checked when they are read", () => {
  const settings = {
    DESK_DOMAIN: hostName({ about: "A domain.", fallback: "example.org" }),
    DESK_PROXIES: networks({ about: "Proxies.", fallback: "" }),
  };
  const read = (env: Record<string, string>) => readSettings(settings, env, "DESK_");
  assert.deepEqual(read({ DESK_DOMAIN: "Example.ORG", DESK_PROXIES: "10.0.0.1, fd00::/8" }), {
    DESK_DOMAIN: "example.org",
    DESK_PROXIES: ["10.0.0.1", "fd00::/8"],
  });
  for (const bad of [
    "https://example.org",
    "example.org:80",
    "a b",
    ".example.org",
    "x".repeat(300),
    "example..org",
  ])
    assert.throws(
      () => read({ DESK_DOMAIN: bad }),
      /^StartProblem: DESK_DOMAIN must be the name of a host/,
      bad,
    );
  for (const bad of [
    "banana",
    "proxy.local",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "::/129",
    "10.0.0.0/",
    "0.0.0.0/0",
    "::/0",
  ])
    assert.throws(
      () => read({ DESK_PROXIES: bad }),
      /^StartProblem: DESK_PROXIES must be addresses or networks/,
      bad,
    );
});

test("a secret may stand in a file; both ways at once, or no file, are mistakes", (t) => {
  const file = join(temporaryHome(t), "key");
  writeFileSync(file, "s-3-cret\n");
  const settings = {
    DESK_KEY: text({ about: "A key.", secret: true }),
    DESK_NAME: text({ about: "A name.", fallback: "desk" }),
  };
  const read = (env: Record<string, string>) => readSettings(settings, env, "DESK_");
  assert.equal(read({ DESK_KEY_FILE: file }).DESK_KEY, "s-3-cret");
  assert.throws(
    () => read({ DESK_KEY_FILE: file, DESK_KEY: "x" }),
    /DESK_KEY and DESK_KEY_FILE are both set/,
  );
  assert.throws(
    () => read({ DESK_KEY_FILE: `${file}.gone` }),
    /DESK_KEY_FILE must name a file that can be read/,
  );
  assert.throws(() => read({ DESK_KEY: "x", DESK_NAME_FILE: file }), /DESK_NAME_FILE is not a setting/);
  writeFileSync(file, " \n");
  assert.throws(
    () => read({ DESK_KEY_FILE: file }),
    /DESK_KEY_FILE must name a file that holds a value: .* is empty/,
  );
});

test("a relative path means the same file wherever a command is run", (t) => {
  const before = process.cwd();
  t.after(() => process.chdir(before));
  process.chdir(temporaryHome(t));
  const settings = { DESK_KEY: text({ about: "A key.", secret: true }) };
  const { DESK_KEY } = readSettings(settings, { DESK_KEY_FILE: "LICENSE" }, "DESK_");
  assert.equal(DESK_KEY, readFileSync(new URL("../../../LICENSE", import.meta.url), "utf8").trim());
});

test("what several services have is read from the shared name, unless a service has its own", (t) => {
  const file = join(temporaryHome(t), "mail");
  writeFileSync(file, "smtp://file.example");
  const settings = {
    DESK_MAIL_URL: shared(
      "FRONTDESK_MAIL_URL",
      optional(url({ about: "Mail.", schemes: ["smtp"], secret: true })),
    ),
  };
  const host = (env: Record<string, string>) => readSettings(settings, env, "DESK_").DESK_MAIL_URL?.host;
  assert.equal(host({}), undefined);
  assert.equal(host({ FRONTDESK_MAIL_URL: "smtp://all.example" }), "all.example");
  assert.equal(host({ FRONTDESK_MAIL_URL_FILE: file }), "file.example");
  assert.equal(
    host({ FRONTDESK_MAIL_URL: "smtp://all.example", DESK_MAIL_URL: "smtp://own.example" }),
    "own.example",
  );
  assert.throws(() => host({ FRONTDESK_MAIL_URL: "nonsense" }), /DESK_MAIL_URL must be a URL/);
});

test("frontdesk.env in the home is read beneath the environment", (t) => {
  const home = temporaryHome(t);
  assert.deepEqual(readEnvironment({ FRONTDESK_HOME: home }), { FRONTDESK_HOME: home });
  writeFileSync(
    join(home, "frontdesk.env"),
    "# mail\nFRONTDESK_MAIL_FROM='Desk <desk@example.org>'\nPRINT_LISTEN=file\n",
  );
  assert.deepEqual(readEnvironment({ FRONTDESK_HOME: home, PRINT_LISTEN: "environment" }), {
    FRONTDESK_HOME: home,
    FRONTDESK_MAIL_FROM: "Desk <desk@example.org>",
    PRINT_LISTEN: "environment",
  });
  writeFileSync(join(home, "frontdesk.env"), "AVATR_ADMINS=anna@example.org\n");
  assert.throws(
    () => readEnvironment({ FRONTDESK_HOME: home }),
    /AVATR_ADMINS in .*frontdesk.env is not a setting/,
  );
  writeFileSync(join(home, "frontdesk.env"), "FRONTDESK_HOME=/elsewhere\n");
  assert.throws(() => readEnvironment({ FRONTDESK_HOME: home }), /cannot say where FRONTDESK_HOME is/);
});

test("hosts are names or addresses in their plain form, with and without brackets; anything else is told", () => {
  const { read: hostsOf } = hosts({ about: "" });
  assert.deepEqual(hostsOf("Desk.Example.org, desk_1,10.0.0.5,[FD00:0::5],fd00::6"), [
    "desk.example.org",
    "desk_1",
    "10.0.0.5",
    "fd00::5",
    "fd00::6",
  ]);
  for (const wrong of [
    "10.0.0.256",
    "10.0.0",
    "desk.example.org:31074",
    "https://desk.example.org",
    "[fd00::5]:31074",
    "[10.0.0.5]",
    "fd00::5::6",
    "[fd00::5",
    "fe80::1%eth0",
    "10.0.0.0/8",
    "*.example.org",
    "-desk",
    "bücher.example",
  ])
    assert.throws(() => hostsOf(`desk.example.org,${wrong}`), /names or addresses like/, wrong);
});
