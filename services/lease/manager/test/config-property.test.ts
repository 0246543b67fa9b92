import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { managerDesk } from "./manager-desk.ts";

const RUNS = 30;

// biome-ignore lint/suspicious/noExplicitAny: a document of any form
type Document = any;
/** A change of the document's values, as a form would make it; none takes a table away that has a comment. */
type Edit = (document: Document) => Document;

const seconds = fc.integer({ min: 60, max: 80_000 });
const host = fc.integer({ min: 1, max: 250 });
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);

const withSubnet = (document: Document, change: (subnet: Document) => Document) => ({
  ...document,
  subnet: [change(document.subnet[0]), ...document.subnet.slice(1)],
});

const edits: fc.Arbitrary<Edit> = fc.oneof(
  seconds.map(
    (time): Edit =>
      (document) => ({ ...document, lease: { ...document.lease, default_time: time } }),
  ),
  fc.array(host, { minLength: 1, maxLength: 3 }).map(
    (hosts): Edit =>
      (document) =>
        withSubnet(document, (subnet) => ({
          ...subnet,
          options: { ...subnet.options, routers: hosts.map((each) => `10.77.0.${each}`) },
        })),
  ),
  label.map(
    (name): Edit =>
      (document) =>
        withSubnet(document, (subnet) => ({
          ...subnet,
          reservation: [{ ...subnet.reservation[0], hostname: name }, ...subnet.reservation.slice(1)],
        })),
  ),
  fc.tuple(host, label).map(
    ([each, name]): Edit =>
      (document) =>
        withSubnet(document, (subnet) => {
          const ip = `10.77.2.${each}`;
          const others = subnet.reservation.filter((one: { ip: string }) => one.ip !== ip);
          const mac = `02:00:00:00:02:${each.toString(16).padStart(2, "0")}`;
          return { ...subnet, reservation: [...others, { ip, mac, hostname: name }] };
        }),
  ),
  fc.constant<Edit>((document) =>
    withSubnet(document, (subnet) => ({ ...subnet, reservation: subnet.reservation.slice(0, 1) })),
  ),
  fc.boolean().map(
    (is): Edit =>
      (document) => ({ ...document, server: { ...document.server, authoritative: is } }),
  ),
  fc.tuple(label, host).map(
    ([name, octet]): Edit =>
      (document) => ({
        ...document,
        class: [
          ...(document.class ?? []).filter((each: { name: string }) => each.name !== name),
          { name, match: `option[93] == 0x00${octet.toString(16).padStart(2, "0")}` },
        ],
      }),
  ),
);

/** What a person wrote beside the values, in its order. */
const commentsOf = (text: string) => [...text.matchAll(/#.*$/gm)].map(([comment]) => comment);

test("config/full: what changes nothing is byte-identical; any edit keeps comments and all other values, and runs", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const file = () => readFileSync(desk.configPath, "utf8");
  const first = (await admin("GET", "config")).headers.etag;
  // A section that no form of the console shows, and a comment at every kind of place.
  const more =
    '\n# Whom to call: 4711.\n[logging] # not too much\nlevel = "info"   # three spaces\n\n# the end\n';
  const put = await admin("PUT", "config", {
    body: `# top\n${file()}${more}`,
    headers: { "if-match": String(first) },
  });
  assert.equal(put.status, 200, put.text);
  const comments = commentsOf(file());
  assert.equal(comments.length, 7);

  const save = async (edit: Edit) => {
    const { config, version } = (await admin("GET", "config/full")).json;
    const wanted = edit(config);
    const answer = await admin("PUT", "config/full", {
      body: { config: wanted },
      headers: { "if-match": `"${version}"` },
    });
    assert.equal(answer.status, 200, answer.text);
    return { wanted, version: answer.json.version };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 3 }), async (several) => {
      const { wanted, version } = await save((document) =>
        several.reduce((each, edit) => edit(each), document),
      );
      const full = (await admin("GET", "config/full")).json;
      assert.deepEqual(full.config, wanted);
      assert.deepEqual([full.version, full.running], [version, version], "what was asked for is what runs");
      assert.deepEqual(commentsOf(file()), comments);
      const before = file();
      await save((document) => document);
      assert.equal(file(), before);
    }),
    { numRuns: RUNS },
  );
});
