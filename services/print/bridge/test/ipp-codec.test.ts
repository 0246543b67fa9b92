import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeIpp, encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";

test("IPP messages are golden, and what is read back is what was written", () => {
  const message = {
    code: 0x0002,
    requestId: 7,
    groups: [
      {
        tag: GROUP.operation,
        attributes: {
          "attributes-charset": [{ tag: "charset" as const, value: "utf-8" }],
          "job-id": [{ tag: "integer" as const, value: -5 }],
          flags: [
            { tag: "boolean" as const, value: true },
            { tag: "boolean" as const, value: false },
          ],
        },
      },
    ],
  };
  const bytes = encodeIpp(message);
  assert.equal(
    bytes.toString("hex"),
    "020000020000000701470012617474726962757465732d6368617273657400057574662d38210006" +
      "6a6f622d69640004fffffffb220005666c61677300010122000000010003",
  );
  assert.deepEqual(decodeIpp(bytes), message);
  assert.throws(() => decodeIpp(bytes.subarray(0, 30)));
});

test("an attribute may have any name, also one that every object has", () => {
  const values = [{ tag: "integer" as const, value: 1 }];
  const names = ["constructor", "__proto__", "toString"];
  const attributes = Object.fromEntries(names.map((name) => [name, values]));
  const bytes = encodeIpp({ code: 0, requestId: 1, groups: [{ tag: GROUP.operation, attributes }] });
  const [group] = decodeIpp(bytes).groups;
  assert.deepEqual(Object.entries(group?.attributes ?? {}), Object.entries(attributes));
});

test("a message of nothing but groups, or of nothing but values, is none", () => {
  const jobs = Array.from({ length: 30_000 }, (_, n) => ({
    tag: GROUP.job,
    attributes: {
      "job-id": [{ tag: "integer" as const, value: n }],
      "job-state": [{ tag: "enum" as const, value: 3 }],
      "job-state-reasons": [{ tag: "keyword" as const, value: "none" }],
      "job-name": [{ tag: "name" as const, value: `frontdesk ${n}` }],
    },
  }));
  assert.equal(decodeIpp(encodeIpp({ code: 0, requestId: 1, groups: jobs })).groups.length, 30_000);
  const head = encodeIpp({ code: 0, requestId: 1, groups: [] }).subarray(0, 8);
  const groups = Buffer.alloc(60_000, GROUP.job);
  assert.throws(() => decodeIpp(Buffer.concat([head, groups])), /too many groups/);
  const values = Buffer.from("4400000000".repeat(260_000), "hex");
  assert.throws(() => decodeIpp(Buffer.concat([head, Buffer.from([GROUP.job]), values])), /too many values/);
});
