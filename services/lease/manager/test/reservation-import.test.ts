import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { managerDesk } from "./manager-desk.ts";

test("reservations from a CSV file", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const file = () => readFileSync(desk.configPath, "utf8");
  const csv = { "content-type": "text/csv" };
  const preview = async (body: string) =>
    (await admin("POST", "reservations/preview", { body, headers: csv })).json;
  const take = (body: string, version: string) =>
    admin("POST", "reservations/import", { body, headers: { ...csv, "if-match": `"${version}"` } });
  const told = ({ items }: { items: Array<Record<string, unknown>> }) =>
    items.map(({ line, ip, action, problem, columns }) => [line, ip, action, problem, columns]);

  await t.test("the preview tells what is added, changed and left; nothing is written", async () => {
    const before = file();
    const body =
      "ip,mac,hostname,note\r\n10.77.0.50,02-00-00-00-00-50,front door,\r\n10.77.0.60,02:00:00:00:00:60 02:00:00:00:00:61,camera,roof\r\n";
    assert.deepEqual(told(await preview(body)), [
      [2, "10.77.0.50", "change", null, ["hostname"]],
      [3, "10.77.0.60", "add", null, []],
    ]);
    const same = "ip;mac;subnet;status\n10.77.0.50;02:00:00:00:00:50;10.77.0.0/16;Unused\n";
    assert.deepEqual(told(await preview(same)), [[2, "10.77.0.50", "same", null, []]]);
    assert.equal(file(), before);
  });

  await t.test("what conflicts is told by line, and then nothing of the file is taken", async () => {
    const before = file();
    const body = [
      "ip,mac,enabled",
      "10.77.0.60,02:00:00:00:00:60,true",
      "10.77.0.60,02:00:00:00:00:61,true",
      "192.0.2.1,02:00:00:00:00:62,",
      "10.77.0.63,not a mac,",
      "10.77.0.64,02:00:00:00:00:50,",
      "10.77.0.65,,",
      "nonsense,02:00:00:00:00:66,",
      "10.77.0.67,02:00:00:00:00:67,perhaps",
    ].join("\n");
    const found = await preview(body);
    assert.deepEqual(told(found).slice(1), [
      [3, "10.77.0.60", "conflict", "ip_twice", ["ip"]],
      [4, "192.0.2.1", "conflict", "no_subnet", ["ip"]],
      [5, "10.77.0.63", "conflict", "bad_identifier", ["mac"]],
      [6, "10.77.0.64", "conflict", "identifier_taken", ["mac"]],
      [7, "10.77.0.65", "conflict", "no_identifier", ["mac"]],
      [8, "nonsense", "conflict", "bad_ip", ["ip"]],
      [9, "10.77.0.67", "conflict", "bad_enabled", ["enabled"]],
    ]);
    assert.equal((await take(body, found.version)).json.code, "bad_rows");
    assert.equal(file(), before);
  });

  await t.test("a device may change places with another within one file", async () => {
    const body = "ip,mac\n10.77.0.50,02:00:00:00:00:51\n10.77.0.51,02:00:00:00:00:50\n";
    assert.deepEqual(
      told(await preview(body)).map(([, , action]) => action),
      ["change", "add"],
    );
  });

  await t.test("taken whole: comments and keys that the file does not name stay", async () => {
    const rows = Array.from(
      { length: 200 },
      (_, i) => `10.77.2.${i},02:00:00:00:02:${(i + 256).toString(16).slice(1)},no`,
    );
    const body = `ip,mac,enabled\n10.77.0.50,02:00:00:00:00:50,no\n${rows.join("\n")}\n`;
    const { version, problems } = await preview(body);
    assert.deepEqual(problems, []);
    assert.equal((await admin("POST", "reservations/import", { body, headers: csv })).status, 428);
    assert.equal((await take(body, "another")).json.code, "preview_outdated");
    const { status, json } = await take(body, version);
    assert.deepEqual([status, json.added, json.changed], [200, 200, 1]);
    assert.match(
      file(),
      /# The door opener must never move\.\n.*\n.*10\.77\.0\.50.*\n.*mac.*\n.*hostname = "door"\n.*enabled = false/,
    );
    const { items } = (await admin("GET", "reservations")).json;
    assert.equal(items.length, 201);
    assert.equal((await take(body, version)).json.code, "preview_outdated");
    assert.deepEqual(
      new Set(told(await preview(body)).map(([, , action]) => action)),
      new Set(["same"]),
      "a second time it changes nothing",
    );
  });

  await t.test("what is no such file is refused", async () => {
    const code = async (body: string) => (await preview(body)).code;
    assert.equal(await code("ip,mac,colour\n"), "bad_columns");
    assert.equal(await code("mac\n"), "bad_columns");
    assert.equal(await code("ip,mac,MAC\n10.77.0.1,02:00:00:00:00:01,02:00:00:00:00:02\n"), "bad_columns");
    assert.equal(await code("ip,mac,status,status\n"), "bad_columns");
    assert.equal(await code(""), "bad_columns");
    assert.equal(await code('ip\n"10.77.0.1'), "bad_csv");
    assert.equal(await code(`ip\n${"10.77.0.1\n".repeat(10_001)}`), "too_many_rows");
  });

  await t.test("a text that is not UTF-8 is refused: its letters would be lost", async () => {
    const before = file();
    const body = Buffer.from("ip,mac,note\n10.77.0.70,02:00:00:00:00:70,K\xfcche\n", "latin1");
    const refused = await admin("POST", "reservations/preview", { body, headers: csv });
    assert.deepEqual([refused.status, refused.json.code], [422, "bad_encoding"]);
    const { headers } = await admin("GET", "config");
    const config = Buffer.from(`${before}# K\xfcche\n`, "latin1");
    const put = await admin("PUT", "config", { body: config, headers: { "if-match": String(headers.etag) } });
    assert.deepEqual([put.status, put.json.code], [422, "bad_encoding"]);
    assert.equal(file(), before);
  });
});
